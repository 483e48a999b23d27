"""The parameters of instances of PROTOs, which are the fields that a supervisor sees.

A parameter that is connected to fields (IS) has their value, and sets them. A
parameter that a template reads, or that has no field here, never changes: in Webots
a change would build the node anew.
"""

import typing

from webmotor_drake.host.scene.node_fields import fields_of
from webmotor_drake.host.scene.protos import FileParameter
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import TYPES, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.worlds.nodes import typed_value


def shown_fields(scene: Scene, node: SceneNode) -> dict[str, SceneField]:
    """Returns the fields of a node, or the parameters of an instance, by name."""
    return (
        parameters_of(scene, node, 0) if node.protos else fields_of(scene, node)
    )


def parameters_of(
    scene: Scene, node: SceneNode, level: int
) -> dict[str, SceneField]:
    """Returns the parameters of a PROTO of a node by name, in its order.

    Args:
        scene: the node's.
        node: an instance.
        level: 0 for its PROTO, 1 for the one that this derives from, and so on.
    """
    parameters = {
        name: _field(scene, node, name, parameter)
        for name, parameter in node.protos[level].parameters.items()
    }
    if _is_guessed(node):
        return {**parameters, **fields_of(scene, node), **parameters}
    return parameters


def _is_guessed(node: SceneNode) -> bool:
    """Returns whether its PROTO was left out, so that its interface is guessed."""
    return node.file is not None and node.file.left_out


def _field(
    scene: Scene, node: SceneNode, name: str, of: FileParameter
) -> SceneField:
    """Returns a parameter as a field; connected fields correct a guessed type."""
    guessed = _is_guessed(node)
    found = (fields_of(scene, at).get(name) for at, name in of.fields)
    connected = [*filter(None, found)]
    if not connected:
        own = fields_of(scene, node).get(name) if guessed else None
        if own is not None:
            return own
        if of.type == "MFNode":
            value = _kept(scene, node, of)
        elif of.type == "SFNode":
            value = next(iter(_kept(scene, node, of)), None)
        else:
            value = typed_value(of.given, of.type)
        return SceneField(
            name,
            TYPES[of.type],
            lambda: value,
            instead="the PROTO's parameter is not connected (IS) to a field here",
        )
    first = connected[0]

    def write(value: typing.Any) -> None:
        for field in connected:
            field.write(value)

    can_change = all(field.write is not None for field in connected)
    kind = first.type if guessed else TYPES[of.type]
    change = write if can_change else None
    return SceneField(name, kind, first.read, change, first.instead)


def _kept(scene: Scene, node: SceneNode, of: FileParameter) -> list[SceneNode]:
    """Returns the nodes in a parameter that only the PROTO's template reads."""
    if not of.kept:
        texts = of.given.all_nodes
        of.kept = [scene.tree.keep(None, text, of.given.name) for text in texts]
        for one in of.kept:
            one.parent = node
    return of.kept
