"""Joints that close loops: those whose endPoint is a SolidReference."""

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.nodes.joints import Loop
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.joint_axes import joint_axes
from webmotor_drake.worlds.joint_parameters import keeper_of
from webmotor_drake.worlds.models import Link, unique
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.report import Report


def referred(end: Node, around: Around, report: Report) -> Link | None:
    """Returns the body that a SolidReference names; None, reported, if there is none.

    The static environment is a body at the world's origin that is in no model.
    """
    model, parent = around.model, around.link
    assert model is not None
    assert parent is not None
    name = end.text("solidName")
    if name == "<static environment>":
        child = Link("world", "static", RigidTransform(), None)
    elif name in model.solids:
        child = model.solids[name][0]
    else:
        report.add(
            "left out",
            f"SolidReference {name}",
            end.place,
            "no Solid of that name is in this one",
        )
        return None
    # Else they cannot move against each other.
    apart = child is not parent and {parent.kind, child.kind} != {"static"}
    return child if apart else None


def is_plain(node: Node) -> bool:
    """Returns whether a joint is constraints only: hinges, balls, without devices."""
    devices = any(node.nodes(f) for f in ("device", "device2", "device3"))
    return node.type in ("HingeJoint", "BallJoint") and not devices


def close_loop(node: Node, around: Around, child: Link) -> None:
    """Closes a loop by constraints; its zero is the pose in the file.

    Args:
        node: a hinge or a ball.
        around: its surroundings.
        child: the body of its SolidReference.
    """
    model, parent = around.model, around.link
    assert model is not None
    assert parent is not None
    parameters = node.node("jointParameters")
    anchor = np.zeros(3)
    if parameters is not None:
        given = parameters.numbers("anchor", (0, 0, 0))
        anchor = around.scale * np.array(given)
    p_W = around.X_W @ anchor
    axis_W = around.X_W.rotation() @ joint_axes(node, [parameters] * 3)[0]
    X_PW, X_CW = parent.X_W.inverse(), child.X_W.inverse()
    robot = keeper_of(around)
    key = unique(node.definition or f"{child.name} loop", model.names)
    robot.loops[key] = Loop(
        type="hinge" if node.type == "HingeJoint" else "ball",
        parent=parent.name,
        child=child.name,
        anchor=[*map(short, X_PW @ p_W)],
        axis=[*map(short, X_PW.rotation() @ axis_W)],
        child_anchor=[*map(short, X_CW @ p_W)],
        child_axis=[*map(short, X_CW.rotation() @ axis_W)],
    )
    robot.places["loops", key] = node.place


def hold_end(node: Node, link: Link, around: Around, child: Link) -> None:
    """Closes a loop whose joint ends in a small body, which the child is fixed to.

    Args:
        node: the joint.
        link: the small body, where the child is.
        around: the joint's surroundings.
        child: the body of its SolidReference.
    """
    model, robot = around.model, keeper_of(around)
    assert model is not None
    key = unique(f"{child.name} loop", model.names)
    robot.loops[key] = Loop(type="fixed", parent=link.name, child=child.name)
    robot.places["loops", key] = node.place
