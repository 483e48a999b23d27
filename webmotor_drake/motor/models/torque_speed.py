"""The torque-speed line of a DC motor, in all four quadrants."""

import numpy as np

Limits = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def limits(
    velocity: np.ndarray, stall: np.ndarray, drop: np.ndarray, cap: np.ndarray
) -> Limits:
    """Returns the least and the largest effort at a velocity, and their slopes.

    Stall effort less back-EMF is what the supply can do; `cap` is the drive's own
    limit. Beyond the speed at which the line meets -cap the motor brakes with all
    that the drive has, whatever is asked (Isaac Lab's DCMotor; MuJoCo's dcmotor has
    the same set).

    Args:
        velocity: shape (n,), rad/s or m/s.
        stall: effort at standstill, shape (n,), N m or N; infinite without a line.
        drop: how much it falls per velocity, shape (n,), N m s/rad or N s/m.
        cap: shape (n,), N m or N.

    Returns:
        Low, high, and what each falls by per velocity, shape (n,) each.
    """
    back = drop * velocity
    above, below = stall - back, -stall - back
    high = np.maximum(np.minimum(above, cap), -cap)
    low = np.minimum(np.maximum(below, -cap), cap)
    on_high = np.abs(above) < cap
    on_low = np.abs(below) < cap
    return low, high, np.where(on_low, drop, 0.0), np.where(on_high, drop, 0.0)
