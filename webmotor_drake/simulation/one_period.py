"""The motors of a scenario have one period: its results have one row per step."""

import math
from collections.abc import Mapping

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError, warn
from webmotor_drake.scenario.scenario import Scenario, located


def check_one_period(
    scenario: Scenario, motors: Mapping[str, MotorSystem]
) -> None:
    """Refuses motors of several periods; warns if the duration is not a multiple."""
    if not motors:
        return
    first = next(iter(motors.values())).period
    for model, system in motors.items():
        if system.period != first:
            problem = (
                f"{system.period:g} s differs from the {first:g} s of the other"
                " models; a scenario has one motor period"
            )
            path = ("model_drivers", model, "basic_time_step")
            raise located(scenario, InputError(problem, path=path))
    duration = scenario.simulation_duration
    if math.isinf(duration):
        return
    steps = math.floor(duration / first + 1e-9)
    if duration - steps * first > 1e-6 * first:
        warn(
            f"simulation_duration: {duration:g} s is not a multiple of the motor"
            f" period of {first:g} s; the results end at {steps * first:g} s"
        )
