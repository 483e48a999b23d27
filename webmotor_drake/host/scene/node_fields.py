"""The fields of all kinds of nodes.

A driver's entries of devices and joints are fields, too, under Webots' names. Fields
that Drake can change in its Context can be set.
"""

import dataclasses as dc
import functools
import math
import typing

from pydrake.multibody.tree import PrismaticJoint, RevoluteJoint

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import (
    TYPES,
    Live,
    SceneField,
    constant,
)
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import PARAMETERS
from webmotor_drake.host.scene.shape_fields import pose_fields, shape_fields
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.check import check_node, with_fallbacks
from webmotor_drake.nodes.field import webots_fields, webots_name
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.nodes.node_types import Node, type_name
from webmotor_drake.nodes.webots_fields import WebotsField, fields_of_type


def fields_of(scene: Scene, node: SceneNode) -> dict[str, SceneField]:
    """Returns the fields of a node by name, in Webots' order."""
    live = shape_fields(scene, node)
    if live is not None:
        pass
    elif node.joint is not None and node.type in PARAMETERS.values():
        live = _parameter_fields(scene, node)
    elif node.robot and node.frame is None:
        live = _device_fields(scene, node)
    elif node.is_solid or node.robot:
        live = pose_fields(scene, node) | _solid_fields(scene, node)
    else:
        live = {}
    if node.is_solid or node.robot:
        name = functools.partial(setattr, node, "name")
        live |= {"name": (lambda: node.name, name)}
    found = _with_declared(scene, node, live)
    if node.uses:
        found = {n: _shared(scene, node, f) for n, f in found.items()}
    return found


def _shared(scene: Scene, node: SceneNode, field: SceneField) -> SceneField:
    """Returns a field that also sets the nodes that share its definition (USE)."""
    own = field.write
    if own is None:
        return field

    def write(value: typing.Any) -> None:
        own(value)
        for other in node.uses:
            same = fields_of(scene, other).get(field.name)
            if same is not None and same.write is not None:
                same.write(value)

    return dc.replace(field, write=write)


def _solid_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    live = _body_fields(scene, node)
    if node.robot:  # a device says its model itself
        return live | _device_fields(scene, node)
    live["model"] = constant(node.label)
    return live | (
        _robot_fields(scene, node) if node.type == Node.ROBOT else {}
    )


def _body_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    physics = scene.physics

    def part(first: int) -> Live:
        def write(value: list[float]) -> None:
            velocity = physics.velocity(node)
            velocity[first : first + 3] = value
            physics.set_velocity(node, velocity)

        return lambda: physics.velocity(node)[first : first + 3], write

    return {
        "contactMaterial": constant(node.material),
        "recognitionColors": (
            lambda: scene.colors(node),
            functools.partial(scene.set_colors, node),
        ),
        "radarCrossSection": (
            lambda: getattr(scene.mark(node), "cross_section", 0.0),
            functools.partial(scene.set_cross_section, node),
        ),
        "linearVelocity": part(0),
        "angularVelocity": part(3),
    }


def _robot_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    model, data = node.model, scene.stepped.custom_data
    given: list[float] = node.settings.battery

    def battery() -> list[float]:
        return [scene.hosts[model].battery(), *given[1:]] if given else []

    return {
        "customData": (
            lambda: data.get(model, ""),
            functools.partial(data.__setitem__, model),
        ),
        "battery": (battery, None),
    }


def _parameter_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    joint, physics = node.joint, scene.physics
    X_PF = joint.frame_on_parent().GetFixedPoseInBodyFrame()
    low, high = joint.position_lower_limits(), joint.position_upper_limits()
    bounded = math.isfinite(low[0]) and math.isfinite(high[0])
    live = {
        "position": (
            lambda: physics.joint_position(joint, 0),
            functools.partial(scene.move_joint, node, 0),
        ),
        "minStop": constant(float(low[0]) if bounded else 0.0),
        "maxStop": constant(float(high[0]) if bounded else 0.0),
    }
    if isinstance(joint, RevoluteJoint | PrismaticJoint):
        axis = getattr(joint, "revolute_axis", None) or joint.translation_axis
        live["axis"] = constant((X_PF.rotation() @ axis()).tolist())
    if node.type == Node.HINGE_JOINT_PARAMETERS:
        live["anchor"] = constant(X_PF.translation().tolist())
    return live


