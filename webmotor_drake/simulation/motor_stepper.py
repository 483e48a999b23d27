"""A loop over a diagram of one's own that loses no motor step."""

import math
from collections.abc import Mapping

from pydrake.systems.analysis import Simulator

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError, one_line, warn
from webmotor_drake.scenario.scenario import Scenario, located

# The most steps at once: more do not end within a day.
_MOST = 1_000_000_000
# Times this near to a step's start are the start, in steps.
_ROUNDING = 1e-6


def check_number(number: int) -> None:
    """Raises InputError unless it is a number of steps."""
    if not 0 < number <= _MOST or number % 1:
        raise InputError(
            f"number {one_line(number)} is not allowed; must be a whole number from 1"
            f" to {_MOST:,}"
        )


class MotorStepper:
    """Steps a Simulator so that values set between two steps act in the next.

    ::

        stepper = wm.MotorStepper(simulator, motors)
        context = motors.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        while stepper.time < 3:
            q = plant.GetPositions(plant_context)
            motors.GetInputPort("target_position").FixValue(context, target(q))
            stepper.step()

    Motors sample their input ports just before a motor step starts. After
    ``simulator.AdvanceTo(k * period)`` it is too late for step k: values set then act a
    period later. A stepper stops just before the step starts, when the plant's state at
    its start is already there. Changes of the plant's Context, such as a mass, act in
    that step, too.

    Where scenarios are loaded from a file, `RobotSession` is the same loop.

    Args:
        simulator: simulator of the diagram that the motors are in.
        motors: systems that `ApplyDriverConfig` returned; several have one period.

    Raises:
        InputError: no Simulator, no motors, or motors of different periods.
    """

    def __init__(self, simulator: Simulator, *motors: MotorSystem):
        if not motors:
            raise InputError("a MotorStepper needs the motors that it steps")
        if not isinstance(simulator, Simulator):
            raise InputError(
                "a MotorStepper steps a Simulator of the diagram, not a"
                f" {type(simulator).__name__}"
            )
        for system in motors:
            if not isinstance(system, MotorSystem):
                raise InputError(
                    "a MotorStepper needs the motors that ApplyDriverConfig"
                    f" returned, one by one, not a {type(system).__name__}"
                )
        periods = sorted({system.period for system in motors})
        if len(periods) > 1:
            times = ", ".join(f"{period:g} s" for period in periods)
            raise InputError(f"the motors have several periods ({times})")
        self._simulator = simulator
        self._motors = motors
        self._period = periods[0]
        # With several plants, the one with the longest steps stops first.
        self._first = min(motors, key=lambda system: system.next_step_time(1))
        now = simulator.get_context().get_time()
        self._next = math.floor(now / self._period + _ROUNDING)
        if self._first.next_step_time(self._next + 1) <= now:
            self._next += 1

    @property
    def time(self) -> float:
        """The start of the next motor step, s; the Context is at it or just before."""
        return self._next * self._period

    def step(self, number: int = 1) -> float:
        """Simulates motor steps.

        Args:
            number: count of steps.

        Returns:
            The time at their end, s.

        Raises:
            InputError: it is not a number of steps.
        """
        check_number(number)
        self.read_plant()
        self._next += number
        self.advance_to(self._next)
        return self.time

    def advance_to(self, step: int) -> None:
        """Simulates until a motor step is about to start.

        The state at the step's start is there; commands given then act in the step.

        Args:
            step: its number; step 0 is where a simulation starts.
        """
        # The monitor that looks for Ctrl-C is not needed, and costs a microsecond: the
        # motors' own Python sees Ctrl-C in each plant step.
        if step > 0:
            self._simulator.AdvanceTo(self._first.next_step_time(step), False)

    def read_plant(self) -> None:
        """Makes the motors see changes of the plant and of ports at once."""
        root = self._simulator.get_mutable_context()
        for system in self._motors:
            own = system.GetMyMutableContextFromRoot(root)
            system.read_plant_parameters(own)
            system.look_at_ports(own)


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
