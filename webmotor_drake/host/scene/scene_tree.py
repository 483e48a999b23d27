"""The scene tree of a plant: models, bodies, joints and devices as Webots' nodes.

A model is a Robot if it has a driver with Webots motors, else a Solid. Its node stands
for its first body, unless a joint with an axis connects that body to the world: then
the node contains the joint. Bodies are Solids. A welded body is a child of its parent;
a body on a joint is the joint's endPoint.

A drawn geometry is a Shape in the Solid's children, in a Pose unless it is at the
body's origin. Collision geometries are in its boundingObject, several in a Group.
"""

import itertools

from pydrake import geometry
from pydrake.geometry import GeometryId, Role
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BallRpyJoint,
    BodyIndex,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    RigidBody,
    UniversalJoint,
)

from webmotor_drake.contact.inboard import Inboard, inboard_joints
from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.nodes.node_types import TYPES, Node
from webmotor_drake.scenario.scenario import Scenario, robots_of
from webmotor_drake.simulation.docks import DOCKS
from webmotor_drake.simulation.scene_names import (
    WORLD_NODES,
    device_tables,
    split_definition,
)
from webmotor_drake.worlds.nodes import Node as TextNode

JOINTS = {
    RevoluteJoint: Node.HINGE_JOINT,
    PrismaticJoint: Node.SLIDER_JOINT,
    UniversalJoint: Node.HINGE_2_JOINT,
    BallRpyJoint: Node.BALL_JOINT,
}

PARAMETERS = {
    Node.HINGE_JOINT: Node.HINGE_JOINT_PARAMETERS,
    Node.SLIDER_JOINT: Node.JOINT_PARAMETERS,
    Node.HINGE_2_JOINT: Node.HINGE_JOINT_PARAMETERS,
    Node.BALL_JOINT: Node.BALL_JOINT_PARAMETERS,
}


class SceneTree:
    """All nodes of a scenario's plant.

    Attributes:
        nodes: nodes by id; the id of a body's Solid is the body's index.
        root: node that contains all others.
        solid_of: the node of each body that has one, by the body's index.
        groups: the Groups of the scenario, by DEF name.
        devices: devices of robots, by model and name in the scenario.
        plant: the plant.
    """

    def __init__(
        self, scenario: Scenario, plant: MultibodyPlant, shapes: Shapes
    ):
        self.nodes: dict[int, SceneNode] = {}
        self._numbers = itertools.count(plant.num_bodies())
        self.root = self.add(None, id=0, type=Node.GROUP, name="root")
        for kind in (Node.WORLD_INFO, Node.VIEWPOINT):
            self.add(self.root, type=kind)
        self.solid_of: dict[BodyIndex, SceneNode] = {}
        self._robots, self.plant = robots_of(scenario), plant
        self.devices: dict[tuple[str, str], SceneNode] = {}
        self._joint_nodes: dict[tuple[str, str], SceneNode] = {}
        self._models: dict[str, SceneNode] = {}
        self.groups: dict[str, SceneNode] = {}
        self._parts: dict[str, dict[str, SceneNode]] = {}
        inboard = inboard_joints(plant)
        for i in range(1, plant.num_bodies()):
            body = plant.get_body(BodyIndex(i))
            if self._model_name(body) != DOCKS:
                self._add_body(body, inboard)
        for model, driver in self._robots.items():
            self._add_devices(model, driver)
        for solid in list(self.solid_of.values()):
            self._add_shapes(solid, shapes)
        self._label(scenario)
        for name, members in scenario.groups.items():
            self._group(name, members)

    def _label(self, scenario: Scenario) -> None:
        for model, bodies in scenario.bodies.items():
            instance = self.plant.GetModelInstanceByName(model)
            for name, parameters in bodies.items():
                body = self.plant.GetBodyByName(name, instance)
                node = self.solid_of[body.index()]
                node.label = parameters.model
                node.material = parameters.contact_material or node.material
        for model, driver in self._robots.items():
            self._models[model].label = (
                driver.model or self._models[model].label
            )

    def _group(self, name: str, members: list[str]) -> None:
        group = self.add(self.root, definition=name, type=Node.GROUP)
        for member in members:
            model, _, part = member.partition("::")
            found = self.groups.get(member) or self._models[model]
            node = self.part(model, part) if part else found
            self.root.children.remove(node)
            group.children.append(node)
            node.parent = group
        self.groups[name] = group

    def add(self, parent: SceneNode | None, **fields: object) -> SceneNode:
        """Adds a node to another one's children."""
        if "id" not in fields:
            fields["id"] = next(self._numbers)
        node = SceneNode(parent=parent, **fields)
        self.nodes[node.id] = node
        if parent is not None:
            parent.children.append(node)
        return node

    def keep(
        self, parent: SceneNode | None, text: TextNode, slot: str
    ) -> SceneNode:
        """Adds a node, and all nodes in it, that only keep their values.

        Args:
            parent: node that contains it; None: no node does.
            text: its text.
            slot: the field of the parent.
        """
        node = self.add(
            parent,
            type=TYPES.get(text.type, Node.NO_NODE),
            kind="" if text.type in TYPES else text.type,
            slot=slot,
            definition=text.definition,
            file=text,
        )
        for name, field in text.fields.items():
            for inside in field.nodes:
                self.keep(node, inside, name)
        return node

    def _add_body(self, body: RigidBody, inboard: Inboard) -> SceneNode:
        """Adds a body after its parent; returns its node."""
        if body.index() in self.solid_of:
            return self.solid_of[body.index()]
        joint = inboard.get(body.index())
        parent = self.root
        is_first = joint is None or joint.parent_body().index() == 0
        if not is_first:
            parent = self._add_body(joint.parent_body(), inboard)
        node_type = JOINTS.get(type(joint))
        if node_type is not None:
            if is_first:
                parent = self._model_node(body, frame=joint.frame_on_parent())
            parent, is_first = self._add_joint(parent, joint, node_type), False
        own = {
            "id": int(body.index()),
            "frame": body.body_frame(),
            "body": body,
        }
        if is_first:
            node = self._model_node(body, **own)
        else:
            own["slot"] = "children" if node_type is None else "endPoint"
            node = self.add(parent, type=Node.SOLID, name=body.name(), **own)
        self.solid_of[body.index()] = node
        return node

    def _model_node(self, first: RigidBody, **fields: object) -> SceneNode:
        """Adds a model's node for its first body, a Solid for each further body."""
        model = self._model_name(first)
        if model in self._models:
            return self.add(
                self.root, type=Node.SOLID, name=first.name(), **fields
            )
        return self._add_model(model, **fields)

    def _add_model(self, model: str, **fields: object) -> SceneNode:
        driver = self._robots.get(model)
        node_type = Node.SOLID if driver is None else Node.ROBOT
        if driver is not None:
            fields["settings"] = driver
        node = self.add(
            self.root, type=node_type, name=model, model=model, **fields
        )
        self._models[model] = node
        return node

    def _add_joint(
        self, parent: SceneNode, joint: Joint, node_type: int
    ) -> SceneNode:
        model = self.plant.GetModelInstanceName(joint.model_instance())
        driver = self._robots.get(model)
        settings = driver and driver.joints.get(joint.name())
        node = self.add(
            parent,
            type=node_type,
            name=joint.name(),
            joint=joint,
            settings=settings,
        )
        self.add(
            node,
            type=PARAMETERS[node_type],
            slot="jointParameters",
            joint=joint,
            settings=settings,
        )
        self._joint_nodes[model, joint.name()] = node
        return node

    def _add_devices(self, model: str, driver: WebotsMotorDriver) -> None:
        """Adds a robot's devices to their joints, and all others to the robot."""
        if model not in self._models:  # a robot without a body
            self._add_model(model)
        instance = self.plant.GetModelInstanceByName(model)
        mounts = find_mounts(self.plant, instance, driver.devices)
        named = (
            item for table in device_tables(driver) for item in table.items()
        )
        for tag, (name, settings) in enumerate(named, start=1):
            parent, place = self._models[model], {}
            on = model, getattr(settings, "joint", "")
            if on in self._joint_nodes:
                parent = self._joint_nodes[on]
                place = {"slot": "device", "joint": parent.joint}
            elif name in mounts:
                body = mounts[name].body
                parent = self.solid_of.get(body.index(), self.root)
                place = {
                    "frame": body.body_frame(),
                    "offset": mounts[name].X_BD,
                }
            self.devices[model, name] = self.add(
                parent,
                type=settings.node_type,
                name=name,
                settings=settings,
                robot=model,
                tag=tag,
                **place,
            )

    def _add_shapes(self, solid: SceneNode, shapes: Shapes) -> None:
        """Adds the nodes of a body's drawn shapes, collision shapes and mass."""
        body = solid.body

        def holder(
            parent: SceneNode, shape: GeometryId, slot: str
        ) -> SceneNode:
            """Returns the parent of a shape: a Pose, or `parent` if the pose is 0."""
            X_BG = shapes.pose(shape)
            if X_BG.IsExactlyEqualTo(RigidTransform()):
                return parent
            frame = body.body_frame()
            return self.add(
                parent, type=Node.POSE, slot=slot, frame=frame, offset=X_BG
            )

        for drawn in shapes.of_body(body, Role.kIllustration):
            parent = holder(solid, drawn, "children")
            shape = self.add(parent, type=Node.SHAPE, geometry=drawn)
            for slot, kind in (
                ("appearance", Node.PBR_APPEARANCE),
                ("geometry", _geometry_type(shapes, drawn)),
            ):
                self.add(shape, type=kind, slot=slot, geometry=drawn)
        colliding = shapes.of_body(body, Role.kProximity)
        outer, slot = solid, "boundingObject"
        if len(colliding) > 1:
            outer = self.add(solid, type=Node.GROUP, slot=slot)
            slot = "children"
        for shape in colliding:
            inside = holder(outer, shape, slot)
            self.add(
                inside,
                type=_geometry_type(shapes, shape),
                slot=slot if inside is outer else "children",
                geometry=shape,
            )
        if not self.plant.IsAnchored(body):
            self.add(solid, type=Node.PHYSICS, slot="physics", body=body)

    def replace(self, model: str, node: SceneNode) -> None:
        """Makes a node stand for a model, and its only body, from now on."""
        self._models[model] = node
        self._parts.pop(model, None)
        self.solid_of[node.body.index()] = node

    def model(self, name: str) -> SceneNode:
        """Returns the Robot or Solid of a model."""
        return self._models[name]

    def part(self, model: str, name: str) -> SceneNode | None:
        """Returns a body, joint or device of a model, or a Solid at its frame."""
        parts = self._parts.setdefault(model, {})
        instance = self.plant.GetModelInstanceByName(model)
        if not parts:
            bodies = self.plant.GetBodyIndices(instance)
            tops = [self._models[model], *map(self.solid_of.get, bodies)]
            for node in (
                n for top in filter(None, tops) for n in top.subtree()
            ):
                for known in filter(None, (node.name, node.body_name)):
                    parts.setdefault(known, node)
        if name not in parts and self.plant.HasFrameNamed(name, instance):
            frame = self.plant.GetFrameByName(name, instance)
            solid = self.solid_of.get(frame.body().index(), self.root)
            parts[name] = self.add(
                solid, type=Node.SOLID, name=name, frame=frame
            )
        return parts.get(name)

    def meant(self, of: str) -> SceneNode | None:
        """Returns the node with a DEF of the scenario; None: there is none."""
        if of in WORLD_NODES:
            return next(n for n in self.root.children if n.type_name == of)
        name = split_definition(of)
        node: SceneNode | None = self.model(name.model)
        if name.part:
            node = self.part(name.model, name.part)
        for field, index in name.fields:
            inside = node.inside(field) if node is not None else []
            node = inside[index] if index < len(inside) else None
        return node

    def _model_name(self, body: RigidBody) -> str:
        return self.plant.GetModelInstanceName(body.model_instance())


def _geometry_type(shapes: Shapes, shape: GeometryId) -> int:
    """Returns the node type of a shape; Mesh for shapes without one."""
    return {
        geometry.Box: Node.BOX,
        geometry.Sphere: Node.SPHERE,
        geometry.Cylinder: Node.CYLINDER,
        geometry.Capsule: Node.CAPSULE,
        geometry.HalfSpace: Node.PLANE,
    }.get(type(shapes.shape(shape)), Node.MESH)
