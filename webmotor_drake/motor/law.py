"""The motor law of Webots, free of Drake: from positions to velocity commands.

A motor's PID turns the position error into a velocity, clamps it to the target
velocity, then limits how fast the *commanded* velocity changes (WbMotor.cpp,
computeCurrentDynamicVelocity). Everything is in the joint's own sign and units.

All motors of a model stand side by side in the tables of `tables`: row-major, with
one column per motor. `loops.law_rows` has the arithmetic.
"""

import numpy as np

from webmotor_drake.loops import entry, law_rows

_step_servo_rows = entry(law_rows.step_servo_rows)


def step_servos(
    q: np.ndarray,
    period: float,
    command: np.ndarray,
    friction: np.ndarray,
    law_state: np.ndarray,
    demand: np.ndarray,
) -> None:
    """Runs one step of the law for all motors.

    Args:
        q: joint positions at the start of the step, shape (n,), rad or m.
        period: Webots' basicTimeStep, s.
        command: `Command` rows, shape (rows, n); this and the other tables may be
            flattened row by row.
        friction: static friction of the joints, shape (n,) or longer, N m or N.
        law_state: `LawState` rows of the previous step, shape (rows, n); they become
            those of this step.
        demand: `Demand` rows, shape (rows, m) with m >= n; the first n columns
            are written.
    """
    _step_servo_rows(
        *(q, len(q), period, command.ravel(), friction),
        *(law_state.reshape(-1), demand.reshape(-1)),
    )
