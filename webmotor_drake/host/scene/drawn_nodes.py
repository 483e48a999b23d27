"""Nodes of a text that are only drawn."""

import typing

from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody

from webmotor_drake.host.scene import solid_text
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import SceneTree
from webmotor_drake.host.scene.shapes import Shapes
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
        self, wanted: TextNode, body: RigidBody, ignored: list[str]
    ) -> SceneNode:
        """Adds a node that is drawn, with all in it; it is in no other one yet.

        Args:
            wanted: its text.
            body: the body that it is on, at its origin.
            ignored: parts without effect; added to.
        """
        node = self._tree.keep(None, wanted, "children")
        self.show(node, body, RigidTransform(), ignored)
        return node

    def show(
        self,
        node: SceneNode,
        body: RigidBody,
        X_BP: RigidTransform,
        ignored: list[str],
    ) -> None:
        """Draws a node of a text, and its children.

        Args:
            node: the node.
            body: the body that it is on.
            X_BP: pose of its parent there.
            ignored: parts without effect; added to.
        """
        text = typing.cast(TextNode, node.file)
        if text.type == "Shape":
            self._show_shape(node, text, body, X_BP, ignored)
        elif text.type not in solid_text.HOLDERS:
            ignored.append(solid_text.why_ignored(text.type))
        else:
            if text.type != "Group":
                X_BP = X_BP @ solid_text.pose_of(text)
                node.frame, node.offset = body.body_frame(), X_BP
            for child in node.children:
                self.show(child, body, X_BP, ignored)

    def _show_shape(
        self,
        node: SceneNode,
        text: TextNode,
        body: RigidBody,
        X_BP: RigidTransform,
        ignored: list[str],
    ) -> None:
        inside = text.node("geometry")
        shape = solid_text.shape_of(inside) if inside is not None else None
        if inside is None or shape is None or inside.type == "Plane":
            kind = inside.type if inside else "Shape"
            ignored.append(solid_text.why_ignored(kind))
            return
        self._number += 1
        drawn = self._shapes.draw(
            body,
            shape,
            X_BP,
            solid_text.colour_of(text),
            f"imported {self._number}",
        )
        for part in node.subtree():
            part.geometry = drawn

    def erase(self, node: SceneNode) -> None:
        """Removes a node's drawn shapes."""
        parts = {n.geometry for n in node.subtree() if n.geometry is not None}
        for geometry in parts:
            self._shapes.remove(geometry)
