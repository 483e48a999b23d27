"""Axes of Webots' joints (WbHingeJoint.cpp, WbBallJoint.cpp)."""

import numpy as np

from webmotor_drake.worlds.nodes import Node

# What is larger or smaller is no direction.
_LARGEST = 1e12


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
