"""Parts of joints: parameters and devices, several axes, ends of loops."""

from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.joint_parameters import add_parameters, keeper_of
from webmotor_drake.worlds.joints import multi_axis, new_joint
from webmotor_drake.worlds.loops import close_loop, hold_end, is_plain, referred
from webmotor_drake.worlds.models import Joint, Link
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.robot_devices import add_of_joint
from webmotor_drake.worlds.solid_links import new_link


def equip(node: Node, joint: Joint, around: Around, *, dynamic: bool) -> None:
    """Adds parameters and devices of a joint."""
    model = around.model
    stands_for = f"{model.name}::{joint.name}"
    node.stands_for.append(stands_for)
    if len(joint.axes) == 1:
        for inside in node.nodes("jointParameters"):
            inside.stands_for.append(f"{stands_for}.jointParameters")
    add_parameters(node, joint, around, dynamic=dynamic)
    add_of_joint(node, around, joint.parts)


def add_axes(node: Node, joint: Joint, link: Link, around: Around) -> None:
    """Adds a joint of several axes, without its parts."""
    if len(joint.axes) > 1:
        of_axes = multi_axis(joint, link)
        table = "multi_axis_joints"
        keeper_of(around).put(table, joint.name, of_axes, node.place)


def close(node: Node, end: Node, around: Around) -> None:
    """Adds a joint to a SolidReference, which closes a loop."""
    model, parent = around.model, around.link
    child = referred(end, around)
    if child is None:
        add_of_joint(node, around)
        return
    if is_plain(node):
        close_loop(node, around, child)
        return
    X_UE = around.X_W.inverse() @ child.X_W
    joint = new_joint(node, end, parent, around, X_UE)
    equip(node, joint, around, dynamic=True)
    name = f"{joint.name} end"
    link = new_link(model, name, "kinematic", child.X_W, node, joint)
    hold_end(node, link, around, child)
    add_axes(node, joint, link, around)
