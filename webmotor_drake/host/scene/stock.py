"""Nodes that come into the world at run time, and leave it."""

from pydrake.math import RigidTransform

from webmotor_drake.errors import unknown_name
from webmotor_drake.host.scene.node_text import NodeText, parse_node
from webmotor_drake.host.scene.physics import Physics, Refused
from webmotor_drake.host.scene.rotations import rotation_of
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import SceneTree
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.spares import (
    hold,
    release,
    spare_models,
    waiting_place,
)


class Stock:
    """The scenario's spares, and what has been removed.

    Args:
        scenario: its `spares` are in stock at first.
        tree: the nodes; those in stock are taken out of it.
        physics: the plant's side.
    """

    def __init__(self, scenario: Scenario, tree: SceneTree, physics: Physics):
        self._scenario, self._tree, self._physics = scenario, tree, physics
        self._spares = spare_models(scenario)
        self._removed: list[SceneNode] = []
        for kind, models in scenario.spares.items():
            for model in models:
                node = tree.model(model)
                node.kind = kind
                self._take_out(node)

    def bring(self, text: str, position: int) -> str:
        """Moves a spare into the world, as a text says.

        Args:
            text: as for importMFNodeFromString.
            position: its place among the root's children.

        Returns:
            Which fields of the text have no effect here; "": none.

        Raises:
            Refused: there is no such spare left, or the text is no node.
        """
        try:
            wanted = parse_node(text)
        except ValueError as error:
            raise Refused(str(error)) from None
        pose = _pose(wanted)
        node = self._spare(wanted.type)
        node.definition = wanted.definition
        name = wanted.fields.get("name", node.name)
        node.name = name if isinstance(name, str) else node.name
        node.parent = self._tree.root
        self._tree.root.children.insert(position, node)
        release(self._physics.plant, self._physics.context, node.model)
        self._physics.set_pose(node, pose)
        known = {"translation", "rotation", "name"}
        ignored = [name for name in wanted.fields if name not in known]
        return ", ".join(ignored + wanted.other)

    def _spare(self, kind: str) -> SceneNode:
        """Returns the first spare of a kind that is in stock."""
        spares = self._scenario.spares
        if kind not in spares:
            raise Refused(
                f"{unknown_name('kind of spares', kind, spares)}; what is"
                " imported has to be in the scenario's spares"
            )
        for model in spares[kind]:
            node = self._tree.model(model)
            if node.parent is None:
                return node
        raise Refused(
            f"all {len(spares[kind])} spares of kind {kind} are in the world;"
            " give the scenario more"
        )

    def remove(self, node: SceneNode) -> None:
        """Moves a model out of the world.

        Raises:
            Refused: it is no model, has a driver, or is not free.
        """
        plant = self._physics.plant
        if node.parent is not self._tree.root or not node.model:
            raise Refused(
                f"{node.name} is a part of a model, which stays whole"
            )
        if node.type == Node.ROBOT:
            raise Refused(f"{node.name} has motors; robots stay in the world")
        instance = plant.GetModelInstanceByName(node.model)
        if not plant.HasUniqueFloatingBaseBody(instance):
            raise Refused(f"{node.name} is not free; it cannot be moved away")
        if plant.time_step() == 0:
            raise Refused("a continuous plant cannot hold what is removed")
        if node.model not in self._spares:
            self._spares.append(node.model)
            self._removed.append(node)
        self._take_out(node)
        self._put_away(node)

    def _take_out(self, node: SceneNode) -> None:
        self._tree.root.children.remove(node)
        node.parent, node.definition, node.name = None, "", node.model

    def _put_away(self, node: SceneNode) -> None:
        """Holds a model where spares wait."""
        number = self._spares.index(node.model)
        self._physics.set_pose(node, waiting_place(number))
        hold(self._physics.plant, self._physics.context, node.model)

    def reset(self) -> None:
        """Has spares wait again, as they do after a reset; what is removed stays so.

        The plant's Context has been reset already.
        """
        for models in self._scenario.spares.values():
            for model in models:
                node = self._tree.model(model)
                if node.parent is not None:
                    self._take_out(node)
        for node in self._removed:
            if node.parent is None:
                self._put_away(node)


def _pose(wanted: NodeText) -> RigidTransform:
    """Returns the pose that a text gives its node.

    Raises:
        Refused: it is none.
    """
    translation = wanted.fields.get("translation", [0.0, 0.0, 0.0])
    rotation = wanted.fields.get("rotation", [0.0, 0.0, 1.0, 0.0])
    if isinstance(translation, str) or len(translation) != 3:
        raise Refused("a translation is three numbers")
    if isinstance(rotation, str) or len(rotation) != 4 or not any(rotation[:3]):
        raise Refused("a rotation is an axis, not 0, and an angle")
    return RigidTransform(rotation_of(rotation), translation)
