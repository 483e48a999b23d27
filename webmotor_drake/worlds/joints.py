"""Joints: their axes and pose at position 0, stops, springs and ends of loops."""

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.nodes import BallJoint, Hinge2Joint, JointParameters
from webmotor_drake.nodes.joints import Loop
from webmotor_drake.worlds.around import (
    Around,
    keeper_of,
    point_of,
    pose_of,
    position_of,
)
from webmotor_drake.worlds.devices import add_of_joint, read_node
from webmotor_drake.worlds.models import WORLD, Joint, Link, unique
from webmotor_drake.worlds.node_kinds import (
    SOLIDS,
    devices_in,
    leave_out,
    name_of,
    parameters_of,
)
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short, turn, webots_pose

# Kinds of joints in a model, by Webots' nodes.
_KINDS = {
    "HingeJoint": "revolute",
    "SliderJoint": "prismatic",
    "Hinge2Joint": "hinge2",
    "BallJoint": "ball",
}
# An axis with a larger component gives no direction.
_LARGEST = 1e12
# Joints whose first axis has a suspension.
_SUSPENDED = ("HingeJoint", "Hinge2Joint")
# Parameters whose magnitude Webots takes.
_MAGNITUDES = ("spring_constant", "damping_constant", "static_friction")
# WorldInfo's defaults of CFM and ERP.
_CFM, _ERP = 1e-5, 0.2


def end_point(node: Node) -> Node | None:
    """Returns the Solid at the end of a joint, through Slots."""
    end = node.node("endPoint")
    while end is not None and end.type == "Slot":
        end = end.node("endPoint")
    if end is not None and end.type not in SOLIDS | {"SolidReference"}:
        leave_out(end)
        return None
    return end


def new_joint(
    node: Node,
    end: Node,
    parent: Link,
    around: Around,
    X_UE: RigidTransform | None = None,
) -> Joint:
    """Returns a joint; its pose at position 0 is computed from the saved pose.

    Args:
        node: the joint.
        end: its endPoint.
        parent: inboard body of the joint.
        around: surroundings of the joint.
        X_UE: saved pose of the end in the joint's frame; None: read from the endPoint.
    """
    model = around.model
    X_PU = parent.X_W.inverse() @ around.X_W
    if X_UE is None:
        X_UE = pose_of(end, around.scale)
    slides = node.type == "SliderJoint"
    parameters = parameters_of(node)
    axes = _joint_axes(node, parameters)
    positions = [
        position_of(node, given, axis) for axis, given in enumerate(parameters)
    ]
    anchor = np.zeros(3) if slides else _anchor_of(parameters[0], around)
    if slides:
        offset = positions[0] * axes[0] * around.scale
        X_UE0 = RigidTransform(X_UE.rotation(), X_UE.translation() - offset)
    else:
        X_UE0 = X_UE
        # The first axis carries the others: its turn is undone first.
        for axis, q in zip(axes, positions, strict=True):
            R, p = turn(axis, -q), X_UE0.translation()
            turned = R @ X_UE0.rotation()
            X_UE0 = RigidTransform(turned, R @ (p - anchor) + anchor)
    if slides and not (around.scale == 1).all():
        positions = [positions[0] * float(around.scale.max())]
    word = "slider" if slides else "hinge"
    ends = end.text("solidName") or name_of(end)
    name = node.definition or f"{ends} {word}"
    return Joint(
        unique(name, model.names),
        _KINDS[node.type],
        parent,
        X_PU @ X_UE0,
        node.place,
        X_PU @ anchor,
        [X_PU.rotation() @ axis for axis in axes],
        positions,
    )


def _anchor_of(parameters: Node | None, around: Around) -> np.ndarray:
    if parameters is None:
        return np.zeros(3)
    return point_of(parameters, "anchor", around.scale)


