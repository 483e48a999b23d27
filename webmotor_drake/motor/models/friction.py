"""How much a joint's dry friction can hold: the budgets of BAM's models M1 to M6."""

import numpy as np

from webmotor_drake.motor.models.parameters import FrictionRows

# By so many Stribeck velocities nothing is left of what friction has more at rest.
_FAST = 1e3


def budget(
    rows: FrictionRows,
    velocity: np.ndarray,
    motor: np.ndarray,
    load: np.ndarray,
) -> np.ndarray:
    """Returns the largest effort of dry friction, shape (n,), N m or N.

    See `nodes.Friction`. It is that of the step's start: friction with any bound takes
    energy and never gives it, so a bound that is a step late is safe.

    Args:
        rows: the parameters, each of shape (n,).
        velocity: of the joints, shape (n,), rad/s or m/s.
        motor: what the motors make, shape (n,), N m or N.
        load: what acts on the joints besides, shape (n,), N m or N.
    """
    if rows.is_constant:
        return rows.coulomb
    speed = np.minimum(np.abs(velocity / rows.stribeck_velocity), _FAST)
    slow = np.exp(-(speed**rows.alpha))
    held = rows.coulomb + slow * rows.stribeck
    if not rows.has_load:
        return held
    held += np.abs(rows.motor_load * motor - rows.external_load * load)
    held += slow * np.abs(
        rows.motor_load_stribeck * motor - rows.external_load_stribeck * load
    )
    against = motor * load < 0
    stronger = np.abs(load) > np.abs(motor)
    square = np.where(
        stronger,
        rows.external_quadratic * load**2,
        rows.motor_quadratic * motor**2,
    )
    return held + slow * np.where(against, square, 0.0)
