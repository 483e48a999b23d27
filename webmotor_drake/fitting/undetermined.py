"""Parameters that experiments do not tell apart, and the experiments that would."""

from collections.abc import Sequence

import numpy as np

from webmotor_drake.fitting.parameter import Parameter

# Parameters are told apart unless a change of them together is seen so many times less
# than each alone (Belsley, Kuh and Welsch call 30 strong).
_TOLD_APART = 30.0
# Who takes part in what is not determined, as a share of the largest.
_PART = 0.2
# So many of them are named.
_NAMED = 4
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


def _experiment_for(fields: Sequence[str]) -> str:
    """Returns the experiment that tells fields of parameters apart; "" if unknown."""
    counts = [len(alike & set(fields)) for alike, _ in _APART]
    best = int(np.argmax(counts))
    return _APART[best][1] if counts[best] > 1 else ""


def combinations(
    parameters: list[Parameter], jacobian: np.ndarray, unsure: np.ndarray
) -> list[str]:
    """Returns the combinations that the data does not see, in words.

    Args:
        parameters: those that it sees each alone, P of them.
        jacobian: by their values, shape (R, P).
        unsure: truth values, whether the data says little of them, shape (P,).
    """
    scale = np.linalg.norm(jacobian, axis=0)
    _, strengths, directions = np.linalg.svd(
        jacobian / scale, full_matrices=False
    )
    words = []
    for strength, direction in zip(strengths, directions, strict=True):
        if strength * _TOLD_APART > strengths[0]:
            continue
        change = direction / scale
        sharing = np.abs(direction) > _PART * np.abs(direction).max()
        if not (sharing & unsure).any():
            continue
        order = [
            i for i in np.argsort(-np.abs(direction)).tolist() if sharing[i]
        ]
        words.append(_told([parameters[i] for i in order], change[order]))
    return words


def _told(parameters: list[Parameter], change: np.ndarray) -> str:
    """Describes a change of several parameters that the data does not show."""
    names = [p.name for p in parameters]
    if len(names) == 1:
        return f"{names[0]}: hardly seen beside the others"
    # A tenth of the bounds, for the one that is then changed most.
    spans = np.array([p.high - p.low for p in parameters])
    change = change * np.sign(change[0]) * 0.1 / np.abs(change / spans).max()
    parts = [
        f"{p.name} {'raised' if c > 0 else 'lowered'} by"
        f" {abs(c):.2g} {p.unit}".rstrip()
        for p, c in zip(parameters, change, strict=True)
    ]
    wanted = _experiment_for([_field(p) for p in parameters])
    return (
        f"{_joined(names)} cannot be told apart: {_joined(parts)} looks nearly the"
        f" same{wanted and f'; {wanted}'}"
    )


def _field(parameter: Parameter) -> str:
    return next(str(k) for k in parameter.paths[0][::-1] if isinstance(k, str))


def _joined(parts: list[str]) -> str:
    """Returns "a, b and c"; of more than four "a, b, c, d and 3 more"."""
    *some, last = parts
    if len(parts) > _NAMED:
        some, last = parts[:_NAMED], f"{len(parts) - _NAMED} more"
    return f"{', '.join(some)} and {last}"
