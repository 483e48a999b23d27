"""The errors on several experiments, seen as one."""

import dataclasses as dc
import functools
from collections.abc import Callable, Sequence

import numpy as np

from webmotor_drake.fitting.evaluation import Errors, Evaluation, mean_of
from webmotor_drake.fitting.experiments import Experiments

_THIRDS = ("first third", "second third", "last third")


@dc.dataclass(frozen=True, eq=False, repr=False)
class Evaluations:
    """The errors of a scenario against experiments, or against a part of each.

    Attributes:
        each: one per experiment.
    """

    each: list[Evaluation]

    @classmethod
    def of(
        cls, experiments: Experiments, predicted: Sequence[np.ndarray] | None
    ) -> "Evaluations":
        """Returns the errors of predictions.

        Args:
            experiments: the ones predicted.
            predicted: one row per series; None: the run failed.
        """
        tables = (
            [None] * len(experiments.each)
            if predicted is None
            else experiments.split(predicted)
        )
        return cls(
            [
                Evaluation(one, table)
                for one, table in zip(experiments.each, tables, strict=True)
            ]
        )

    @property
    def residuals(self) -> list[np.ndarray]:
        """Predicted less measured, one row per series; NaN: not known."""
        return [row for one in self.each for row in one.residuals]

    @property
    def predicted(self) -> list[np.ndarray]:
        """The predicted measurements, one row per series."""
        return [
            row
            for one in self.each
            if one.predicted is not None
            for row in one.predicted
        ]

    @property
    def rms(self) -> dict[str, float]:
        """The RMS error of each series, in its own unit."""
        return self.all.rms

    @functools.cached_property
    def all(self) -> Errors:
        """The errors of all samples."""
        return self._joined("all", lambda one: one.all)

    @functools.cached_property
    def by_time(self) -> list[Errors]:
        """The errors of the first, second and last third of each one's time."""
        return [
            self._joined(name, lambda one, k=k: one.by_time[k])
            for k, name in enumerate(_THIRDS)
        ]

    @functools.cached_property
    def by_speed(self) -> list[Errors]:
        """The errors of each joint's slowest to fastest quarter of samples."""
        return [
            self._joined(errors.name, lambda one, k=k: one.by_speed[k])
            for k, errors in enumerate(self.each[0].by_speed)
        ]

    @functools.cached_property
    def judged(self) -> Errors:
        """The errors that each experiment is judged by."""
        return self._joined("what is judged", lambda one: one.judged)

    def _joined(
        self, name: str, part: Callable[[Evaluation], Errors]
    ) -> Errors:
        """Returns the errors of all experiments; a single one's as they are."""
        parts = [part(one) for one in self.each]
        if len(parts) == 1:
            return parts[0]
        rms, units, speeds = {}, {}, {}
        for errors in parts:
            rms |= errors.rms
            units |= errors.units
            for unit, speed in errors.speed.items():
                speeds.setdefault(unit, []).append(speed)
        return Errors(
            name,
            rms,
            {unit: mean_of(some) for unit, some in speeds.items()},
            units,
        )
