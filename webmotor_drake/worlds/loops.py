"""Joints that close loops: those whose endPoint is a SolidReference."""

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.nodes.joints import Loop
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.joint_axes import joint_axes
from webmotor_drake.worlds.joint_parameters import keeper_of
from webmotor_drake.worlds.models import unique
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.report import Report


def close_loop(node: Node, end: Node, around: Around, report: Report) -> None:
    """Closes a loop: a joint whose endPoint is a SolidReference.

    Its zero is the pose in the file.
    """
    model, parent = around.model, around.link
    assert model is not None
    assert parent is not None
    name = end.text("solidName")
    kind = {"HingeJoint": "hinge", "BallJoint": "ball"}.get(node.type)
    static = name == "<static environment>"
    if kind is None or (not static and name not in model.solids):
        report.add(
            "left out",
            f"SolidReference {name}",
            end.place,
            f"a {node.type} that closes a loop is not simulated"
            if kind is None
            else "no Solid of that name is in this one",
        )
        return
    child = None if static else model.solids[name][0]
    if child is parent or {
        parent.kind,
        "static" if child is None else child.kind,
    } == {"static"}:
        return  # they cannot move against each other
    parameters = node.node("jointParameters")
    anchor = np.zeros(3)
    if parameters is not None:
        given = parameters.numbers("anchor", (0, 0, 0))
        anchor = around.scale * np.array(given)
    p_W = around.X_W @ anchor
    axis_W = around.X_W.rotation() @ joint_axes(node, [parameters] * 3)[0]
    X_WC = RigidTransform() if child is None else child.X_W
    X_PW, X_CW = parent.X_W.inverse(), X_WC.inverse()
    robot = keeper_of(around)
    key = unique(node.definition or f"{name} loop", model.names)
    robot.loops[key] = Loop(
        type=kind,
        parent=parent.name,
        child="world" if child is None else child.name,
        anchor=[*map(short, X_PW @ p_W)],
        axis=[*map(short, X_PW.rotation() @ axis_W)],
        child_anchor=[*map(short, X_CW @ p_W)],
        child_axis=[*map(short, X_CW.rotation() @ axis_W)],
    )
    robot.places["loops", key] = node.place
