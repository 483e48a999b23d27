"""The parameters of instances of PROTOs, which are the fields that a supervisor sees.

A parameter that is connected to fields (IS) has their value, and sets them. One that
a template reads, or that nothing here corresponds to, never changes: in Webots it
would build the node anew.
"""

import typing

from webmotor_drake.host.scene.node_fields import fields_of
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_search import meant
from webmotor_drake.scenario.protos import ProtoParameter
from webmotor_drake.worlds.value_text import value_of

_TYPES = {kind.webots_name: kind for kind in FieldType}


def shown_fields(scene: Scene, node: SceneNode) -> dict[str, SceneField]:
    """Returns the fields of a node by name; of an instance its PROTO's parameters."""
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
    proto = node.protos[level]
    parameters = {
        name: _field(scene, name, parameter, guessed=proto.has_all_fields)
        for name, parameter in proto.parameters.items()
    }
    if proto.has_all_fields:
        return {**parameters, **fields_of(scene, node), **parameters}
    return parameters


def _field(
    scene: Scene, name: str, parameter: ProtoParameter, *, guessed: bool
) -> SceneField:
    """Returns a parameter as a field; nobody has declared a guessed type."""
    connected = [*filter(None, (_found(scene, f) for f in parameter.fields))]
    if not connected:
        value = value_of(parameter.type, parameter.value)
        return SceneField(
            name,
            _TYPES[parameter.type],
            lambda: value,
            instead="the PROTO's parameter is not connected (IS) to a field here",
        )
    first = connected[0]
    writes = [field.write for field in connected if field.write is not None]

    def write(value: typing.Any) -> None:
        for one in writes:
            one(value)

    can_change = len(writes) == len(connected)
    return SceneField(
        name,
        first.type if guessed else _TYPES[parameter.type],
        first.read,
        write if can_change else None,
        first.instead,
    )


def _found(scene: Scene, path: str) -> SceneField | None:
    """Returns the field at a path such as "arm::elbow.name", if it is there."""
    of, _, name = path.rpartition(".")
    node = meant(scene.tree, of)
    return None if node is None else fields_of(scene, node).get(name)