def _joint_axes(node: Node, parameters: list[Node | None]) -> list[np.ndarray]:
    """Returns the unit vectors of a joint's axes in its frame.

    A zero axis is replaced by the default, as in Webots.
    """

    def given(number: int, default: list[float]) -> np.ndarray:
        parameter = parameters[number] if number < len(parameters) else None
        axis = np.array(default, dtype=float)
        if parameter is not None:
            axis = np.array(parameter.numbers("axis", default))
        largest = abs(axis).max()
        if not 1e-9 < largest < _LARGEST:
            return np.array(default, dtype=float)
        axis = axis / largest
        return axis / np.linalg.norm(axis)

    if node.type == "HingeJoint":
        return [given(0, [1, 0, 0])]
    if node.type == "SliderJoint":
        return [given(0, [0, 0, 1])]
    if node.type == "Hinge2Joint":
        return [given(0, [1, 0, 0]), given(1, [0, 0, 1])]
    second, third = parameters[1], parameters[2]
    first, last = given(1, [1, 0, 0]), given(2, [0, 0, 1])
    if second is not None and third is None:
        last = _across(first, [0, 0, 1], [1, 0, 0])
    elif second is None and third is not None:
        first = _across(last, [1, 0, 0], [0, 0, 1])
    middle = np.cross(last, first)
    if not np.linalg.norm(middle):
        first, last = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
        middle = np.cross(last, first)
    return [first, middle / np.linalg.norm(middle), last]


def _across(
    axis: np.ndarray, other: list[float], instead: list[float]
) -> np.ndarray:
    cross = np.cross(axis, other)
    if not np.linalg.norm(cross):
        cross = np.cross(axis, instead)
    return cross / np.linalg.norm(cross)


def equip(node: Node, joint: Joint, around: Around, *, dynamic: bool) -> None:
    """Adds parameters and devices of a joint."""
    model = around.model
    stands_for = f"{model.name}::{joint.name}"
    node.stands_for.append(stands_for)
    if len(joint.axes) == 1:
        for inside in node.nodes("jointParameters"):
            inside.stands_for.append(f"{stands_for}.jointParameters")
    _add_parameters(node, joint, around, dynamic=dynamic)
    add_of_joint(node, around, joint.parts)


def _add_parameters(
    node: Node, joint: Joint, around: Around, *, dynamic: bool
) -> None:
    """Adds stops, springs, dampers, friction and suspension."""
    robot, parameters = keeper_of(around), parameters_of(node)
    R_PU = (joint.parent.X_W.inverse() @ around.X_W).rotation()
    if node.type == "BallJoint" and parameters[1:] == [None, None]:
        parameters = [parameters[0]] * 3
    for name, given in zip(joint.parts, parameters, strict=True):
        place = given.place if given is not None else node.place
        read = JointParameters()
        if given is not None:
            read = read_node(JointParameters, given)
            for field in _MAGNITUDES:
                setattr(read, field, abs(getattr(read, field)))
            _note_axis_and_stops(given, has_stops=read.has_stops)
        read.kinematic = not dynamic
        if read.has_suspension:
            axis = np.array(read.suspension_axis)
            is_first = name == joint.parts[0] and node.type in _SUSPENDED
            if is_first and dynamic and axis.any():
                read.suspension_axis = [*map(short, R_PU @ axis)]
            else:
                place.add("left out", "suspension", "the joint is rigid there")
                read.suspension_spring_constant = 0.0
                read.suspension_damping_constant = 0.0
        acts = read.has_stops or read.has_effort or read.has_suspension
        if acts or not dynamic:
            robot.put("joints", name, read, place)
    if not dynamic:
        text = "its endPoint has no Physics: the motor simply moves it"
        node.place.add("kinematic", joint.parts[0], text)


