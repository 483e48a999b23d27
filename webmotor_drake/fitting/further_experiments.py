"""The experiments that would tell parameters apart which these do not."""

from collections.abc import Sequence

import numpy as np

# By the fields that look alike.
_APART = (
    (
        {"kd", "viscous", "damping_constant", "cfm"},
        "a drop with the torque off shows friction without the loop's damping (drop.csv"
        " of --excite)",
    ),
    (
        {"reflected_inertia", "motor_inertia", "kp", "control_pid", "delay"},
        "a second load of known mass tells inertia and gains apart, moved fast"
        " (chirp.csv of --excite)",
    ),
    (
        {"coulomb", "static_friction", "stribeck", "kp", "torque_constant"},
        "slow triangles, with two known loads, tell friction from torque"
        " (triangles.csv of --excite)",
    ),
    (
        {"motor_load", "external_load", "coulomb", "stall_torque"},
        "three known loads, moved up and down, tell its parts apart",
    ),
)


def experiment_for(fields: Sequence[str]) -> str:
    """Returns the experiment that tells fields of parameters apart; "" if unknown."""
    counts = [len(alike & set(fields)) for alike, _ in _APART]
    best = int(np.argmax(counts))
    return _APART[best][1] if counts[best] > 1 else ""
