"""The world of a simulation as supervisors see it: one for all of them."""

import typing
from collections.abc import Callable, Iterator

from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody

from webmotor_drake.errors import InputError
from webmotor_drake.host import messages
from webmotor_drake.host.robot_host import RobotHost, robot_hosts
from webmotor_drake.host.scene.file_tree import FileTree, nodes_of
from webmotor_drake.host.scene.physics import Physics
from webmotor_drake.host.scene.scene_node import SceneNode, named
from webmotor_drake.host.scene.scene_tree import SceneTree
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.host.scene.stock import Stock
from webmotor_drake.host.senses.recognition import Mark, checked_colors
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.scenario.scenario import Scenario, robots_of

# Shapes that may collide in several parts; their nodes do not know the parts.
_IN_PARTS = (Node.MESH, Node.INDEXED_FACE_SET, Node.ELEVATION_GRID)
# Webots' name of the state at the beginning.
AT_START = "__init__"


def scene_of(stepped: SteppedSimulation) -> "Scene":
    """Returns the scene of a simulation, made on first use."""
    if stepped.scene is None:
        stepped.scene = Scene(stepped)
    return stepped.scene


class Scene:
    """The nodes of a simulation, and of its stock, with their poses.

    Attributes:
        stepped: the simulation.
        scenario: the simulation's.
        tree: all nodes.
        root: node that contains all nodes in the world.
        physics: poses and velocities of their bodies.
        shapes: their drawn and colliding shapes.
        kept: values of fields that have no effect here.
        hosts: the robots by model name.
        say_once: function that prints a call and its problem, once.
        stock: nodes that can be imported and removed.
        labels: texts of setLabel, by their numbers.
        locked: state of Connectors, by robot and device; True: locked.
    """

    def __init__(self, stepped: SteppedSimulation):
        self.stepped = stepped
        self.scenario = scenario = stepped.simulation.scenario
        self.physics = Physics(stepped)
        self.shapes = Shapes(stepped)
        self.tree = SceneTree(scenario, self.physics.plant, self.shapes)
        self.root = self.tree.root
        self.stock = Stock(stepped, self.tree, self.physics, self.shapes)
        self.labels: dict[int, str] = stepped.simulation.labels
        self.locked = stepped.simulation.docks.locked
        self._drivers = robots_of(scenario)
        self.kept: dict[tuple[SceneNode, str], typing.Any] = {}
        self.hosts: dict[str, RobotHost] = robot_hosts(stepped)
        self.say_once = messages.once()
        self._motors: dict[SceneNode, MotorNode] = {}
        self._values: dict[tuple[SceneNode, str], typing.Any] = {}
        self._moved: dict[SceneNode, RigidTransform] = {}
        self._states: dict[tuple[int, str], Callable[[], None]] = {}
        self._name_nodes(scenario)
        stepped.changes.at_reset.append(self.undo)

    def _name_nodes(self, scenario: Scenario) -> None:
        """Gives the nodes their DEF names: each its first one."""
        self._definitions: dict[str, SceneNode] = {}
        if (nodes := nodes_of(scenario)) is not None:
            self._definitions = FileTree(self.tree, nodes).definitions
            return
        for definition, of in scenario.defs.items():
            node = self.tree.meant(of)
            if node is None:
                self.say_once(f"DEF {definition}", f"there is no {of}")
                continue
            node.definition = node.definition or definition
            self._definitions[definition] = node
        self._definitions.update(self.tree.groups)

    def colors(self, node: SceneNode) -> list[list[float]]:
        """Returns the recognitionColors of a Solid; a camera's table counts, too."""
        mark = self.mark(node)
        if mark is not None and mark.colors is not None:
            return mark.colors
        for driver in self._drivers.values():
            for device in driver.devices.values():
                known = getattr(device, "recognition", None)
                if known and node.model in known.recognition_colors:
                    return known.recognition_colors[node.model]
        return []

    def set_colors(self, node: SceneNode, colors: list[list[float]]) -> None:
        """Gives a Solid other recognitionColors, until the next reset.

        Raises:
            InputError: it has no body.
        """
        mark = self.mark(node)
        if mark is None:
            raise InputError(f"{node.name} has no body that a camera could see")
        mark.colors = checked_colors(colors)
        mark.id, mark.name = node.id, node.label or mark.name

    def set_cross_section(self, node: SceneNode, section: float) -> None:
        """Gives a Solid another radarCrossSection, m^2, until the next reset."""
        mark = self.mark(node)
        if mark is None or not section >= 0:
            raise InputError(f"{section} is not allowed; must be at least 0")
        mark.cross_section = section

    def mark(self, node: SceneNode) -> Mark | None:
        """Returns the mark by which sensors know a Solid; None without a body."""
        body = self._body(node)
        return body and self.stepped.surroundings.marks.of(body)

    def _body(self, node: SceneNode) -> RigidBody | None:
        """Returns the body of a Solid; for a model on a joint its first body."""
        if node.body is not None or not node.model:
            return node.body
        plant = self.physics.plant
        bodies = plant.GetBodyIndices(plant.GetModelInstanceByName(node.model))
        return plant.get_body(bodies[0]) if bodies else None

    def holds(self, node: SceneNode) -> bool:
        """Returns whether a node is a Pose, or a Solid without a body of its own."""
        if node.offset is None or node.body is not None or node.robot:
            return False
        anchored = self.physics.plant.IsAnchored(node.frame.body())
        return anchored or node.type in (Node.POSE, Node.TRANSFORM)

    def move_all(self, node: SceneNode, X_PN: RigidTransform) -> None:
        """Moves a Pose or a static Solid, and the models and shapes in it.

        Args:
            node: the node; see `holds`.
            X_PN: its pose from now on, in the nearest node above with a pose.

        Raises:
            InputError: a model or a shape in it cannot be moved.
        """
        for part in node.subtree():
            if part.geometry is None and part.type in _IN_PARTS:
                raise InputError(
                    f"a {part.type_name} in {node.name or node.type_name} collides"
                    " in several parts, which stay where they are"
                )
        X_WN = self.physics.pose(node) or RigidTransform()
        inside = [
            (model, X_WN.inverse() @ (self.physics.pose(model) or X_WN))
            for model in _models_in(node)
        ]
        self._move_drawn(node, X_PN)
        X_WN = self.physics.pose(node) or RigidTransform()
        for model, X_NM in inside:
            self.physics.set_pose(model, X_WN @ X_NM)

    def _move_drawn(self, node: SceneNode, X_PN: RigidTransform) -> None:
        """Moves a Pose, and the shapes drawn in it; see `move_all`."""
        change = X_PN @ self.physics.pose_in_parent(node).inverse()
        above = next((n for n in node.above() if n.offset is not None), None)
        X_FP = RigidTransform()
        if above is not None and above.frame is node.frame:
            X_FP = above.offset
        change = X_FP @ change @ X_FP.inverse()
        moved = set()
        for part in node.subtree():
            if part.offset is not None and part.frame is node.frame:
                self._moved.setdefault(part, part.offset)
                part.offset = change @ part.offset
            if part.geometry is not None and part.geometry not in moved:
                moved.add(part.geometry)
                pose = self.shapes.pose(part.geometry)
                self.shapes.move(part.geometry, change @ pose)

    def undo(self) -> None:
        """Resets shapes, motors and the stock to the start."""
        self.labels.clear()
        self.stepped.surroundings.__dict__.pop("marks", None)
        self.kept.clear()
        for node in list(self._motors):
            del self._motors[node]
            host = self.hosts[node.robot]
            host.change(node.tag - 1, self.motor_node(node))
        for node, field in list(self._values):
            value = getattr(node.settings, field)
            self.set_device_value(node, field, value)
        self._values.clear()
        for node, offset in self._moved.items():
            node.offset = offset
        self._moved.clear()
        self.stock.reset()
        self.shapes.restore()

    def node(self, number: int) -> SceneNode | None:
        """Returns the node with an id, if it is in the world."""
        node = self.tree.nodes.get(number)
        return node if node is not None and self.is_here(node) else None

    def is_here(self, node: SceneNode) -> bool:
        """Returns whether a node is in the world."""
        while node.parent is not None:
            node = node.parent
        return node is self.root

    def find(self, path: str) -> SceneNode | None:
        """Returns the node with this DEF or name, such as "ROBOT.wheel"."""
        first, *others = path.replace("::", ".").split(".")
        node = self._definitions.get(path) or self._definitions.get(first)
        node = node or named(self.root.subtree(), first)
        for part in others if path not in self._definitions else ():
            node = node and self.find_in(node, part)
        return node if node is not None and self.is_here(node) else None

    def definitions(self) -> list[str]:
        """Returns the DEF names and models in the world, for a quick `find`."""
        names = [
            n for n, node in self._definitions.items() if self.is_here(node)
        ]
        models = [n.name for n in self.root.children if n.name]
        return list(dict.fromkeys([*names, *models]))

    def motor_node(self, node: SceneNode) -> MotorNode:
        """Returns a motor's fields as they are at present, after fallbacks."""
        if node in self._motors:
            return self._motors[node]
        return list(self.hosts[node.robot].motors.values())[node.tag - 1]

    def change_motor(self, node: SceneNode, motor: MotorNode) -> None:
        """Gives a motor other limits; a reset restores the limits of the scenario.

        Raises:
            InputError: it cannot have them.
        """
        self.hosts[node.robot].change(node.tag - 1, motor)
        self._motors[node] = motor
        self.tell_device(node, "", None)

    def device_value(self, node: SceneNode, field: str) -> typing.Any:
        """Returns a field of a device that `set_device_value` may have changed."""
        return self._values.get((node, field), getattr(node.settings, field))

    def set_device_value(
        self, node: SceneNode, field: str, value: typing.Any
    ) -> None:
        """Gives a device another value of a field, until the next reset."""
        self._values[node, field] = value
        self.tell_device(node, field, value)

    def tell_device(
        self, node: SceneNode, field: str, value: typing.Any
    ) -> None:
        """Tells the robot's client of another value of a device."""
        for tell in self.stepped.changes.at_device_change:
            tell(node.robot, node.tag, field, value)

    def connector(self, node: SceneNode) -> tuple[str, str]:
        """Returns the robot and the name in the scenario of a Connector."""
        devices = self._drivers[node.robot].devices.items()
        name = next(name for name, given in devices if given is node.settings)
        return node.robot, name

    def move_joint(self, node: SceneNode, axis: int, position: float) -> None:
        """Moves a joint as setJointPosition does.

        All bodies that hang on it stop. Its motors get the position as their
        target (WbJoint.cpp setPosition).

        Args:
            node: the joint, or its parameters.
            axis: number of the axis, from 0.
            position: rad or m.
        """
        joint = node if node.children else node.parent
        reached = self.physics.set_joint_position(node.joint, axis, position)
        self.physics.stop([joint])
        for device in joint.children:
            if device.type in (Node.ROTATIONAL_MOTOR, Node.LINEAR_MOTOR):
                command = device.tag - 1, Kind.POSITION, reached
                self.hosts[device.robot].send([command])
        if reached != position:
            messages.warning(
                "Node.setJointPosition()",
                f"{position:g} is outside the stops of {node.joint.name()};"
                f" applied is {reached:g}",
            )

    def find_in(self, node: SceneNode, name: str) -> SceneNode | None:
        """Returns the node inside another that has this DEF or name."""
        for proto in node.protos:
            if name in proto.defs:
                return proto.defs[name]
        below = node.subtree()
        next(below)
        return named(below, name)

    def save_state(self, node: SceneNode, name: str) -> None:
        """Saves the poses of a node and its children; see `load_state`."""
        self._states[node.id, name] = self.physics.saved(node)

    def load_state(self, node: SceneNode, name: str) -> None:
        """Goes back to the saved state, at rest.

        "__init__" is the state at the start of the run; for an imported node, the
        state at its import (WbNode.cpp saves it by that name).

        Raises:
            InputError: no state was saved.
        """
        restore = self._states.get((node.id, name))
        if restore is None and name == AT_START:
            restore = self.physics.saved(node, at_start=True)
        if restore is None:
            raise InputError("no state was saved by this name")
        restore()
        self.physics.stop([node])

    def device(self, model: str, tag: int) -> SceneNode | None:
        """Returns a robot's device."""
        devices = self.tree.devices.values()
        own = (d for d in devices if (d.robot, d.tag) == (model, tag))
        return next(own, None)


def _models_in(node: SceneNode) -> Iterator[SceneNode]:
    """Yields the topmost models and bodies inside a node."""
    for child in node.children:
        if child.model or (child.body is not None and child.is_solid):
            yield child
        else:
            yield from _models_in(child)
