"""The measurements that a client of the simulator has enabled, and their values."""

import math
import typing
from collections.abc import Callable

from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.host.stepped_simulation import SteppedSimulation


class Measurement:
    """A client's view of a measurement.

    Attributes:
        sampler: the simulator's side.
        period: as the client set it, ms; 0: off.
        value: the newest from an answer; at first the initial value.
        taken: step at whose start it was measured.
        told: called when an answer brought a value; None: not called.
    """

    def __init__(self, sampler: Sampler, value: typing.Any = math.nan):
        self.sampler = sampler
        self.period = 0
        self.value = value
        self.taken = 0
        self.told: Callable[[], None] | None = None


class Measuring:
    """Switches measurements on and off, and reads those that are on.

    Args:
        stepped: the simulation that samples.
    """

    def __init__(self, stepped: SteppedSimulation):
        self._stepped = stepped
        self._on: list[Measurement] = []

    def enable(self, measurement: Measurement, steps: int) -> None:
        """Starts or stops the simulator's sampling, which starts now.

        Args:
            measurement: what is sampled.
            steps: the sampling period in basic steps; 0 stops.
        """
        sampler = measurement.sampler
        sampler.enable(steps, self._stepped.now)
        if steps and measurement not in self._on:
            self._on.append(measurement)
            self._stepped.samplers.append(sampler)
        elif not steps and measurement in self._on:
            self._on.remove(measurement)
            self._stepped.samplers.remove(sampler)

    def stop(self) -> None:
        """Stops all enabled measurements."""
        for measurement in tuple(self._on):
            self.enable(measurement, 0)

    def read(self) -> None:
        """Takes over the samples since the last call."""
        for measurement in self._on:
            sampler = measurement.sampler
            if sampler.pending:
                measurement.value = sampler.value
                measurement.taken = sampler.last
                sampler.pending = False
                if measurement.told is not None:
                    measurement.told()
