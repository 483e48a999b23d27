"""The surroundings of a node: its frame, body, model and Robot."""

import dataclasses as dc

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.worlds.models import NO_MODEL, NOWHERE, Link, Model, Robot
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import pose

# Largest length and angle that are computed with, m and rad.
FARTHEST = 1e6


@dc.dataclass(frozen=True)
class Around:
    """The surroundings of a node.

    Attributes:
        model: model that the node belongs to; NO_MODEL at the top of the world.
        X_W: pose in the world of the frame that the node is in.
        scale: scale of that frame, along x, y and z.
        link: body that the node's shapes belong to.
        dynamic: True if the Solid around it has Physics.
        above: True if any Solid around it has Physics.
        robot: Robot that devices belong to; None outside of any Robot.
        material: contactMaterial of the Solid around it.
        solid: the name of the Solid around it.
        grouped: True if it is in a group that supervisors look up.
        apart: True if a Solid of the scenery is a body of its own.
    """

    X_W: RigidTransform
    scale: np.ndarray
    model: Model = NO_MODEL
    link: Link = NOWHERE
    dynamic: bool = False
    above: bool = False
    robot: Robot | None = None
    material: str = "default"
    solid: str = ""
    grouped: bool = False
    apart: bool = False


def inside_of(node: Node, around: Around) -> Around:
    """Returns the surroundings of the children of a Pose, Group or Solid."""
    if node.type in ("Group", "Slot"):
        return around
    X = pose_of(node, around.scale)
    scale = np.array(node.numbers("scale", (1, 1, 1)))
    if not (scale > 0).all():
        text = (
            f"a scale of {' '.join(f'{s:g}' for s in scale)}; its size is taken"
        )
        node.place.add("changed", node.type, text)
        scale = np.where(scale == 0, 1.0, np.abs(scale))
    return dc.replace(around, X_W=around.X_W @ X, scale=around.scale * scale)


def pose_of(node: Node, scale: np.ndarray) -> RigidTransform:
    """Returns the pose of a node in the frame around it."""
    translation = point_of(node, "translation", scale)
    rotation = node.numbers("rotation", (0, 0, 1, 0))
    _check_nearness(node, "rotation", np.array(rotation))
    return pose(translation, rotation)


def point_of(node: Node, name: str, scale: np.ndarray) -> np.ndarray:
    """Returns a field that is a point in the frame around a node, m, shape (3,)."""
    point = scale * np.array(node.numbers(name, (0, 0, 0)))
    _check_nearness(node, name, point)
    return point


def _check_nearness(node: Node, name: str, values: np.ndarray) -> None:
    if not (abs(values) <= FARTHEST).all():
        raise node.fields[name].error(
            f"numbers beyond {FARTHEST:g} cannot be computed with"
        )


def position_of(node: Node, parameters: Node | None, axis: int) -> float:
    """Returns the saved position of an axis of a joint, rad or m.

    Raises:
        InputError: the position is too large; with its place.
    """
    if parameters is not None:
        q = parameters.number("position", 0.0)
    else:
        q = node.number(("position", "position2", "position3")[axis], 0.0)
    if abs(q) > FARTHEST:
        raise node.error(f"a position of {q:g} cannot be computed with")
    return q


def keeper_of(around: Around) -> Robot:
    """Returns the Robot that has a joint's parameters; a model without one gets one."""
    if around.robot is not None:
        return around.robot
    model = around.model
    if model.robot is None:
        assert model.place is not None
        model.robot = Robot(model.name, model.place)
    return model.robot
