"""How near a scenario comes to its logs: in all, over time, and by speed."""

import dataclasses as dc
import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from webmotor_drake.errors import one_line
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.logged_motors import speed_of
from webmotor_drake.results.text import quantity

_SPEEDS = ("slowest quarter", "second", "third", "fastest quarter")
_THIRDS = ("first third", "second third", "last third")


@dc.dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a choice of samples.

    Attributes:
        name: name of the choice, such as "8 to 10.7 s".
        rms: the RMS error of each series, in its own unit; NaN: none was measured.
        speed: the joints' mean speed, by unit.
        units: units of the series.
    """

    name: str
    rms: dict[str, float]
    speed: dict[str, float]
    units: dict[str, str]

    @property
    def mean(self) -> dict[str, float]:
        """The mean of the series' RMS errors, by unit."""
        return _by_unit((u, self.rms[name]) for name, u in self.units.items())


def told(values: Mapping[str, float], digits: int = 3) -> str:
    """Returns values by unit as a text."""
    return ", ".join(quantity(v, unit, digits) for unit, v in values.items())


@dc.dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """The errors of a scenario against experiments, or against a part of each.

    Attributes:
        experiments: the scenario, and the logs or parts of them.
        predicted: predicted measurements, one row per series, each of shape (N,); NaN
            outside of the part; None: the run failed.
    """

    experiments: Experiments
    predicted: Sequence[np.ndarray] | None

    @property
    def experiment(self) -> Experiment:
        """The first experiment."""
        return self.experiments.each[0]

    @functools.cached_property
    def each(self) -> "list[Evaluation]":
        """The errors on each experiment."""
        every = self.experiments
        if len(every.each) == 1:
            return [self]
        tables = [None] * len(every.each)
        if self.predicted is not None:
            tables = every.split(self.predicted)
        return [
            Evaluation(dc.replace(every, each=[one]), table)
            for one, table in zip(every.each, tables, strict=True)
        ]

    @property
    def residuals(self) -> list[np.ndarray]:
        """Predicted less measured, one row per series; NaN: not known."""
        measured = [series.measured for series in self.experiments.series]
        if self.predicted is None:
            return [np.full_like(row, np.nan) for row in measured]
        return [a - b for a, b in zip(self.predicted, measured, strict=True)]

    @property
    def scaled_residuals(self) -> list[np.ndarray]:
        """The residuals over the scales of their series."""
        scales = [series.scale for series in self.experiments.series]
        return [r / s for r, s in zip(self.residuals, scales, strict=True)]

    @property
    def rms(self) -> dict[str, float]:
        """The RMS error of each series, in its own unit."""
        return self.all.rms

    @functools.cached_property
    def all(self) -> Errors:
        """The errors of all samples."""
        return self._errors("all", [True] * len(self.experiments.series))

    @functools.cached_property
    def by_time(self) -> list[Errors]:
        """The errors of the first, second and last third of each one's time."""
        names, (one, *others) = _THIRDS, self.experiments.each
        if not others:
            edges = itertools.pairwise(_edges(one))
            names = [f"{low:.3g} to {high:.3g} s" for low, high in edges]
        thirds = self._of_series(
            [_thirds(one) for one in self.experiments.each]
        )
        return [
            self._errors(name, [third == k for third in thirds])
            for k, name in enumerate(names)
        ]

    @functools.cached_property
    def judged(self) -> Errors:
        """The errors that a model is judged by.

        Errors in the faster of the last two thirds of the time; all errors of an
        experiment that is kept out whole.
        """
        name = "what is judged" if len(self.each) > 1 else self._judged_part[0]
        return self._errors(name, self.judged_samples)

    @property
    def judged_samples(self) -> list[np.ndarray]:
        """True for the samples of `judged`, one row per series."""
        return self._of_series([one._judged_part[1] for one in self.each])

    @functools.cached_property
    def _judged_part(self) -> tuple[str, np.ndarray]:
        """Name and samples, shape (N,), of the first experiment's judged part."""
        thirds = _thirds(self.experiment)
        if self.experiment.spec.held_out:
            return "all", thirds >= 0
        speeds = [[*third.speed.values()] for third in self.by_time]
        k = max(1, 2, key=speeds.__getitem__)
        return self.by_time[k].name, thirds == k

    @functools.cached_property
    def by_speed(self) -> list[Errors]:
        """The errors of each joint's slowest to fastest quarter of samples."""
        quarters = []
        for speed in self._speeds:
            known = np.isfinite(speed)
            edges = [math.inf]
            if known.any():
                edges = np.quantile(speed[known], [0.25, 0.5, 0.75])
            quarters.append(np.where(known, np.searchsorted(edges, speed), -1))
        return [
            self._errors(name, [quarter == k for quarter in quarters])
            for k, name in enumerate(_SPEEDS)
        ]

    def _of_series(self, rows: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Returns one row per experiment as one row per series."""
        return [rows[owner] for owner in self.experiments.owners]

    @functools.cached_property
    def _speeds(self) -> list[np.ndarray]:
        """Speed of each series' joint, shape (N,) each; NaN: not measured."""
        logs = self._of_series([one.log for one in self.experiments.each])
        rows = zip(self.experiments.series, logs, strict=True)
        return [
            np.where(np.isfinite(s.measured), speed_of(log, s.motor), np.nan)
            for s, log in rows
        ]

    def _errors(self, name: str, counts: Sequence[np.ndarray | bool]) -> Errors:
        """Returns the errors of the samples that count, one row per series."""
        series = self.experiments.series
        rms, speeds = {}, []
        for one, row, speed, own in zip(
            series, self.residuals, self._speeds, counts, strict=True
        ):
            squares = np.where(own, row, np.nan) ** 2
            rms[one.name] = math.sqrt(_mean_of(squares))
            mean = _mean_of(np.where(own, speed, np.nan))
            speeds.append((one.motor.units.velocity, mean))
        units = {one.name: one.unit for one in series}
        return Errors(name, rms, _by_unit(speeds), units)

    def __repr__(self) -> str:
        """Returns the model and its mean error, in a line."""
        files = [one_line(one.log.file) for one in self.experiments.each]
        return (
            f"<Evaluation of {self.experiments.model} on {', '.join(files)}: mean RMS"
            f" error {told(self.all.mean, 4)}>"
        )


def _edges(experiment: Experiment) -> np.ndarray:
    """Returns the times at which an experiment's thirds begin and end, s."""
    return np.linspace(*experiment.log.time[list(experiment.span)], 4)


def _thirds(experiment: Experiment) -> np.ndarray:
    """Returns the third that each sample is in, shape (N,)."""
    return np.searchsorted(_edges(experiment)[1:3], experiment.log.time)


def _by_unit(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for unit, value in values:
        found.setdefault(unit, []).append(value)
    return {unit: _mean_of(some) for unit, some in found.items()}


def _mean_of(values: Sequence[float] | np.ndarray) -> float:
    """Returns the mean of the finite values; NaN if there are none."""
    values = np.asarray(values)
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan
