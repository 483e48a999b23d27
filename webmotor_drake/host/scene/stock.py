"""Nodes that come into the world at run time, and leave it.

A node that is only drawn is made from its text. A Solid that collides or moves needs
a body: that of a model in the scenario's `spares`, or one from its `stock`.
"""

import re
import typing
from collections.abc import Callable

from webmotor_drake.drive.motor_system import NEVER
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.host.scene import solid_text
from webmotor_drake.host.scene.protos import ImportedProtos, note_protos
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.stock_solids import StockSolids, name_node
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.simulation import spares
from webmotor_drake.simulation.imports import DrawnShape
from webmotor_drake.worlds.nodes import Node as TextNode
from webmotor_drake.worlds.reader import read_nodes

_USE = re.compile(r'\bUSE\s+([^\s,{}\[\]"#]+)')


class Stock(StockSolids):
    """The scenario's spares and stock, and the removed nodes.

    At first it holds the `spares` and `stock` of the scenario, outside the tree. The
    simulation's `imports` records which nodes come and go.

    Args:
        stepped: the simulation.
        parts: tree of the nodes, physics and shapes.
    """

    def __init__(self, stepped: SteppedSimulation, *parts: typing.Any):
        super().__init__(stepped, *parts)
        self._scenario = scenario = stepped.simulation.scenario
        self._imports = stepped.simulation.imports
        self._waiting = spares.spare_models(scenario)
        self._robots = spares.spare_robots(scenario)
        self._removed: list[SceneNode] = []
        self._protos = ImportedProtos(scenario)
        # Imported nodes that are only drawn.
        self._only_drawn: list[SceneNode] = []
        for kind, models in scenario.spares.items():
            for model in models:
                node = self._tree.model(model)
                node.kind = kind
                self._take_out(node)
        for model in spares.stock_models(scenario):
            self._take_out(self._tree.model(model))

    def bring(
        self,
        text: str,
        parent: SceneNode,
        position: int,
        text_of: Callable[[str], str | None],
    ) -> str:
        """Brings the nodes of a text into the world.

        Args:
            text: text of nodes in a world's format, for importMFNodeFromString.
            parent: the root, or a Group in it.
            position: index among the parent's children.
            text_of: returns the text of the node with a DEF, for `USE`.

        Returns:
            Names of the parts of the text without effect here, or "".

        Raises:
            InputError: there is no such spare left, or the text is not a node.
        """
        self.ignored.clear()
        nodes = read_nodes(_with_used(text, text_of), "the text")
        if not nodes:
            raise InputError("the text has no node")
        for given in nodes:
            wanted = given
            if given.type not in self._scenario.spares:
                wanted = self._protos.expanded(given)
            with self._shapes.all_or_none():
                node = self._new_node(wanted)
            node.parent = parent
            parent.children.insert(position, node)
            position += 1
        return ", ".join(dict.fromkeys(self.ignored))

    def _new_node(self, wanted: TextNode) -> SceneNode:
        """Makes the node of a text, which has no parent yet."""
        if wanted.type in self._scenario.spares:
            return self._bring_spare(wanted)
        if wanted.type == "Solid":
            node = self.bring_solid(wanted)
        elif wanted.type in solid_text.DRAWN:
            node = self.draw(wanted)
            self._only_drawn.append(node)
        else:
            raise InputError(self._why_unknown(wanted.type))
        note_protos(node.subtree())
        self._note_coming(node)
        return node

    def _why_unknown(self, kind: str) -> str:
        if kind == "Robot":
            return (
                "a Robot that comes into a world that runs has to be in the"
                " scenario's spares: its motors and devices are built with the plant"
            )
        known = [*self._scenario.spares, "Solid", *solid_text.DRAWN]
        return (
            f"{unknown_name('kind of spares', kind, known)}; what is imported"
            " has to be in the scenario's spares, or a Solid"
        )

    def _bring_spare(self, wanted: TextNode) -> SceneNode:
        """Moves a spare of the scenario to the pose in a text."""
        pose = solid_text.pose_of(wanted)
        node, physics = self._spare(wanted.type), self._physics
        name_node(node, wanted, node.name)
        spares.release(physics.plant, physics.context, node.model)
        physics.saved(node, at_start=True)()  # it may have been here before
        physics.set_pose(node, pose)
        if node.model in self._stepped.absent:
            self._set_motors(node.model, 0)
            physics.tell_motors()
            self._stepped.move_robot(node.model, here=True)
        known = {"translation", "rotation", "name"}
        self.ignored += [
            f"the field {n}" for n in wanted.fields if n not in known
        ]
        return node

    def _set_motors(self, model: str, step: int) -> None:
        """Sets motors to the start; `step` is the next step then."""
        simulation = self._stepped.simulation
        motors = simulation.motors[model]
        root = simulation.simulator.get_mutable_context()
        own = motors.GetMyMutableContextFromRoot(root)
        start = motors.GetMyContextFromRoot(simulation.start)
        own.SetStateAndParametersFrom(start)
        motors.begin_at(own, step)

    def _spare(self, kind: str) -> SceneNode:
        models = self._scenario.spares[kind]
        for model in models:
            node = self._tree.model(model)
            if node.parent is None:
                return node
        raise InputError(
            f"all {len(models)} spares of kind {kind} are in the world;"
            " give the scenario more"
        )

    def _note_coming(self, node: SceneNode) -> None:
        """Notes for replays that a node is in the world, as it looks now."""
        shapes = self._shapes
        drawn = dict.fromkeys(
            part.geometry
            for part in node.subtree()
            if part.geometry is not None
            and part.geometry not in shapes.colliding
        )
        self._imports.come(
            node.id,
            node.model,
            [
                DrawnShape(
                    shapes.shape(one), shapes.pose(one), shapes.rgba(one)
                )
                for one in drawn
            ],
            self._stepped.elapsed,
        )

    def remove(self, node: SceneNode) -> None:
        """Moves a model, or an imported node, out of the world.

        Raises:
            InputError: it is part of a model, a robot, or cannot be moved away.
        """
        if node in self._only_drawn:
            self._imports.go(node.id, self._stepped.elapsed)
            self.erase(node)
            self._only_drawn.remove(node)
            self._take_out(node)
            return
        welded = self._physics.is_welded(node)
        whole = node.model or welded
        parent, root = node.parent, self._tree.root
        is_free_standing = (
            parent is not None
            and parent.type == Node.GROUP
            and root in (parent, parent.parent)
        )
        if not whole or not is_free_standing:
            raise InputError(
                f"{node.name or node.type_name} is a part of a model, which"
                " stays whole"
            )
        if node.type == Node.ROBOT and node.model not in self._robots:
            raise InputError(
                f"{node.name} has motors; robots stay in the world"
            )
        if node.model in self.solids:
            self._return(node)
            return
        if node.model:
            self._check_can_go(node, welded=welded)
        if node not in self._removed:
            self._waiting.append(_key(node))
            self._removed.append(node)
        self._take_out(node)
        self._put_away(node)

    def _check_can_go(self, node: SceneNode, *, welded: bool) -> None:
        plant = self._physics.plant
        instance = plant.GetModelInstanceByName(node.model)
        if not welded and not plant.HasUniqueFloatingBaseBody(instance):
            raise InputError(
                f"{node.name} is neither free nor welded to the world; it cannot"
                " be moved away"
            )
        if plant.time_step() == 0 and plant.num_velocities(instance):
            raise InputError("a continuous plant cannot hold removed models")

    def _return(self, node: SceneNode) -> None:
        self._imports.go(node.id, self._stepped.elapsed)
        self.take_back(node)
        self._take_out(node)
        self._put_away(node)

    def _take_out(self, node: SceneNode) -> None:
        if node.parent is not None:
            node.parent.children.remove(node)
        node.parent, node.definition, node.name = None, "", _key(node)
        if (
            node.model in self._robots
            and node.model not in self._stepped.absent
        ):
            self._set_motors(node.model, NEVER)
            self._stepped.move_robot(node.model, here=False)

    def _put_away(self, node: SceneNode) -> None:
        """Moves a model to the place where spares wait, and holds it there."""
        number = self._waiting.index(_key(node))
        self._physics.set_pose(node, spares.waiting_place(number))
        if node.model:
            spares.hold(self._physics.plant, self._physics.context, node.model)

    def reset(self) -> None:
        """Returns spares to waiting, as at a reset; removed nodes stay removed.

        The plant's Context has been reset already. What was imported is gone (Webots'
        reference, wb_supervisor_simulation_reset).
        """
        for node in list(self._only_drawn):
            self.remove(node)
        for node in list(self.solids.values()):
            self._return(node)
        for models in self._scenario.spares.values():
            for model in models:
                node = self._tree.model(model)
                if node.parent is not None:
                    self._take_out(node)
        for node in self._removed:
            if node.parent is None:
                self._put_away(node)


def _key(node: SceneNode) -> str:
    """Returns the name of a model, or of a scenery part's body."""
    return node.model or (node.body.name() if node.body else "")


def _with_used(text: str, text_of: Callable[[str], str | None]) -> str:
    """Returns a text with its USE replaced by nodes of the world."""

    def replaced(match: re.Match[str]) -> str:
        if re.search(rf"\bDEF\s+{re.escape(match[1])}\s", text):
            return match[0]
        return text_of(match[1]) or match[0]

    return _USE.sub(replaced, text)