def _field_of_view(scene: Scene, node: SceneNode) -> Live:
    def widen(value: float) -> None:
        if not 0 < value < math.pi:
            raise InputError(
                f"{value:g} rad is not allowed; must be from 0 to pi"
            )
        scene.set_device_value(node, "field_of_view", value)

    return lambda: scene.device_value(node, "field_of_view"), widen


def _is_locked(scene: Scene, node: SceneNode) -> Live:
    name = scene.connector(node)

    def lock(value: bool) -> None:
        if node.settings.type == "passive":
            raise InputError("a passive Connector cannot be locked")
        scene.locked[name] = value
        scene.tell_device(node, "is_locked", value)

    return lambda: scene.locked[name], lock


def _motor_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    host, motor = scene.hosts[node.robot], node.tag - 1
    settings = functools.partial(host.settings, motor)

    def command(kind: Kind, field: str, value: typing.Any) -> None:
        mended = _mended(scene.motor_node(node), node.name, field, value)
        host.send([(motor, kind, mended)])

    def change(field: str, value: float) -> None:
        if field.endswith("position"):
            # The joint's position if that is beyond the limit (WbMotor.cpp).
            bound = min if field == "min_position" else max
            value = bound(value, scene.physics.joint_position(node.joint, 0))
        now = scene.motor_node(node)
        mended = _mended(now, node.name, field, value)
        scene.change_motor(node, dc.replace(now, **{field: mended}))

    effort = "Torque" if node.type == Node.ROTATIONAL_MOTOR else "Force"
    limits = {
        webots_name(name): (
            lambda name=name: getattr(settings(), name),
            functools.partial(change, name),
        )
        for name in ("max_velocity", "min_position", "max_position")
    }
    return limits | {
        "acceleration": (
            lambda: settings().acceleration,
            functools.partial(command, Kind.ACCELERATION, "acceleration"),
        ),
        "controlPID": (
            lambda: list(settings().control_pid),
            functools.partial(command, Kind.CONTROL_PID, "control_pid"),
        ),
        f"max{effort}": (
            lambda: settings().max_effort,
            functools.partial(change, f"max_{effort.lower()}"),
        ),
    }


def _mended(
    motor: MotorNode, name: str, field: str, value: typing.Any
) -> typing.Any:
    """Returns a motor's new value, after Webots' fallbacks as in a file."""
    changed = dc.replace(motor, **{field: value})
    check_node(changed)
    return getattr(with_fallbacks(name, changed), field)


def _device_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    if node.type in (Node.ROTATIONAL_MOTOR, Node.LINEAR_MOTOR):
        return _motor_fields(scene, node)
    if node.type == Node.CAMERA:
        return {"fieldOfView": _field_of_view(scene, node)}
    if node.type == Node.CONNECTOR:
        return {"isLocked": _is_locked(scene, node)}
    if node.type == Node.VACUUM_GRIPPER:
        return {"isOn": _is_locked(scene, node)}
    return {}


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


def _with_declared(
    scene: Scene, node: SceneNode, live: dict[str, Live]
) -> dict[str, SceneField]:
    """Returns a node's fields in the order of Webots' declaration."""
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
    # Fields of devices that Webots lacks, and velocities, which it hides.
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
    """Returns a field with its file's value, which keeps each value that is set."""
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
        kind = type(node.settings)
        names = webots_fields(kind) or {
            field.name: webots_name(field.name) for field in dc.fields(kind)
        }
        for ours, webots in names.items():
            if webots == name:
                value = getattr(node.settings, ours)
                return bool(value) if declared.kind == "SFBool" else value
    given = None if node.file is None else node.file.fields.get(name)
    if given is None:
        return declared.default
    from webmotor_drake.worlds.nodes import typed_value

    try:
        return typed_value(given, declared.kind)
    except InputError:  # reported when the file was read
        return declared.default
