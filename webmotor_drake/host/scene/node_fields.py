"""The fields of all kinds of nodes.

A driver's entries of devices and joints are fields, too, under Webots' names. Those
that Drake can change in its Context can be set.
"""

import dataclasses as dc
import functools
import math
import typing

from pydrake.multibody.tree import PrismaticJoint, RevoluteJoint

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.declared_fields import with_declared
from webmotor_drake.host.scene.pose_fields import pose_fields
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import (
    Live,
    SceneField,
    constant,
)
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import PARAMETERS
from webmotor_drake.host.scene.shape_fields import shape_fields
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.check import check_node, with_fallbacks
from webmotor_drake.nodes.field import webots_name
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.nodes.node_types import Node


def fields_of(scene: Scene, node: SceneNode) -> dict[str, SceneField]:
    """Returns the fields of a node by name, in Webots' order."""
    live = shape_fields(scene, node)
    if live is not None:
        pass
    elif node.joint is not None and node.type in PARAMETERS.values():
        live = _parameter_fields(scene, node)
    elif node.robot and node.frame is None:
        live = _name_field(node) | _device_fields(scene, node)
    elif node.is_solid or node.robot:
        live = pose_fields(scene, node) | _solid_fields(scene, node)
    else:
        live = {}
    found = with_declared(scene, node, live)
    if node.uses:
        found = {n: _shared(scene, node, f) for n, f in found.items()}
    return found


def _shared(scene: Scene, node: SceneNode, field: SceneField) -> SceneField:
    """Returns a field that sets those of the nodes that are one with its own, too."""
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
    live = _name_field(node) | _body_fields(scene, node)
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
            lambda: scene.cross_section(node),
            functools.partial(scene.set_cross_section, node),
        ),
        "linearVelocity": part(0),
        "angularVelocity": part(3),
    }


def _name_field(node: SceneNode) -> dict[str, Live]:
    return {
        "name": (lambda: node.name, functools.partial(setattr, node, "name"))
    }


def _robot_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    model, driver, data = node.model, node.settings, scene.custom_data
    return {
        "customData": (
            lambda: data.get(model, ""),
            functools.partial(data.__setitem__, model),
        ),
        "battery": (lambda: scene.battery(model, driver.battery), None),
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
    """Returns the field of a camera that a supervisor may change, too."""

    def widen(value: float) -> None:
        if not 0 < value < math.pi:
            raise InputError(
                f"{value:g} rad is not allowed; must be from 0 to pi"
            )
        scene.set_device_value(node, "field_of_view", value)

    return lambda: scene.device_value(node, "field_of_view"), widen


def _is_locked(scene: Scene, node: SceneNode) -> Live:
    """Returns whether something holds; a supervisor may change it, too."""
    name = scene.connector(node)

    def lock(value: bool) -> None:
        if node.settings.type == "passive":
            raise InputError("a passive Connector cannot be locked")
        scene.locked[name] = value
        scene.tell_device(node, "is_locked", value)

    return lambda: scene.locked[name], lock


def _motor_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    settings = functools.partial(scene.motor_settings, node)

    def command(kind: Kind, field: str, value: typing.Any) -> None:
        mended = _mended(scene.motor_node(node), node.name, field, value)
        scene.command_motor(node, kind, mended)

    def change(field: str, value: float) -> None:
        if field.endswith("position"):
            value = _beyond(scene, node, field, value)
        motor = scene.motor_node(node)
        mended = _mended(motor, node.name, field, value)
        scene.change_motor(node, dc.replace(motor, **{field: mended}))

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


def _beyond(scene: Scene, node: SceneNode, field: str, limit: float) -> float:
    """Returns a soft limit; the joint's position if that is beyond it (WbMotor.cpp)."""
    position = scene.physics.joint_position(node.joint, 0)
    bound = min if field == "min_position" else max
    return bound(limit, position)


def _mended(
    motor: MotorNode, name: str, field: str, value: typing.Any
) -> typing.Any:
    """Returns a motor's new value, after Webots' fallbacks as in a file.

    Raises:
        InputError: no motor can have it.
    """
    changed = dc.replace(motor, **{field: value})
    check_node(changed)
    return getattr(with_fallbacks(name, changed), field)


def _device_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    """Returns the fields of a device that act."""
    if node.type in (Node.ROTATIONAL_MOTOR, Node.LINEAR_MOTOR):
        return _motor_fields(scene, node)
    if node.type == Node.CAMERA:
        return {"fieldOfView": _field_of_view(scene, node)}
    if node.type == Node.CONNECTOR:
        return {"isLocked": _is_locked(scene, node)}
    if node.type == Node.VACUUM_GRIPPER:
        return {"isOn": _is_locked(scene, node)}
    return {}
