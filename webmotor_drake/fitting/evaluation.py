"""How near a scenario comes to a log: in all, over time, and by speed."""

import dataclasses as dc
import functools
import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import one_line
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.logged_motors import speed_of
from webmotor_drake.results.text import quantity

_SPEEDS = ("slowest quarter", "second", "third", "fastest quarter")


@dc.dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a choice of samples.

    Attributes:
        name: name of the choice, such as "8 to 10.7 s".
        rms: the RMS error of each series, in its own unit; NaN: none was measured.
        speed: the joints' mean speed, by unit.
        units: of the series.
    """

    name: str
    rms: dict[str, float]
    speed: dict[str, float]
    units: dict[str, str]

    @property
    def mean(self) -> dict[str, float]:
        """The mean of the series' RMS errors, by unit."""
        units = dict.fromkeys(self.units.values())
        return {
            unit: mean_of(
                [self.rms[name] for name, u in self.units.items() if u == unit]
            )
            for unit in units
        }


def told(values: Mapping[str, float], digits: int = 3) -> str:
    """Returns values by unit as a text."""
    return ", ".join(quantity(v, unit, digits) for unit, v in values.items())


@dc.dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """The errors of a scenario against a log, or against a part of it.

    Attributes:
        experiment: the scenario, and the part of the log.
        predicted: predicted measurements, shape (series, N); NaN outside of
            the part; None: the run failed.
        problem: reason of the failure.
    """

    experiment: Experiment
    predicted: np.ndarray | None
    problem: str = ""

    @property
    def residuals(self) -> np.ndarray:
        """Predicted less measured, shape (series, N); NaN: not known."""
        measured = np.array([s.measured for s in self.experiment.series])
        if self.predicted is None:
            return np.full_like(measured, np.nan)
        return self.predicted - measured

    @property
    def rms(self) -> dict[str, float]:
        """The RMS error of each series, in its own unit."""
        return self.all.rms

    @functools.cached_property
    def all(self) -> Errors:
        """The errors of all samples."""
        measured = [s.measured for s in self.experiment.series]
        return self._errors("all", np.isfinite(measured))

    @functools.cached_property
    def by_time(self) -> list[Errors]:
        """The errors of the first, second and last third of the time."""
        edges, which = self._thirds
        return [
            self._errors(f"{low:.3g} to {high:.3g} s", which == k)
            for k, (low, high) in enumerate(itertools.pairwise(edges))
        ]

    @functools.cached_property
    def _thirds(self) -> tuple[np.ndarray, np.ndarray]:
        """Where thirds of the time begin and end, and in which each sample is."""
        time = self.experiment.log.time
        first, last = self.experiment.span
        edges = np.linspace(time[first], time[last], 4)
        return edges, np.searchsorted(edges[1:3], time)

    @property
    def judged(self) -> Errors:
        """The errors of the faster of the last two thirds of the time.

        Of an experiment that is kept out whole they are all errors.
        """
        if self.experiment.is_whole:
            return self.all
        return self.by_time[self._judged]

    @property
    def judged_samples(self) -> np.ndarray:
        """True for the samples of `judged`, shape (N,)."""
        if self.experiment.is_whole:
            return np.ones(len(self.experiment.log.time), dtype=bool)
        return self._thirds[1] == self._judged

    @property
    def _judged(self) -> int:
        speeds = [tuple(third.speed.values()) for third in self.by_time]
        return max((1, 2), key=speeds.__getitem__)

    @functools.cached_property
    def by_speed(self) -> list[Errors]:
        """The errors of each joint's slowest to fastest quarter of samples."""
        speeds = self._speeds
        which = np.full(speeds.shape, -1)
        for row, speed in zip(which, speeds, strict=True):
            known = np.isfinite(speed)
            if known.any():
                edges = np.quantile(speed[known], [0.25, 0.5, 0.75])
                row[known] = np.searchsorted(edges, speed[known])
        return [
            self._errors(name, which == k) for k, name in enumerate(_SPEEDS)
        ]

    @functools.cached_property
    def _speeds(self) -> np.ndarray:
        """How fast each series' joint moved where it counts, shape (series, N)."""
        experiment = self.experiment
        return np.array(
            [
                np.where(
                    np.isfinite(series.measured),
                    speed_of(experiment.log, series.motor),
                    np.nan,
                )
                for series in experiment.series
            ]
        )

    def _errors(self, name: str, counts: np.ndarray) -> Errors:
        """Returns the errors of those samples, shape (series, N) or (N,)."""
        series = self.experiment.series
        residuals = np.where(counts, self.residuals, np.nan)
        speeds = np.where(counts, self._speeds, np.nan)
        by_unit: dict[str, list[float]] = {}
        for row, one in zip(speeds, series, strict=True):
            unit = "m/s" if one.motor.is_linear else "rad/s"
            by_unit.setdefault(unit, []).append(mean_of(row))
        return Errors(
            name,
            {
                one.name: math.sqrt(mean_of(row**2))
                for row, one in zip(residuals, series, strict=True)
            },
            {unit: mean_of(values) for unit, values in by_unit.items()},
            {one.name: one.unit for one in series},
        )

    def __repr__(self) -> str:
        """Returns the model and its mean error, in a line."""
        return (
            f"<Evaluation of {self.experiment.model} on"
            f" {one_line(self.experiment.log.file)}: mean RMS error"
            f" {told(self.all.mean, 4)}>"
        )


def mean_of(values: Sequence[float] | np.ndarray) -> float:
    """Returns the mean of the finite ones; NaN if there are none."""
    values = np.asarray(values)
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan
