"""A motor before a spring: what the spring transmits in a step, and where it ends.

The motor's own inertia is eliminated in closed form: for each velocity that the link
may have at the end of the step there is one of the motor, by the implicit Euler method,
as if its gear were a body of the plant. So spring and backlash need no bodies, and are
stable for any stiffness and any step.
"""

from collections.abc import Callable

import numpy as np

from webmotor_drake.motor.models.parameters import ModelRows

# From a motor's end velocity to its effort, what that falls by per velocity, and what
# it falls by per velocity of the link.
Law = Callable[[np.ndarray], tuple[np.ndarray, ...]]
# From it to what the spring pulls back with, and what that grows by.
Pull = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
# Newton's steps, and bisections where they lead nowhere.
_TURNS = 60
_EXACT = 1e-13


def spring(
    rows: ModelRows,
    stretch: np.ndarray,
    rate: np.ndarray,
    step: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the spring's effort on the link, and what it grows by per `rate`.

    Within the backlash it transmits nothing; beyond it never pulls. The damper works
    on what the step adds to the contact, so the effort never jumps with the velocity.

    Args:
        rows: the parameters.
        stretch: motor less link at the end of the step, shape (n,), rad or m.
        rate: how fast it changes, shape (n,), rad/s or m/s.
        step: s.
    """
    beyond = stretch - np.clip(stretch, -rows.gap, rows.gap)
    began = stretch - step * rate
    began -= np.clip(began, -rows.gap, rows.gap)
    # Contact on the other side, which the step has left, damps nothing here.
    began = np.where(began * beyond > 0, began, 0.0)
    play = rows.gap > 0
    grows = np.where(play, (beyond - began) / step, rate)
    effort = rows.stiffness * beyond + rows.damping * grows
    touches = ~play | (effort * beyond > 0)
    gain = rows.damping + step * rows.stiffness
    return np.where(touches, effort, 0.0), np.where(touches, gain, 0.0)


def motor_velocity(
    rows: ModelRows,
    law: Law,
    pull: Pull,
    speed: np.ndarray,
    friction: np.ndarray,
    step: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the motor's velocity at the end of a step, and how softly it turns.

    Args:
        rows: the parameters.
        law: the motor's.
        pull: the spring's.
        speed: the motor's velocity at the start, shape (n,), rad/s or m/s.
        friction: what holds the motor, shape (n,), N m or N.
        step: s.

    Returns:
        The velocity, and what it grows by per effort on it, shape (n,) each.
    """
    inertia = rows.inertia / step

    def missing(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        effort, drop, _ = law(w)
        pulled, gain = pull(w)
        need = inertia * (w - speed) - effort + pulled + rows.viscous * w
        return need, inertia + drop + gain + rows.viscous

    need, slope = missing(np.zeros_like(speed))
    sticks = np.abs(need) <= friction
    shift = np.where(need > 0, -friction, friction)
    far = -(need + shift) / inertia
    low, high = np.minimum(far, 0.0), np.maximum(far, 0.0)
    w = np.clip(-(need + shift) / slope, low, high)
    for _ in range(_TURNS):
        need, slope = missing(w)
        need += shift
        low = np.where(need < 0, w, low)
        high = np.where(need > 0, w, high)
        change = need / slope
        if (np.abs(change) <= _EXACT * (1 + np.abs(w)))[~sticks].all():
            break
        newton = w - change
        inside = (newton > low) & (newton < high)
        w = np.where(inside, newton, (low + high) / 2)
    w = np.where(sticks, 0.0, w)
    return w, np.where(sticks, 0.0, 1 / slope)
