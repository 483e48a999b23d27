"""The plant of many environments, stepped together and read robot by robot."""

import dataclasses as dc
import typing
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.gym.observations import Computed, Reading
from webmotor_drake.gym.world import World
from webmotor_drake.simulation.many_robots import ManyRobots
from webmotor_drake.simulation.simulation import Simulation


class ManyWorld(World):
    """Steps many robots; readings have a row per robot.

    Attributes:
        robots: robots of one plant.
        copies: shape of an array with one value per robot, (robots,).

    Args:
        robots: robots of one plant.
        commands: names of the rows that `step` gets, as `MotorLoop` takes them.
        single: world of one robot, which has the names and the time step.
        own: values that do not come from the simulation, by name, shape (robots, ...).
        computed: values that are computed from all others.
    """

    def __init__(
        self,
        robots: ManyRobots,
        commands: list[str],
        single: World,
        *,
        own: Mapping[str, np.ndarray],
        computed: Sequence[Computed],
    ):
        super().__init__(
            typing.cast(Simulation, robots),
            commands,
            single.stride * single.loop.period,
            own=own,
            computed=computed,
        )
        self.robots = robots
        self.copies = (len(robots.models),)
        [system] = robots.motors.values()
        self.loop.motors = list(system.devices.names)
        self._one = single
        self._steps = np.zeros(self.copies, dtype=int)

    @property
    def moved(self) -> np.ndarray:
        """Positions, velocities and efforts, shape (robots, 3, motors)."""
        return self._moved.reshape(3, *self.copies, -1).swapaxes(0, 1)

    @property
    def time(self) -> np.ndarray:
        """The times since the robots' last resets, s, shape (robots,)."""
        return self._steps * self.loop.period

    def _find(self, name: str) -> Reading:
        """Returns the reading of all robots under the name of one."""
        if name == "time" or name in self._own:
            return super()._find(name)
        model, slash, rest = name.partition("/")
        found = [
            self.moving(names.get(model, model) + slash + rest)
            for names in self.robots.models
        ]
        each = [reading for reading in found if reading is not None]
        if len(each) < len(found):
            self._one.reading(name)  # raises where there is no such name
            raise InputError(
                f"{name}: sensors are not for many robots in one plant;"
                " make_vec(..., processes=True) has them"
            )
        first = each[0]
        if first.places is None:
            value = lambda: np.array([r.value() for r in each])  # noqa: E731
            return dc.replace(first, name=name, value=value)
        places = np.array([reading.places for reading in each])
        flat = places if first.shape else places[:, 0]
        value = lambda: self.loop.state[flat]  # noqa: E731
        return dc.replace(first, name=name, value=value, places=places)

    def saturated(self) -> np.ndarray:
        """Returns which motors are at their limits, shape (robots, motors), bool."""
        return super().saturated().reshape(*self.copies, -1)

    def begin(self, mask: np.ndarray) -> None:
        """Notes that some robots are at their start."""
        self._steps[mask] = 0

    def step(self, rows: list[np.ndarray]) -> None:
        """Simulates a step of the environments.

        Args:
            rows: for each of the commands a value per motor, shape (robots, motors).

        Raises:
            SimulationError: it failed, or its state is no longer finite.
        """
        super().step([row.reshape(-1) for row in rows])
        self._steps += self.stride

    def _check_state(self) -> None:
        self.robots.failed = True
        raise SimulationError("the state is no longer finite")
