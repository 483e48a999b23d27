"""Joints that close loops: those whose endPoint is a SolidReference."""

from webmotor_drake.nodes.joints import Loop
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.joint_parameters import keeper_of
from webmotor_drake.worlds.joints import anchor_of, joint_axes
from webmotor_drake.worlds.models import WORLD, Link, unique
from webmotor_drake.worlds.node_kinds import devices_in
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short


def referred(end: Node, around: Around) -> Link | None:
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


def is_plain(node: Node) -> bool:
    """Returns whether a joint is constraints only: hinges, balls, without devices."""
    return node.type in ("HingeJoint", "BallJoint") and not devices_in(node)


def close_loop(node: Node, around: Around, child: Link) -> None:
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


def hold_end(node: Node, link: Link, around: Around, child: Link) -> None:
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