def _note_axis_and_stops(given: Node, *, has_stops: bool) -> None:
    """Reports a zero axis, and soft stops, which Drake does not have."""
    axis = given.fields.get("axis")
    if axis is not None and not any(axis.items):
        text = "it is 0; the default is taken, as in Webots"
        axis.place.add("changed", "axis", text)
    erp, cfm = (given.number(f"stop{name}", -1.0) for name in ("ERP", "CFM"))
    if not has_stops or (erp < 0 and cfm < 0):  # not given: the engine's own
        return
    give = (cfm if cfm >= 0 else _CFM) / (erp if erp > 0 else _ERP)
    soft = f"Webots' give way by {give:g} times its time step (s)"
    text = f"stops are hard; {soft}, in rad per N m or m per N"
    given.place.add("left out", "stopCFM, stopERP", text)


def add_axes(node: Node, joint: Joint, link: Link, around: Around) -> None:
    """Adds a joint of two or three axes to the driver; does nothing for one axis."""
    if len(joint.axes) < 2:
        return
    zero = webots_pose(joint.X_PC)
    axes = [[*map(short, axis)] for axis in joint.axes]
    is_ball = joint.kind == "ball"
    made = (BallJoint if is_ball else Hinge2Joint)(
        parent=joint.parent.name,
        child=link.name,
        anchor=[*map(short, joint.anchor)],
        translation=zero.translation,
        rotation=zero.rotation,
        axis=axes[0],
        **{"axis3" if is_ball else "axis2": axes[-1]},
    )
    keeper_of(around).put("multi_axis_joints", joint.name, made, node.place)


def close(node: Node, end: Node, around: Around) -> None:
    """Adds a joint to a SolidReference, which closes a loop."""
    model, parent = around.model, around.link
    child = _referred(end, around)
    if child is None:
        add_of_joint(node, around)
        return
    if node.type in ("HingeJoint", "BallJoint") and not devices_in(node):
        _close_loop(node, around, child)
        return
    X_UE = around.X_W.inverse() @ child.X_W
    joint = new_joint(node, end, parent, around, X_UE)
    equip(node, joint, around, dynamic=True)
    name = f"{joint.name} end"
    link = model.add_link(name, "kinematic", child.X_W, node.place, joint)
    # A weld fixes the child to the small body at the joint's end, at the same pose.
    key = unique(f"{child.name} loop", model.names)
    loop = Loop(type="fixed", parent=link.name, child=child.name)
    keeper_of(around).put("loops", key, loop, node.place)
    add_axes(node, joint, link, around)


def _referred(end: Node, around: Around) -> Link | None:
    """Returns the body of a SolidReference; None if it is missing or cannot move."""
    model, parent = around.model, around.link
    name = end.text("solidName")
    if name == "<static environment>":
        child = WORLD
    elif name in model.solids:
        child = model.solids[name][0]
    else:
        text = "no Solid of that name is in this one"
        end.place.add("left out", f"SolidReference {name}", text)
        return None
    # A loop needs two bodies that can move against each other.
    apart = child is not parent and {parent.kind, child.kind} != {"static"}
    return child if apart else None


def _close_loop(node: Node, around: Around, child: Link) -> None:
    """Closes a loop by constraints; its zero is the pose in the file."""
    model, parent = around.model, around.link
    parameters = node.node("jointParameters")
    p_W = around.X_W @ _anchor_of(parameters, around)
    axis_W = around.X_W.rotation() @ _joint_axes(node, [parameters] * 3)[0]
    X_PW, X_CW = parent.X_W.inverse(), child.X_W.inverse()
    key = unique(node.definition or f"{child.name} loop", model.names)
    loop = Loop(
        type="hinge" if node.type == "HingeJoint" else "ball",
        parent=parent.name,
        child=child.name,
        anchor=[*map(short, X_PW @ p_W)],
        axis=[*map(short, X_PW.rotation() @ axis_W)],
        child_anchor=[*map(short, X_CW @ p_W)],
        child_axis=[*map(short, X_CW.rotation() @ axis_W)],
    )
    keeper_of(around).put("loops", key, loop, node.place)
