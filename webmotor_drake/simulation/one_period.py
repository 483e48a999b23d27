"""The motors of a scenario have one period: its results have one row per step."""

import math
from collections.abc import Iterable, Mapping

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError, warn
from webmotor_drake.scenario.scenario import Scenario, located


def check_one_period(
    scenario: Scenario, motors: Mapping[str, MotorSystem]
) -> None:
    """Refuses motors of several periods; warns if the duration is not a multiple."""
    problems = {}
    periods = {model: system.period for model, system in motors.items()}
    for model, period in periods.items():
        first = next(iter(periods.values()))
        if period != first:
            problems[
                f"{period:g} s differs from the {first:g} s of the other"
                " models; a scenario has one motor period"
            ] = ("model_drivers", model, "basic_time_step")
    for problem, path in problems.items():
        raise located(scenario, InputError(problem, path=path))
    _warn_of_early_end(scenario, periods.values())


def _warn_of_early_end(scenario: Scenario, periods: Iterable[float]) -> None:
    """Warns of a duration that no motor step ends with."""
    duration, period = (
        scenario.simulation_duration,
        min(periods, default=math.inf),
    )
    if math.isinf(duration) or math.isinf(period):
        return
    steps = math.floor(duration / period + 1e-9)
    if duration - steps * period > 1e-6 * period:
        warn(
            f"simulation_duration: {duration:g} s is not a multiple of the motor"
            f" period of {period:g} s; the results end at {steps * period:g} s"
        )
