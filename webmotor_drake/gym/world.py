"""The simulation of an environment: built once, reset for each episode."""

import math
import typing
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.gym.instant import Instant
from webmotor_drake.gym.observations import Computed, Reading
from webmotor_drake.gym.readings import Readings
from webmotor_drake.scenario.scenario import Scenario, controllers_of, located
from webmotor_drake.simulation.motor_loop import MotorLoop
from webmotor_drake.simulation.simulation import Simulation

# The advice for a scenario that names a controller.
_WITHOUT = (
    "an environment commands the motors itself; leave it out, or say"
    " controller: '' (in Python: wm.load_scenario(FILE,"
    " text=\"{model_drivers: {MODEL: {controller: ''}}}\"))"
)
# A control period that is off by less, in motor periods, is a multiple of theirs.
_ROUNDING = 1e-6


class World(Readings):
    """A scenario's simulation, stepped by an environment.

    Attributes:
        simulation: simulation of one robot.
        loop: loop that steps it.
        now: the present, for rewards and the like.
        stride: the motor steps per step of the environment.
        copies: (): there is one of each robot.

    Args:
        simulation: simulation, at its start.
        commands: names of the rows that `step` gets, as `MotorLoop` takes them.
        time_step: step of the environment, s; None: the motors' period.
        own: values that are not of the simulation, by name.
        computed: values that are computed of all others.
    """

    copies: tuple[int, ...] = ()

    def __init__(
        self,
        simulation: Simulation,
        commands: list[str],
        time_step: float | None,
        *,
        own: Mapping[str, typing.Any],
        computed: Sequence[Computed],
    ):
        self.simulation = simulation
        loop = MotorLoop(simulation, commands=commands)
        super().__init__(loop, stride_of(time_step, loop.period))
        self._own = own
        self.now = Instant(self, simulation.plant, loop.plant_context)
        self._computed = {c.name: c.reading(self.now) for c in computed}

    @property
    def state(self) -> np.ndarray:
        """The plant's [q, v] after the last step."""
        return self.loop.state

    @property
    def moved(self) -> np.ndarray:
        """The motors' positions, velocities and efforts, shape (3, motors)."""
        return self._moved

    def reading(self, name: str) -> Reading:
        """Returns the reading of a name; see `Readings`."""
        if name in self._computed:
            return self._computed[name]
        if name in self._own:  # which an episode has drawn
            value = lambda: self._own[name]  # noqa: E731
            return Reading([name], (), -math.inf, math.inf, value)
        return self.find(name)

    def saturated(self) -> np.ndarray:
        """Returns which motors are at their limits, shape (motors,), bool."""
        return self._at_limits()

    def start(self, seed: int) -> None:
        """Reads the start of an episode, to which everything was set."""
        super().start(seed)
        self.now.begin()

    def step(self, rows: list[np.ndarray]) -> None:
        """Simulates a step of the environment.

        Raises:
            SimulationError: it failed, or its state is no longer finite.
        """
        super().step(rows)
        self.now.begin()
        if not math.isfinite(self.state.sum()):
            self.simulation.check_state()


def stride_of(time_step: float | None, period: float) -> int:
    """Returns the motor periods in a step of an environment.

    Raises:
        InputError: it is not a multiple of the motors' period.
    """
    if time_step is None:
        return 1
    stride = time_step / period
    if not stride > 0.5 or abs(stride - round(stride)) > _ROUNDING:
        raise InputError(
            f"{time_step:g} s is not a multiple of the motors' period,"
            f" {period:g} s"
        ).below("time_step")
    return round(stride)


def check_without_controller(scenario: Scenario) -> None:
    """Raises InputError if a robot has a controller of its own, or no motors."""
    for model, controller in controllers_of(scenario).items():
        path = "model_drivers", model, "controller"
        raise located(
            scenario, InputError(f"{controller!r}: {_WITHOUT}", path=path)
        )


def is_random(scenario: Scenario) -> bool:
    """Returns whether the start of a scenario is drawn from a seed."""
    positions: typing.Iterable[Mapping] = scenario.initial_position.values()
    if any(
        not isinstance(q, np.ndarray) for p in positions for q in p.values()
    ):
        return True
    for directive in scenario.directives:
        poses = (
            add.default_free_body_pose if (add := directive.add_model) else {}
        )
        if any(not pose.IsDeterministic() for pose in poses.values()):
            return True
    return False
