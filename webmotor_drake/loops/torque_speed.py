"""The torque-speed line of a DC motor, in all four quadrants."""


def limits(velocity, stall, drop, cap):
    """Returns the least and the largest effort at a velocity, and their slopes.

    Stall effort less back-EMF is what the supply can do; `cap` is the drive's own
    limit. Beyond the speed at which the line meets -cap the motor brakes with all
    that the drive has, whatever is asked (Isaac Lab's DCMotor; MuJoCo's dcmotor has
    the same set).

    Args:
        velocity: rad/s or m/s.
        stall: effort at standstill, N m or N; infinite without a line.
        drop: fall per velocity, N m s/rad or N s/m.
        cap: N m or N.

    Returns:
        Low, high, and what each falls by per velocity.
    """
    back = drop * velocity
    above, below = stall - back, -stall - back
    high = max(min(above, cap), -cap)
    low = min(max(below, -cap), cap)
    low_fall = drop if abs(below) < cap else 0.0
    high_fall = drop if abs(above) < cap else 0.0
    return low, high, low_fall, high_fall
