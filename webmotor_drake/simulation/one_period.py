"""The motors of a scenario have one period: its results have one row per step."""

from collections.abc import Mapping

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.scenario import Scenario, located


def check_one_period(
    scenario: Scenario, motors: Mapping[str, MotorSystem]
) -> None:
    """Raises InputError for motors of several periods."""
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
