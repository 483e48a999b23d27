"""Finds nodes of a scene by the names that supervisors and scenarios use."""

from collections.abc import Iterator

from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import SceneTree, body_name
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.simulation.scene_names import WORLD_NODES, split_definition


def meant(tree: SceneTree, of: str) -> SceneNode | None:
    """Returns the node that a DEF of the scenario names; None if there is none."""
    if of in WORLD_NODES:
        return next(n for n in tree.root.children if n.type_name == of)
    name = split_definition(of)
    node: SceneNode | None = tree.model(name.model)
    if name.part:
        node = tree.part(name.model, name.part)
    for field, index in name.fields:
        inside = nodes_in(node, field) if node is not None else []
        node = inside[index] if index < len(inside) else None
    return node


def named(nodes: Iterator[SceneNode], name: str) -> SceneNode | None:
    """Returns the first node with a DEF, else with a name."""
    known = list(nodes)
    for node in known:
        if name and node.definition == name:
            return node
    for node in known:
        if name and name in (node.name, body_name(node)):
            return node
    return None


def nodes_in(node: SceneNode, field: str) -> list[SceneNode]:
    """Returns the nodes in a field of a node; a body's shapes, too."""
    if field == "visual":
        return _drawn(node)
    if field == "collision":
        return _colliding(node)
    return [n for n in node.children if n.slot == field]


def _drawn(solid: SceneNode) -> list[SceneNode]:
    """Returns the Shapes of a body, in Poses or not."""
    holders = [n for n in solid.children if n.type in (Node.POSE, Node.SHAPE)]
    inside = [s for n in holders for s in (n, *n.children)]
    return [s for s in inside if s.type == Node.SHAPE]


def _colliding(solid: SceneNode) -> list[SceneNode]:
    """Returns the geometries in a Solid's boundingObject."""
    return [
        part
        for node in solid.children
        if node.slot == "boundingObject"
        for part in node.subtree()
        if part.geometry is not None
    ]
