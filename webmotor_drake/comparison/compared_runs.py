"""The runs of one scenario under several motor models."""

import dataclasses as dc
import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from webmotor_drake.results.metrics import (
    METRICS,
    Metric,
    Segment,
    motor_metrics,
    segments,
    total_metrics,
)
from webmotor_drake.results.results import Results
from webmotor_drake.results.run_record import Units
from webmotor_drake.scenario.scenario import Scenario

# The columns of a row beside the metrics: differences to the reference model.
DIFFERENCES = {
    f"{signal}_difference": Metric(
        f"largest {signal} difference", signal, "max"
    )
    for signal in ("position", "velocity")
}
# Signals that the metrics need: measurements of a motor, and its commands.
_MEASURED = ("position", "velocity", "effort", "energy", "saturated")
_GIVEN = ("target_position", "velocity_target", "mode", "effort_limit")


class Outcome(NamedTuple):
    """The run of one model."""

    # None: nothing was simulated.
    results: Results | None
    # Reason of a failure, one line; empty: the run did not fail.
    error: str
    # Description of the model.
    about: str = "A model of your own."
    # Metrics of one's own, by name; empty where the model failed.
    own: Mapping[str, float] = MappingProxyType({})


class Difference(NamedTuple):
    """A signal of a model minus that of the reference, both shape (K,)."""

    time: np.ndarray
    value: np.ndarray


class ComparedRuns:
    """The runs of a scenario under several models.

    A motor model that is compared is called a contender here, as the "<model>" in the
    name of a motor is Drake's model instance.

    Attributes:
        scenario: the scenario that they ran.
        reference: the name of the model that the others are compared with.
        outcomes: runs by model name, in the order in which models were given.
        motors: "<model>/<motor>" of all motors.
        targets: the segments of each motor by which all models are judged.
    """

    def __init__(
        self,
        scenario: Scenario,
        reference: str,
        outcomes: Mapping[str, Outcome],
    ):
        self.scenario = scenario
        self.reference = reference
        first = _most_complete(reference, outcomes)
        self.outcomes = {
            name: _completed(outcome, first)
            for name, outcome in outcomes.items()
        }
        self.motors = first.motors if first else []
        self.targets: dict[str, list[Segment]] = {
            motor: segments(first, motor) for motor in self.motors
        }

    @property
    def results(self) -> dict[str, Results]:
        """Results by model name, without models that simulated nothing."""
        return {
            name: outcome.results
            for name, outcome in self.outcomes.items()
            if outcome.results is not None
        }

    def units(self, motor: str) -> Units:
        """Returns the units of a motor's signals."""
        return next(iter(self.results.values())).units(motor)

    @property
    def errors(self) -> dict[str, str]:
        """Reasons of failures, by the names of the models that failed."""
        return {n: o.error for n, o in self.outcomes.items() if o.error}

    @property
    def warnings(self) -> list[str]:
        """The warnings of all models, each text once."""
        texts: dict[str, None] = {}
        for results in self.results.values():
            texts.update(dict.fromkeys(results.metadata.get("warnings", {})))
        return list(texts)

    @functools.cached_property
    def metrics(self) -> dict[str, dict[str, dict[str, float]]]:
        """Metrics by model, motor and name; see `metrics.METRICS`."""
        return {
            name: {
                motor: motor_metrics(results, motor, self.targets[motor])
                for motor in self.motors
            }
            for name, results in self.results.items()
        }

    @property
    def own_metrics(self) -> list[str]:
        """The names of the metrics of one's own."""
        return list(
            dict.fromkeys(n for o in self.outcomes.values() for n in o.own)
        )

    def own_values(self, contender: str) -> dict[str, float]:
        """Returns a model's metrics of one's own, of the whole run; NaN: none."""
        own = self.outcomes[contender].own
        return {name: own.get(name, float("nan")) for name in self.own_metrics}

    @functools.cached_property
    def totals(self) -> dict[str, dict[str, float]]:
        """Metrics of all motors together, by model and name."""
        return {
            name: total_metrics(
                motors, {m: self.results[name].units(m) for m in self.motors}
            )
            for name, motors in self.metrics.items()
        }

    def difference(self, contender: str, motor: str, signal: str) -> Difference:
        """Returns a signal of a model minus the same signal of the reference.

        Rows at different times are compared by straight lines between them. For an
        identical model it is exactly 0. It is empty if there is nothing to compare.

        Args:
            contender: the model's name.
            motor: name of the motor, "<model>/<motor>".
            signal: name of the signal, such as "position".
        """
        runs = self.results
        if contender not in runs or self.reference not in runs:
            return Difference(np.zeros(0), np.zeros(0))
        mine, other = runs[contender], runs[self.reference]
        name = f"{motor}/{signal}"
        rows = min(len(mine.time), len(other.time))
        if np.array_equal(mine.time[:rows], other.time[:rows]):
            return Difference(
                mine.time[:rows], mine[name][:rows] - other[name][:rows]
            )
        shared = mine.time <= other.time[-1]
        there = np.interp(mine.time[shared], other.time, other[name])
        return Difference(mine.time[shared], mine[name][shared] - there)

    def largest_difference(
        self, contender: str, motor: str, signal: str
    ) -> float:
        """Returns the largest |difference|; NaN: nothing to compare."""
        values = self.difference(contender, motor, signal).value
        return float(np.abs(values).max()) if values.size else float("nan")

    def row(self, contender: str, motor: str) -> dict[str, float]:
        """Returns a motor's metrics, DIFFERENCES, metrics of one's own; NaN: none."""
        values = self.metrics.get(contender, {}).get(motor, {})
        row = {name: values.get(name, float("nan")) for name in METRICS}
        for name, metric in DIFFERENCES.items():
            signal = metric.unit
            row[name] = self.largest_difference(contender, motor, signal)
        return row | self.own_values(contender)


def _most_complete(
    reference: str, outcomes: Mapping[str, Outcome]
) -> Results | None:
    """Returns the reference's results, or the longest complete ones if it failed."""
    runs = {
        name: outcome.results
        for name, outcome in outcomes.items()
        if outcome.results is not None and _is_complete(outcome.results)
    }
    if reference in runs and not outcomes[reference].error:
        return runs[reference]
    return max(runs.values(), key=lambda r: r.time[-1], default=None)


def _is_complete(results: Results) -> bool:
    """Returns whether all signals and descriptions of all motors are there."""
    described = results.metadata.get("motors", {})
    return bool(results.motors) and all(
        motor in described and f"{motor}/{signal}" in results
        for motor in results.motors
        for signal in (*_MEASURED, *_GIVEN)
    )


def _completed(outcome: Outcome, first: Results | None) -> Outcome:
    """Returns the outcome with missing signals: commands of `first`, others NaN."""
    results = outcome.results
    if results is None:
        return outcome
    if first is None:
        return outcome._replace(
            results=None,
            error=outcome.error
            or "its results say nothing of their motors, nor do others; compare"
            " it with webots, too",
        )
    signals = dict(results.signals)
    rows = np.searchsorted(first.time, results.time - 1e-9)
    rows = np.minimum(rows, len(first.time) - 1)
    for name, values in first.signals.items():
        given = name.rpartition("/")[2] in _GIVEN
        there = values[rows] if given else np.full_like(values[rows], np.nan)
        signals.setdefault(name, there)
    motors = {
        **first.metadata["motors"],
        **results.metadata.get("motors", {}),
    }
    metadata = {**results.metadata, "motors": motors}
    return outcome._replace(
        results=dc.replace(results, signals=signals, metadata=metadata)
    )
