"""Ends a run whose positions are no longer numbers, and names the joint."""

import math

import numpy as np

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.errors import SimulationError


def check_positions(q: np.ndarray, now: float, model: ModelMotors) -> None:
    """Checks that the joints' positions are finite.

    Args:
        q: shape (n,), rad or m.
        now: s.
        model: the motors.

    Raises:
        SimulationError: one is not; it names joint and motor.
    """
    if math.isfinite(sum(q.tolist())):
        return
    i = int(np.flatnonzero(~np.isfinite(q))[0])
    raise SimulationError(
        f"at {now:.6g} s the position of joint {model.joints[i].name()} (motor"
        f" {list(model.motors)[i]}) is {q[i]}"
    )
