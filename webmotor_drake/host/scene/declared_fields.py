"""The fields that Webots declares of a node: live ones, and those that keep values."""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import (
    TYPES,
    Live,
    SceneField,
)
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.field import webots_fields, webots_name
from webmotor_drake.nodes.node_types import type_name
from webmotor_drake.nodes.webots_fields import WebotsField, fields_of_type

# Values of the simulation, whatever the file said.
_LIVE = frozenset(
    """
    translation rotation position name customData battery gravity coordinateSystem
    linearVelocity angularVelocity acceleration controlPID maxTorque maxForce
    maxVelocity minPosition maxPosition fieldOfView isLocked
    """.split()
)
# Values that do nothing in Webots, either.
_IDLE = frozenset("title info window description model FPS lineScale".split())


def with_declared(
    scene: Scene, node: SceneNode, live: dict[str, Live]
) -> dict[str, SceneField]:
    """Returns a node's fields in the order of Webots' declaration.

    Args:
        scene: the node's.
        node: one of the scene.
        live: its fields that the simulation reads, or that act when they are set.
    """
    found = {}
    for name, declared in fields_of_type(type_name(node.type)).items():
        known = live.get(name)
        if declared.kind.endswith("Node"):
            field = _inside(node, name, many=declared.kind == "MFNode")
        elif known and known[1] is not None and _is_live(node, name):
            field = SceneField(name, TYPES[declared.kind], *known)
        else:
            field = _kept(scene, node, name, declared, known)
        found[name] = dc.replace(field, default=declared.default)
    # Of a device that Webots lacks; velocities are hidden in all.
    for name in [n for n in live if n not in found]:
        declared = fields_of_type("Solid").get(name)
        kind = TYPES[declared.kind if declared is not None else "SFVec3f"]
        found[name] = SceneField(name, kind, *live[name])
    return found


def _inside(node: SceneNode, name: str, *, many: bool) -> SceneField:
    """Returns a field that holds nodes, or one."""

    def read() -> typing.Any:
        inside = node.inside(name)
        return inside if many else next(iter(inside), None)

    return SceneField(name, TYPES["MFNode" if many else "SFNode"], read)


def _is_live(node: SceneNode, name: str) -> bool:
    """Returns whether a field's value is the simulation's, not the file's."""
    return node.file is None or name in _LIVE


def _kept(
    scene: Scene,
    node: SceneNode,
    name: str,
    declared: WebotsField,
    live: Live | None,
) -> SceneField:
    """Returns a field that has its file's value, and that of who sets it."""
    key = node, name

    def read() -> typing.Any:
        if key in scene.kept:
            return scene.kept[key]
        if live is not None and _is_live(node, name):
            return live[0]()
        return _given(node, name, declared)

    def write(value: typing.Any) -> None:
        if value == read():
            return
        if live is not None and live[1] is not None:
            live[1](value)
        elif name not in _IDLE:
            effect = "and without effect here"
            if declared.acts:
                effect = "and acts at the start only"
            call = f"{type_name(node.type)}.{name}"
            scene.say_once(call, f"kept, {effect}")
        scene.kept[key] = value

    return SceneField(name, TYPES[declared.kind], read, write)


def _given(node: SceneNode, name: str, declared: WebotsField) -> typing.Any:
    """Returns the value at the start: a device's, the file's, or the default."""
    if node.settings is not None and (node.robot or node.file is None):
        for ours, webots in _names(type(node.settings)).items():
            if webots == name:
                value = getattr(node.settings, ours)
                return bool(value) if declared.kind == "SFBool" else value
    given = None if node.file is None else node.file.fields.get(name)
    if given is None:
        return declared.default
    from webmotor_drake.worlds.value_text import typed_value

    try:
        return typed_value(given, declared.kind)
    except InputError:  # told when the file was read
        return declared.default


def _names(kind: type) -> dict[str, str]:
    """Returns Webots' names of a device's or a driver's fields, by ours."""
    fields = dc.fields(typing.cast(typing.Any, kind))
    return webots_fields(kind) or {f.name: webots_name(f.name) for f in fields}
