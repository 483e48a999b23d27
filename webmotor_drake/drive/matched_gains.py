"""PD gains that follow a target as a Webots motor does.

A Webots motor without load follows its target as v = P (target - q) - D v, since its
servo reaches the commanded velocity within one motor period h. So its pole is -p with
p = P / (1 + D), and the servo's own time constant is h. A PD controller on an inertia
I has the poles of I s^2 + kd s + kp. They are -p and -1/h with

    kp = I p / h,    kd = I (p + 1/h).

I is the inertia that the joint's motor has to move at the start, while the other
motors' joints stand still and joints without a motor are free to move. An integral gain
has no counterpart.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.nodes.motors import MotorNode


def matched_gains(
    nodes: Iterable[MotorNode], inertia: np.ndarray, period: float
) -> tuple[np.ndarray, np.ndarray]:
    """Returns kp and kd of n motors, shape (n,) each; see the module.

    Args:
        nodes: the motors.
        inertia: inertia felt at their joints, shape (n,), kg m^2 or kg.
        period: h, s.
    """
    pole, fast = poles(nodes, period)
    return inertia * pole * fast, inertia * (pole + fast)


def poles(
    nodes: Iterable[MotorNode], period: float
) -> tuple[np.ndarray, float]:
    """Returns p of each motor, shape (n,), and 1/h, both 1/s."""
    p, _, d = np.array([node.control_pid for node in nodes]).T
    return p / (1 + d), 1 / period


def felt_inertia(
    plant: MultibodyPlant, context: Context, driven: Sequence[int]
) -> np.ndarray:
    """Returns the inertia felt at each driven joint, kg m^2 or kg.

    The other driven joints stand still, all others are free to move.

    Args:
        plant: the finalized plant.
        context: its Context.
        driven: velocity indices of the driven joints, n of them.
    """
    M = plant.CalcMassMatrix(context)
    free = np.setdiff1d(np.arange(len(M)), driven)
    inertia = []
    for i in driven:
        felt = M[i, i]
        if free.size:
            felt -= M[i, free] @ np.linalg.solve(
                M[np.ix_(free, free)], M[free, i]
            )
        inertia.append(felt)
    return np.array(inertia)
