"""The state that an experiment starts from, where a user tells it."""

from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.fitting.logged_motors import LoggedMotor

QUANTITIES = ("position", "velocity")


def state_at_start(
    motors: Sequence[LoggedMotor],
    state: Mapping[str, Sequence[float]],
    file: str,
) -> dict[tuple[str, str], float]:
    """Returns the state that a user told, by motor and quantity.

    Args:
        motors: those in the log.
        state: position and velocity by the motors' names in the log.
        file: for messages.

    Raises:
        InputError: a name that is not in the log, or other than two numbers.
    """
    signals = {motor.name: motor.signal for motor in motors}
    found: dict[tuple[str, str], float] = {}
    for name, values in state.items():
        if name not in signals:
            problem = unknown_name("joint", name, signals)
            raise InputError(problem, where=file, path=("state",))
        if len(values) != 2 or not np.isfinite(values).all():
            raise InputError(
                f"{list(values)}; a position and a velocity are needed",
                where=file,
                path=("state", name),
            )
        for quantity, value in zip(QUANTITIES, values, strict=True):
            found[signals[name], quantity] = float(value)
    return found
