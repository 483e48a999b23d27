"""The piece of a motor model's law that the plant's solver has, as an actuator.

`mine` are the motor's rows of `ModelState`; see `drive.servo_actuators`.
"""

from webmotor_drake.loops.model_state import ModelState as S

# The gain of an actuator without one: 0 would take it out of the solver for good.
NO_DAMPING = 1e-12
_EFFORT, _START, _BUDGET = int(S.EFFORT), int(S.START_VELOCITY), int(S.BUDGET)
_ANCHOR, _SLOPE, _LOW, _HIGH = map(int, (S.ANCHOR, S.SLOPE, S.LOW, S.HIGH))
_NO_DAMPING, _INF = NO_DAMPING, float("inf")


def settle(mine, w):
    """Notes the law's effort in a step that ended with velocity w.

    Returns:
        What the loop made of it, N m or N.
    """
    middle, half = middle_of(mine[_LOW], mine[_HIGH])
    loop = mine[_SLOPE] * (_seeks(mine, middle) - w)
    loop = min(max(loop, -half), half)
    mine[_EFFORT] = middle + loop
    return loop


def lay(mine):
    """Prepares the loop for the next step.

    Returns:
        What dry friction can hold, the middle of the limits of the law, and the
        velocity that the loop seeks.
    """
    if mine[_SLOPE] <= _NO_DAMPING:  # held, whatever the velocity
        held = min(max(mine[_ANCHOR], mine[_LOW]), mine[_HIGH])
        mine[_LOW] = mine[_HIGH] = held
        mine[_SLOPE] = 0.0
    middle, _ = middle_of(mine[_LOW], mine[_HIGH])
    return mine[_BUDGET], middle, _seeks(mine, middle)


def _seeks(mine, middle):
    """Returns the velocity at which a loop makes no effort of its own."""
    if mine[_SLOPE] == 0.0:
        return 0.0
    return mine[_START] + (mine[_ANCHOR] - middle) / mine[_SLOPE]


def middle_of(low, high):
    """Returns the middle of limits, and how far they are from it; 0 if infinite."""
    if low == -_INF or high == _INF:
        low = 0.0 if low == -_INF else low
        high = 0.0 if high == _INF else high
        return (low + high) / 2, _INF
    return (low + high) / 2, (high - low) / 2
