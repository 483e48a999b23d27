"""Nodes of a text that are only drawn."""

from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody

from webmotor_drake.host.scene import solid_text
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import SceneTree
from webmotor_drake.host.scene.shape_nodes import add_shape
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.nodes.node_types import TYPES, Node
from webmotor_drake.worlds.nodes import Node as TextNode


class DrawnNodes:
    """Adds nodes that are drawn, and removes them.

    Args:
        tree: the nodes.
        shapes: the scene graph's.
    """

    def __init__(self, tree: SceneTree, shapes: Shapes):
        self._tree, self._shapes = tree, shapes
        self._number = 0

    def draw(
        self,
        parent: SceneNode | None,
        wanted: TextNode,
        body: RigidBody,
        X_BP: RigidTransform,
        ignored: list[str],
    ) -> SceneNode:
        """Adds a node that is drawn, and its children.

        Args:
            parent: node that it is added to; None: none yet.
            wanted: the node's text.
            body: body that carries it.
            X_BP: pose of the parent there.
            ignored: words for nodes without effect; gets those of this one.
        """
        if wanted.type == "Shape":
            return self._draw_shape(parent, wanted, body, X_BP, ignored)
        if wanted.type not in solid_text.HOLDERS:
            ignored.append(solid_text.why_ignored(wanted.type))
            return self._tree.add(
                parent,
                type=Node.GROUP,
                kind=wanted.type,
                definition=wanted.definition,
            )
        X_BN, fields = X_BP, {}
        if wanted.type != "Group":
            X_BN = X_BP @ solid_text.pose_of(wanted)
            fields = {"frame": body.body_frame(), "offset": X_BN}
        node = self._tree.add(
            parent,
            type=TYPES[wanted.type],
            definition=wanted.definition,
            **fields,
        )
        for child in wanted.nodes("children"):
            self.draw(node, child, body, X_BN, ignored)
        return node

    def _draw_shape(
        self,
        parent: SceneNode | None,
        wanted: TextNode,
        body: RigidBody,
        X_BP: RigidTransform,
        ignored: list[str],
    ) -> SceneNode:
        inside = wanted.node("geometry")
        shape = solid_text.shape_of(inside) if inside is not None else None
        if inside is None or shape is None or inside.type == "Plane":
            kind = inside.type if inside else "Shape"
            ignored.append(solid_text.why_ignored(kind))
            node = self._tree.add(
                parent, type=Node.SHAPE, definition=wanted.definition
            )
            if inside is not None:
                self._tree.keep(node, inside, "geometry")
            return node
        self._number += 1
        drawn = self._shapes.draw(
            body,
            shape,
            X_BP,
            solid_text.colour_of(wanted),
            f"imported {self._number}",
        )
        look = wanted.node("appearance")
        old = look is not None and look.type == "Appearance"
        node = add_shape(
            self._tree.add,
            parent,
            self._shapes,
            drawn,
            appearance=Node.APPEARANCE if old else Node.PBR_APPEARANCE,
        )
        node.definition = wanted.definition
        for part in node.subtree():
            text = {"appearance": look, "geometry": inside}.get(part.slot)
            if text is not None and part is not node:
                part.definition = text.definition
        return node

    def erase(self, node: SceneNode) -> None:
        """Removes a node's drawn shapes."""
        parts = {n.geometry for n in node.subtree() if n.geometry is not None}
        for geometry in parts:
            self._shapes.remove(geometry)
