"""From a joint node to a joint: its axes, and its pose at position 0."""

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.nodes import BallJoint, Hinge2Joint
from webmotor_drake.worlds.around import FARTHEST, Around, point_of, pose_of
from webmotor_drake.worlds.models import Joint, Link, unique
from webmotor_drake.worlds.node_kinds import SOLIDS, leave_out, name_of
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import about, short, turn, webots_pose

# Their names in a model.
_KINDS = {
    "HingeJoint": "revolute",
    "SliderJoint": "prismatic",
    "Hinge2Joint": "hinge2",
    "BallJoint": "ball",
}
# What is larger or smaller is no direction.
_LARGEST = 1e12


def parameters_of(node: Node) -> list[Node | None]:
    """Returns the jointParameters of a joint, one per axis."""
    parameters = [node.node("jointParameters")]
    if node.type in ("Hinge2Joint", "BallJoint"):
        parameters.append(node.node("jointParameters2"))
    if node.type == "BallJoint":
        parameters.append(node.node("jointParameters3"))
    return parameters


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
    """Returns a joint, its pose at position 0 undone from the saved one.

    Args:
        node: the joint.
        end: its endPoint.
        parent: the body that it hangs on.
        around: its surroundings.
        X_UE: the saved pose of the end in the joint's frame; None: the endPoint's.
    """
    model = around.model
    X_PU = parent.X_W.inverse() @ around.X_W
    if X_UE is None:
        X_UE = pose_of(end, around.scale)
    slides = node.type == "SliderJoint"
    parameters = parameters_of(node)
    axes = joint_axes(node, parameters)
    positions = [
        position_of(node, given, axis) for axis, given in enumerate(parameters)
    ]
    anchor = np.zeros(3) if slides else anchor_of(parameters[0], around)
    if slides:
        offset = positions[0] * axes[0] * around.scale
        X_UE0 = RigidTransform(X_UE.rotation(), X_UE.translation() - offset)
    else:
        X_UE0 = X_UE
        # The first axis carries the others: its turn is undone first.
        for axis, q in zip(axes, positions, strict=True):
            X_UE0 = about(turn(axis, -q), anchor, X_UE0)
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


def position_of(node: Node, parameters: Node | None, axis: int) -> float:
    """Returns the saved position of an axis of a joint, rad or m.

    Raises:
        InputError: it cannot be computed with; with its place.
    """
    if parameters is not None:
        q = parameters.number("position", 0.0)
    else:
        q = node.number(("position", "position2", "position3")[axis], 0.0)
    if abs(q) > FARTHEST:
        raise node.error(f"a position of {q:g} cannot be computed with")
    return q


def anchor_of(parameters: Node | None, around: Around) -> np.ndarray:
    """Returns the anchor of a joint in the frame around it, m, shape (3,)."""
    if parameters is None:
        return np.zeros(3)
    return point_of(parameters, "anchor", around.scale)


def multi_axis(joint: Joint, child: Link) -> Hinge2Joint | BallJoint:
    """Returns a joint of several axes as a scenario has it."""
    zero = webots_pose(joint.X_PC)
    axes = [[*map(short, axis)] for axis in joint.axes]
    shared = {
        "parent": joint.parent.name,
        "child": child.name,
        "anchor": [*map(short, joint.anchor)],
        "translation": zero.translation,
        "rotation": zero.rotation,
        "axis": axes[0],
    }
    if joint.kind == "hinge2":
        return Hinge2Joint(**shared, axis2=axes[1])
    return BallJoint(**shared, axis3=axes[2])


def joint_axes(node: Node, parameters: list[Node | None]) -> list[np.ndarray]:
    """Returns the axes of a joint in its frame, of length 1.

    A zero axis is the default one, as in Webots.
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
