"""The tree of a world's file: all its nodes, where they stand.

Nodes that move, collide, are drawn or are devices come from the plant's tree, and are
put in their places in the file. All others only keep their fields.
"""

import contextlib
import dataclasses as dc

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.tree import Frame

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.protos import note_protos
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import SceneTree
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.node_types import TYPES, Node
from webmotor_drake.scenario.scenario import Scenario, path_in
from webmotor_drake.worlds.around import Around, inside_of
from webmotor_drake.worlds.imported import WorldSource, import_world
from webmotor_drake.worlds.node_kinds import (
    GROUPS,
    MOTORS,
    ROBOTS,
    SOLIDS,
    name_of,
)
from webmotor_drake.worlds.nodes import Node as TextNode
from webmotor_drake.worlds.project import Options

_POSED = (GROUPS | SOLIDS) - {"Group", "Slot"}
_AT_JOINTS = (*MOTORS, "PositionSensor", "Brake")
# Nodes of older versions.
_TODAY = dict.fromkeys(ROBOTS, Node.ROBOT)


@dc.dataclass(frozen=True)
class _Place:
    """Where a node stands: its parent's frame, and that node's pose in it."""

    frame: Frame
    around: Around
    slot: str
    bounds: bool = False


def nodes_of(scenario: Scenario) -> list[TextNode] | None:
    """Returns the nodes of the world file that a scenario was made from.

    Returns:
        The nodes; None for a scenario without a world.

    Raises:
        InputError: the world cannot be read.
    """
    if isinstance(scenario.source, WorldSource):
        return scenario.source.nodes
    if scenario.world is None:
        return None
    file = path_in(scenario, scenario.world.file)
    options = Options.from_metadata(vars(scenario.world))
    return import_world(file, options)[1].nodes


class FileTree:
    """Puts the nodes of a world's file in a scene's tree.

    Args:
        tree: the plant's.
        nodes: nodes of the file.

    Attributes:
        definitions: the nodes by their DEF names.
    """

    def __init__(self, tree: SceneTree, nodes: list[TextNode]):
        self._tree = tree
        self.definitions: dict[str, SceneNode] = {}
        # A device and a body may have one name.
        self._known = {
            (path, _is_device(inner)): node
            for top in nodes
            for inner in top.subtree()
            for path in inner.stands_for
            if (node := self._meant(path, inner)) is not None
        }
        self._taken: set[SceneNode] = set()
        self._first: dict[TextNode, SceneNode] = {}
        root = tree.root
        before = {node: node.children for node in root.subtree()}
        for node in before:
            node.children = []
        world = Around(RigidTransform(), np.ones(3))
        frame = tree.plant.world_frame()
        for node in nodes:
            self._add(root, node, _Place(frame, world, "children"))
        note_protos(root.subtree())
        self._keep_others(root, before)

    def _meant(self, path: str, node: TextNode) -> SceneNode | None:
        """Returns the node of the plant's tree that a node of the file stands for."""
        if _is_device(node):
            model, _, name = path.partition("::")
            if (model, name) in self._tree.devices:
                return self._tree.devices[model, name]
        try:
            return self._tree.meant(path)
        # The scenario does not match the file any more.
        except (KeyError, RuntimeError):
            return None

    def _keep_others(
        self, root: SceneNode, before: dict[SceneNode, list[SceneNode]]
    ) -> None:
        """Keeps nodes that are not in the file: WorldInfo, models in stock, devices."""
        for node in before[root]:
            if node in self._taken or node.name == "scenery":
                continue
            if node.type in (Node.WORLD_INFO, Node.VIEWPOINT):
                root.children.insert(0, node)
            elif not node.definition and node.type != Node.GROUP:
                root.children.append(node)
                waiting = [node]
                while waiting:
                    inner = waiting.pop()
                    inner.children = before[inner]
                    waiting += inner.children
        for node, children in before.items():
            for child in children:
                if (
                    child.robot
                    and child not in self._taken
                    and node in self._taken
                ):
                    node.children.append(child)

    def _add(self, parent: SceneNode, text: TextNode, place: _Place) -> None:
        """Adds a node of the file, and all nodes in it, to another node."""
        node = self._node(text, place)
        if node is None:
            # A Material has the colour of its shape.
            drawn = parent.geometry if text.type == "Material" else None
            kind = "" if _type(text) else text.type
            node = self._tree.add(
                None, type=_type(text), kind=kind, geometry=drawn
            )
        self._taken.add(node)
        node.parent, node.slot, node.file = parent, place.slot, text
        named = text.type in SOLIDS or text.type in _AT_JOINTS
        node.name = name_of(text) if named else ""
        parent.children.append(node)
        if (first := self._first.setdefault(text, node)) is not node:
            first.uses.append(node)
        node.definition = text.definition
        if text.definition:
            self.definitions.setdefault(text.definition, node)
        inside = self._inside(node, text, place)
        for name, field in text.fields.items():
            for child in field.all_nodes:
                bounds = place.bounds or name == "boundingObject"
                self._add(
                    node, child, dc.replace(inside, slot=name, bounds=bounds)
                )

    def _node(self, text: TextNode, place: _Place) -> SceneNode | None:
        """Returns the plant tree's node at this place; None: there is none."""
        if text.type in ("WorldInfo", "Viewpoint"):
            return next(
                (
                    node
                    for node in self._tree.nodes.values()
                    if node.type == TYPES[text.type] and node not in self._taken
                ),
                None,
            )
        for path in text.stands_for:
            node = self._known.get((path, _is_device(text)))
            if node is None or node in self._taken:
                continue
            if (".collision[" in path) != (
                place.bounds and (text.type in _SHAPES)
            ):
                continue
            if text.type not in DEVICES and not node.robot:
                node.type = _type(text)
            return node
        return None

    def _inside(self, node: SceneNode, text: TextNode, place: _Place) -> _Place:
        """Sets the place of a node; returns the place for the nodes in it."""
        around, frame = place.around, place.frame
        if text.type in GROUPS | SOLIDS and text.type != "Group":
            with contextlib.suppress(InputError):  # reported at the read
                around = inside_of(text, around)
        has_own = node.body is not None and node.frame is not None
        if has_own:
            frame = node.frame
            around = dc.replace(around, X_W=RigidTransform())
        elif text.type in _POSED and not (node.frame and node.model):
            node.frame, node.offset = frame, around.X_W
        return _Place(frame, around, "")


def _is_device(text: TextNode) -> bool:
    return text.type in DEVICES or text.type in _AT_JOINTS


# Nodes that are a Solid's or a Shape's form.
_SHAPES = frozenset(
    """
    Box Sphere Cylinder Capsule Plane Mesh Cone IndexedFaceSet ElevationGrid CadShape
    """.split()
)


def _type(text: TextNode) -> int:
    return _TODAY.get(text.type) or TYPES.get(text.type, Node.NO_NODE)
