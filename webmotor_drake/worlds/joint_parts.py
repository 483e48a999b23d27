"""Parts of joints: stops, springs and devices, several axes, ends of loops."""

import numpy as np
from pydrake.math import RotationMatrix

from webmotor_drake.nodes import JointParameters
from webmotor_drake.nodes.joints import Loop
from webmotor_drake.worlds.around import Around, keeper_of
from webmotor_drake.worlds.devices import read_parameters
from webmotor_drake.worlds.joints import (
    anchor_of,
    joint_axes,
    multi_axis,
    new_joint,
    parameters_of,
)
from webmotor_drake.worlds.models import WORLD, Joint, Link, unique
from webmotor_drake.worlds.node_kinds import devices_in
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.robot_devices import add_of_joint
from webmotor_drake.worlds.solid_links import new_link

# Joints whose first axis has a suspension.
_SUSPENDED = ("HingeJoint", "Hinge2Joint")
_RIGID = "the joint is rigid there"
# Of what does not say it: WorldInfo's defaults.
_CFM, _ERP = 1e-5, 0.2


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
        read = read_parameters(given)
        if given is not None:
            _note_axis_and_stops(given, has_stops=read.has_stops)
        read.kinematic = not dynamic
        if read.has_suspension:
            is_first = name == joint.parts[0] and node.type in _SUSPENDED
            if not (is_first and _turn_suspension(read, R_PU)):
                place.add("left out", "suspension", _RIGID)
                read.suspension_spring_constant = 0.0
                read.suspension_damping_constant = 0.0
        if (
            read.kinematic
            or read.has_stops
            or read.has_effort
            or read.has_suspension
        ):
            robot.put("joints", name, read, place)
    if not dynamic:
        node.place.add(
            "kinematic",
            joint.parts[0],
            "its endPoint has no Physics: the motor simply moves it",
        )


def _note_axis_and_stops(given: Node, *, has_stops: bool) -> None:
    """Reports an axis that is no direction, and soft stops, which Drake has not."""
    axis = given.fields.get("axis")
    if axis is not None and not any(axis.items):
        text = "it is 0; the default is taken, as in Webots"
        axis.place.add("changed", "axis", text)
    erp, cfm = (given.number(f"stop{name}", -1.0) for name in ("ERP", "CFM"))
    if not has_stops or (erp < 0 and cfm < 0):  # the engine's own
        return
    give = (cfm if cfm >= 0 else _CFM) / (erp if erp > 0 else _ERP)
    given.place.add(
        "left out",
        "stopCFM, stopERP",
        f"stops are hard; Webots' give way by {give:g} times its time step (s), in rad"
        " per N m or m per N",
    )


def _turn_suspension(read: JointParameters, R_PU: RotationMatrix) -> bool:
    """Turns a suspension's axis into the frame of the body; False: it has none."""
    axis = np.array(read.suspension_axis)
    if read.kinematic or not axis.any():
        return False
    read.suspension_axis = [*map(short, R_PU @ axis)]
    return True


def add_axes(node: Node, joint: Joint, link: Link, around: Around) -> None:
    """Adds a joint of several axes, without its parts."""
    if len(joint.axes) > 1:
        of_axes = multi_axis(joint, link)
        table = "multi_axis_joints"
        keeper_of(around).put(table, joint.name, of_axes, node.place)


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
    link = new_link(model, name, "kinematic", child.X_W, node, joint)
    # The child is fixed to the small body at the joint's end, which is where it is.
    key = unique(f"{child.name} loop", model.names)
    loop = Loop(type="fixed", parent=link.name, child=child.name)
    keeper_of(around).put("loops", key, loop, node.place)
    add_axes(node, joint, link, around)


def _referred(end: Node, around: Around) -> Link | None:
    """Returns the body of a SolidReference; None, reported, if there is none."""
    model, parent = around.model, around.link
    name = end.text("solidName")
    if name == "<static environment>":
        child = WORLD
    elif name in model.solids:
        child = model.solids[name][0]
    else:
        end.place.add(
            "left out",
            f"SolidReference {name}",
            "no Solid of that name is in this one",
        )
        return None
    # Else they cannot move against each other.
    apart = child is not parent and {parent.kind, child.kind} != {"static"}
    return child if apart else None


def _close_loop(node: Node, around: Around, child: Link) -> None:
    """Closes a loop by constraints; its zero is the pose in the file."""
    model, parent = around.model, around.link
    parameters = node.node("jointParameters")
    p_W = around.X_W @ anchor_of(parameters, around)
    axis_W = around.X_W.rotation() @ joint_axes(node, [parameters] * 3)[0]
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
