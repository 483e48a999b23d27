"""The result of a fit."""

import dataclasses as dc
import html
import math

import numpy as np

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.fitting.estimate import Certainty, Estimate
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.overlay import overlay_text
from webmotor_drake.fitting.parameter_tree import GAINS, START
from webmotor_drake.results.text import html_table
from webmotor_drake.scenario.scenario import Scenario


@dc.dataclass(frozen=True, eq=False)
class Part:
    """A part of the log, and what the scenario makes of it.

    Attributes:
        experiment: the log's part, and its series.
        before: what would have been measured with the start values, shape
            (series, N); None: the run failed.
        after: the same with the estimates.
    """

    experiment: Experiment
    before: np.ndarray | None
    after: np.ndarray | None

    @property
    def rms_before(self) -> dict[str, float]:
        """RMS errors by series before the fit, in the series' unit."""
        return self._rms(self.before)

    @property
    def rms_after(self) -> dict[str, float]:
        """The same after the fit."""
        return self._rms(self.after)

    def _rms(self, predicted: np.ndarray | None) -> dict[str, float]:
        if predicted is None:
            return {s.name: math.nan for s in self.experiment.series}
        return self.experiment.rms(predicted)

    @property
    def residuals(self) -> np.ndarray:
        """Predicted less measured after the fit, shape (series, N); NaN: not known."""
        measured = [series.measured for series in self.experiment.series]
        if self.after is None:
            return np.full_like(measured, np.nan)
        return self.after - measured


@dc.dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A scenario's motors, fitted to a log under a motor model.

    Attributes:
        model: the motor model.
        scenario: with the estimates in it.
        gains: of drake_pd, with the estimates.
        certainty: estimates, covariance, and what the data does not determine.
        fitted: the part of the log that was fitted to.
        kept_out: the part that was not; None: there was none.
        history: after each look the runs done and the least RMS residual.
        costs: where the search from each start ended, half the sum of squares.
        runs: how many runs were done.
        failed_runs: how many of them failed.
        problem: what was wrong with the first of these.
        wall_time: s.
        interrupted: whether the search was stopped before its end.
        remarks: what is odd about the log.
    """

    model: str
    scenario: Scenario
    gains: Gains
    certainty: Certainty
    fitted: Part
    kept_out: Part | None
    history: list[tuple[int, float]]
    costs: list[float]
    runs: int
    failed_runs: int
    problem: str
    wall_time: float
    interrupted: bool
    remarks: list[str]

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The parameters that were fitted, by name."""
        return {e.parameter.name: e for e in self.certainty.estimates}

    @property
    def covariance(self) -> np.ndarray:
        """Of the estimates, shape (P, P)."""
        return self.certainty.covariance

    @property
    def residuals(self) -> np.ndarray:
        """Predicted less measured, of the fitted part, shape (series, N)."""
        return self.fitted.residuals

    @property
    def overlay(self) -> str:
        """The estimates as YAML, for `--overlay` and `--scenario_text`."""
        return overlay_text(
            self.scenario,
            {
                path: float(f"{e.value:.8g}")
                for e in self.certainty.estimates
                for path in e.parameter.paths
                if path[0] not in (GAINS, START)
            },
        )

    def __repr__(self) -> str:
        """Returns the model, its error and how many runs it took, in a line."""
        part = "kept out" if self.kept_out else "fitted"
        return (
            f"<Fit of {self.model}: {len(self.estimates)} parameters, mean RMS error"
            f" {self.score:.4g} on what was {part}, {self.runs} runs>"
        )

    def _repr_html_(self) -> str:
        """Returns the estimates as a table, for notebooks."""
        rows = [
            ["parameter", "start", "estimate", "standard deviation", "unit"]
        ]
        for e in self.certainty.estimates:
            numbers = (e.parameter.start, e.value, e.deviation)
            cells = [f"{number:.5g}" for number in numbers]
            rows.append([e.parameter.name, *cells, e.parameter.unit])
        return (
            f"{html_table(rows, left=1)}<p>{html.escape(repr(self)[1:-1])}</p>"
        )

    @property
    def score(self) -> float:
        """Mean over the series of the RMS error on what was kept out, else fitted."""
        part = self.kept_out or self.fitted
        return float(np.mean(list(part.rms_after.values())))
