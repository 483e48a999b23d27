"""The law of a motor that is no Webots servo, within a plant step.

In a step of length h its effort depends on the velocity w that its joint has at the
end: a PD loop sees the position q + h w, back-EMF is a damper. So a law is a function
of w, to be solved with the mechanism, and implicit: stable for any gain and any step.
An effort that a board computes beforehand is held, and does not depend on w.

`law` is the motor's record, see `motor.models.parameters`; `mine` are its rows of
`ModelState` and `told` those of `Command`.
"""

import math

from webmotor_drake.loops.rows import Command, ModelState

_TARGET, _SPEED = int(Command.TARGET_POSITION), int(Command.TARGET_VELOCITY)
_AVAILABLE = int(Command.AVAILABLE_EFFORT)
_DIRECT, _IN_EFFORT = int(Command.DIRECT_EFFORT), int(Command.EFFORT_CONTROL)
_FEEDFORWARD = int(Command.FEEDFORWARD)
_POSITION, _VELOCITY = int(ModelState.POSITION), int(ModelState.VELOCITY)
_JOINT_POSITION = int(ModelState.START_POSITION)
_JOINT_VELOCITY = int(ModelState.START_VELOCITY)
_IS_HOT, _HELD = int(ModelState.IS_HOT), int(ModelState.HELD)
# exp(-exp(_GONE)) leaves nothing of the additional friction at rest.
_GONE = 7.0


def pd(law, told, q, w, step):
    """Returns the PD's effort at q + step w, and its fall per w."""
    if math.isinf(told[_TARGET]):
        return law.kd * (told[_SPEED] - w), law.kd
    effort = law.kp * (told[_TARGET] - q - step * w)
    effort += law.kd * (told[_FEEDFORWARD] - w)
    return effort, law.kd + step * law.kp


def computed_ahead(law, mine, told):
    """Returns the effort that is held for a motor period: torque, or voltage as one."""
    q, v = mine[_JOINT_POSITION], mine[_JOINT_VELOCITY]
    if law.elastic and not law.sees_link:
        q, v = mine[_POSITION], mine[_VELOCITY]
    if not law.by_voltage:
        effort, _ = pd(law, told, q, v, 0.0)
        return effort
    error = 0.0 if math.isinf(told[_TARGET]) else told[_TARGET] - q
    return min(max(law.duty_gain * error, -law.max_duty), law.max_duty)


def asked(law, mine, told, q, w, step):
    """Returns the effort before its limits at w, and its fall per w."""
    if told[_IN_EFFORT] == 1.0:
        return told[_DIRECT], 0.0
    if law.explicit:
        back = law.drop if law.by_voltage else 0.0
        return mine[_HELD] - back * w, back
    return pd(law, told, q, w, step)


def cap(law, mine, told):
    """Returns the largest effort at any speed; a motor without any is off."""
    if mine[_IS_HOT] > 0:
        return min(told[_AVAILABLE], law.continuous)
    return told[_AVAILABLE]


def limits(law, mine, told, w):
    """Returns the motor's limits at w; see `_line_limits`."""
    return _line_limits(w, law.stall, law.drop, cap(law, mine, told))


def made(law, mine, told, q, w, step):
    """Returns the motor's effort at w, and its fall per w."""
    effort, fall = asked(law, mine, told, q, w, step)
    low, high, low_fall, high_fall = limits(law, mine, told, w)
    if effort <= low:
        return low, low_fall
    if effort >= high:
        return high, high_fall
    return effort, fall


def first_piece(law, mine, told, step):
    """Returns the law as a row that a solver clips: the piece to begin with.

    It is the loop's line within the limits at the start's velocity, or the torque-speed
    line if a limit due to speed binds.

    Returns:
        The effort at the start's velocity, its fall per velocity, and the least and the
        largest effort.
    """
    q, v = mine[_JOINT_POSITION], mine[_JOINT_VELOCITY]
    effort, fall = asked(law, mine, told, q, v, step)
    low, high, _, _ = limits(law, mine, told, v)
    if not law.line:
        return effort, fall, low, high
    largest, back = cap(law, mine, told), law.drop * v
    above, below = law.stall - back, -law.stall - back
    # At the corner of line and cap, too: from there on the line falls.
    if above <= largest and effort > above:
        return above, law.drop, -largest, largest
    if below >= -largest and effort < below:
        return below, law.drop, -largest, largest
    # A motor that brakes from beyond the line may come to rest within the step.
    if abs(back) >= law.stall + largest:
        return effort, fall, -largest, largest
    return effort, fall, low, high


def _line_limits(velocity, stall, drop, cap):
    """Returns the least and the largest effort of a DC motor, in all four quadrants.

    Stall effort less back-EMF is the supply's limit; `cap` is the drive's own. Beyond
    the speed at which the line meets -cap the motor brakes with all of `cap`, whatever
    is asked (Isaac Lab's DCMotor; MuJoCo's dcmotor has the same set). The falls of both
    limits per velocity follow.
    """
    back = drop * velocity
    above, below = stall - back, -stall - back
    high = max(min(above, cap), -cap)
    low = min(max(below, -cap), cap)
    low_fall = drop if abs(below) < cap else 0.0
    high_fall = drop if abs(above) < cap else 0.0
    return low, high, low_fall, high_fall


def budget(law, velocity, motor, load):
    """Returns the largest effort of dry friction by BAM's models M1 to M6, N m or N.

    See `nodes.Friction`. It is that of the step's start: friction with any bound takes
    energy and never gives it, so a bound that is a step late is safe.

    Args:
        law: the motor's record.
        velocity: velocity of the joint, rad/s or m/s.
        motor: effort of the motor, N m or N.
        load: other efforts on the joint, N m or N.
    """
    if law.constant_friction:
        return law.coulomb
    slow = 1.0
    speed = abs(velocity) / law.stribeck_velocity
    if speed > 0.0:
        slow = math.exp(-math.exp(min(law.alpha * math.log(speed), _GONE)))
    held = law.coulomb + slow * law.stribeck
    if not law.has_load:
        return held
    held += abs(law.motor_load * motor - law.external_load * load)
    held += slow * abs(
        law.motor_load_stribeck * motor - law.external_load_stribeck * load
    )
    if motor * load < 0:
        if abs(load) > abs(motor):
            held += slow * law.external_quadratic * load * load
        else:
            held += slow * law.motor_quadratic * motor * motor
    return held


def heated(law, heat, effort, step):
    """Returns a winding's heat after a step of constant effort, exact for any step.

    It is a first-order lag of the square of the effort (i²t).

    Args:
        law: the motor's record.
        heat: heat before the step; 1 is the limit.
        effort: effort of the motor, N m or N.
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
