"""The heat of a winding (i²t): a first-order lag of the square of the effort."""

import math


def heated(law, heat, effort, step):
    """Returns the heat after a step of constant effort, exact for any step.

    Args:
        law: the motor's record.
        heat: 1 is as hot as it may be.
        effort: N m or N.
        step: length of the step, s.
    """
    share = effort / law.continuous
    final = share * share
    return final + (heat - final) * math.exp(-step / law.time_constant)


def is_hot(law, was_hot, heat):
    """Returns 1 while the motor is limited, from heat 1 until `recovery`; else 0."""
    if heat >= 1.0 or (was_hot > 0 and heat > law.recovery):
        return 1.0
    return 0.0
