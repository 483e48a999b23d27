"""Parts of joints: parameters and devices, several axes, ends of loops."""

from webmotor_drake.nodes.joints import Loop
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.joint_parameters import add_parameters, keeper_of
from webmotor_drake.worlds.joints import (
    anchor_of,
    joint_axes,
    multi_axis,
    new_joint,
)
from webmotor_drake.worlds.models import WORLD, Joint, Link, unique
from webmotor_drake.worlds.node_kinds import devices_in
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
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
    child = _referred(end, around)
    if child is None:
        add_of_joint(node, around)
        return
    if _is_plain(node):
        _close_loop(node, around, child)
        return
    X_UE = around.X_W.inverse() @ child.X_W
    joint = new_joint(node, end, parent, around, X_UE)
    equip(node, joint, around, dynamic=True)
    name = f"{joint.name} end"
    link = new_link(model, name, "kinematic", child.X_W, node, joint)
    _hold_end(node, link, around, child)
    add_axes(node, joint, link, around)


def _referred(end: Node, around: Around) -> Link | None:
    """Returns the body that a SolidReference names; None, reported, if there is none.

    The static environment is a body at the world's origin that is in no model.
    """
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


def _is_plain(node: Node) -> bool:
    """Returns whether a joint is constraints only: hinges, balls, without devices."""
    return node.type in ("HingeJoint", "BallJoint") and not devices_in(node)


def _close_loop(node: Node, around: Around, child: Link) -> None:
    """Closes a loop by constraints; its zero is the pose in the file.

    Args:
        node: a hinge or a ball.
        around: its surroundings.
        child: the body of its SolidReference.
    """
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


def _hold_end(node: Node, link: Link, around: Around, child: Link) -> None:
    """Closes a loop whose joint ends in a small body, which the child is fixed to.

    Args:
        node: the joint.
        link: the small body, where the child is.
        around: the joint's surroundings.
        child: the body of its SolidReference.
    """
    key = unique(f"{child.name} loop", around.model.names)
    loop = Loop(type="fixed", parent=link.name, child=child.name)
    keeper_of(around).put("loops", key, loop, node.place)
