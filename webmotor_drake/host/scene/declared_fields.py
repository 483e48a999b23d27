"""The fields that Webots declares of a node: live ones, and those that keep values."""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import (
    TYPES,
    SceneField,
    all_in,
    node_in,
)
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.field import webots_fields
from webmotor_drake.nodes.node_types import type_name
from webmotor_drake.nodes.webots_fields import WebotsField, fields_of_type

# Values that move, or that the simulation has from the file in another form.
_LIVE = frozenset(
    """
    translation rotation position name customData battery gravity coordinateSystem
    linearVelocity angularVelocity
    """.split()
)


def with_declared(
    scene: Scene, node: SceneNode, live: dict[str, SceneField]
) -> dict[str, SceneField]:
    """Returns a node's fields in the order of Webots' declaration.

    Args:
        scene: the node's.
        node: one of the scene.
        live: its fields that the simulation reads, or that act when they are set.
    """
    found = {}
    own = set()
    if node.robot:
        own = set(webots_fields(type(node.settings)).values())
    for name, declared in fields_of_type(type_name(node.type)).items():
        if declared.kind == "SFNode":
            found[name] = node_in(node, name)
        elif declared.kind == "MFNode":
            found[name] = all_in(node, name)
        elif name in live and (node.file is None or name in own | _LIVE):
            found[name] = live[name]
        else:
            found[name] = _kept(scene, node, name, declared, live.get(name))
        found[name] = dc.replace(found[name], default=declared.default)
    others = {name: f for name, f in live.items() if name not in found}
    return {**found, **others}


def _kept(
    scene: Scene,
    node: SceneNode,
    name: str,
    declared: WebotsField,
    live: SceneField | None,
) -> SceneField:
    """Returns a field that has its file's value, and that of who sets it."""
    key = node, name

    def read() -> typing.Any:
        return (
            scene.kept[key]
            if key in scene.kept
            else _given(node, name, declared)
        )

    def write(value: typing.Any) -> None:
        if value == read():
            return
        if live is not None and live.write is not None:
            live.write(value)
        elif not declared.acts:
            scene.say_once(
                f"{type_name(node.type)}.{name}",
                "kept, and without effect here",
            )
        scene.kept[key] = value

    fixed = live is not None and live.write is None and bool(live.instead)
    return SceneField(
        name,
        TYPES[declared.kind],
        read,
        None if fixed else write,
        live.instead if live is not None else "",
    )


def _given(node: SceneNode, name: str, declared: WebotsField) -> typing.Any:
    """Returns the value that the file gives, or the default."""
    given = None if node.file is None else node.file.fields.get(name)
    if given is None:
        return declared.default
    from webmotor_drake.worlds.value_text import typed_value

    try:
        return typed_value(given, declared.kind)
    except InputError:  # told when the file was read
        return declared.default
