"""An environment after a step, from which rewards and ends are computed."""

import typing
from collections.abc import Callable, Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.gym.observations import Computed, Source


class Instant:
    """The state after a step; a reward is a function of it.

    ``now["<model>/<joint>/position"]`` is the value of any signal, observed or not. In
    an environment of many robots in one plant, all arrays have one more dimension in
    front, a row per robot, and numbers are arrays of shape (robots,): functions written
    with numpy serve both.

    Attributes:
        observation: observation that `step` returns.
        action: last command, in the action space; zeros at a reset.
        before: the observation before the step.
        random: the random numbers of the environment.
        plant: Drake's plant, for values without a name.
        context: the plant's Context.
    """

    observation: typing.Any
    action: np.ndarray
    before: typing.Any
    random: typing.Any

    def __init__(self, world: Source, plant: MultibodyPlant, context: Context):
        self._world = world
        self.plant, self.context = plant, context
        self._readings: dict[str, Callable[[], typing.Any]] = {}
        self._computed: dict[str, typing.Any] = {}

    def __getitem__(self, name: str) -> typing.Any:
        """Returns a signal's value: a number, or an array of it.

        Raises:
            InputError: there is no such signal.
        """
        value = self._readings.get(name)
        if value is None:
            value = self._readings[name] = self._world.reading(name).value
        return value()

    @property
    def moved(self) -> np.ndarray:
        """All motors' positions, velocities and efforts, shape (3, motors)."""
        return self._world.moved

    def once(self, computed: Computed) -> typing.Any:
        """Returns a value that is computed once per step."""
        name = computed.name
        if name not in self._computed:
            self._computed[name] = computed.value(self)
        return self._computed[name]

    def begin(self) -> None:
        """Forgets the values computed in the last step."""
        self._computed.clear()

    @property
    def time(self) -> typing.Any:
        """The time since the last reset, s."""
        return self._world.time

    def info(
        self,
        clipped: np.ndarray,
        more: Callable[["Instant"], Mapping[str, typing.Any]] | None,
    ) -> dict[str, typing.Any]:
        """Returns `info`, with the environment's own entries.

        Args:
            clipped: True where an action was outside its space.
            more: argument `info` of `WebmotorEnv`.
        """
        world = self._world
        info: dict[str, typing.Any] = {
            "time": world.time,
            "saturated": world.saturated(),
            "clipped": clipped,
        }
        for name, value in more(self).items() if more else ():
            # The next step changes arrays.
            is_array = isinstance(value, np.ndarray)
            info[name] = value.copy() if is_array else value
        return info
