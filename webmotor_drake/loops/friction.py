"""How much a joint's dry friction can hold: the budgets of BAM's models M1 to M6."""

import math

# By exp(-exp(_GONE)) nothing is left of what friction has more at rest.
_GONE = 7.0


def budget(law, velocity, motor, load):
    """Returns the largest effort of dry friction, N m or N.

    See `nodes.Friction`. It is that of the step's start: friction with any bound takes
    energy and never gives it, so a bound that is a step late is safe.

    Args:
        law: the motor's record.
        velocity: of the joint, rad/s or m/s.
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
