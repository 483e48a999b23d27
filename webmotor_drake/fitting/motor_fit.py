"""The result of a fit."""

import dataclasses as dc
import functools
import html
import math

import numpy as np

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.fitting.estimate import Certainty, Estimate
from webmotor_drake.fitting.evaluation import Errors, Evaluation, told
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.logged_motors import LoggedMotor
from webmotor_drake.fitting.own_model import model_values
from webmotor_drake.fitting.parameter_tree import EXPERIMENTS, GAINS, START
from webmotor_drake.fitting.runs import FitRuns
from webmotor_drake.fitting.search import Search
from webmotor_drake.results.text import html_table
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.scenario_yaml import overlay_text


@dc.dataclass(frozen=True, eq=False)
class Part:
    """A part of the data, fitted or kept out, with start values and estimates.

    Attributes:
        before: errors with the start values.
        after: errors with the estimates.
        values: the estimates, shape (P,).
        covariance: covariance of the estimates, shape (P, P); None in the fitted
            part, whose errors are not corrected for it.
    """

    before: Evaluation
    after: Evaluation
    values: np.ndarray
    covariance: np.ndarray | None = None
    _signals: dict[int, dict[str, np.ndarray]] = dc.field(default_factory=dict)

    @property
    def experiments(self) -> Experiments:
        """A part of each experiment, or the whole."""
        return self.after.experiments

    @functools.cached_property
    def doubt(self) -> dict[str, float]:
        """The mean square error that the estimates' uncertainty causes, by series.

        In the series' unit squared, on the judged part; empty: not known. Even the
        right model has this error, as its estimates are fitted to noise. Derivatives
        take further runs.
        """
        if self.covariance is None or self.after.predicted is None:
            return {}
        search = Search(FitRuns(self.experiments))
        place = search.box.place(self.values)
        slope = search.box.slope(place)
        inside = self.covariance / np.outer(slope, slope)
        jacobian = search.derivatives(place, list(self.after.predicted))
        squares = np.einsum(
            "rp,pq,rq->r", jacobian, np.nan_to_num(inside), jacobian
        )
        rows = zip(
            self.experiments.series,
            self.experiments.split_residuals(squares),
            self.after.judged_samples,
            strict=True,
        )
        return {
            s.name: s.scale**2
            * float(part[judged[np.isfinite(s.measured)]].mean())
            for s, part, judged in rows
        }

    def signals(
        self, owner: int, motor: LoggedMotor, signal: str
    ) -> np.ndarray:
        """Returns a signal of the run with the estimates, shape (N,).

        Args:
            owner: index of its experiment.
            motor: the motor.
            signal: name of the signal, such as "saturated"; an unknown one gives NaN.
        """
        if owner not in self._signals:
            one = self.experiments.each[owner]
            self._signals[owner] = one.signals_at_samples(self.values)
        found = self._signals[owner]
        unknown = np.full(len(self.experiments.each[owner].log.time), np.nan)
        return found.get(f"{motor.signal}/{signal}", unknown)


@dc.dataclass(frozen=True, eq=False, repr=False)
class MotorFit:
    """A scenario's motors, fitted to a log under a motor model.

    Attributes:
        model: the motor model.
        scenario: scenario with the estimates.
        gains: gains of drake_pd, with the estimates.
        certainty: estimates, covariance, and combinations that are not determined.
        fitted: the part of the experiments that was fitted to.
        kept_out: the part, or the experiments, kept out of the fit; None: nothing was.
        history: number of runs and least RMS residual, after each point.
        runs: number of runs.
        failed_runs: number of failed runs.
        problem: reason of the first failure.
        wall_time: duration of the fit, s.
        interrupted: True if the search was stopped before its end.
        remarks: oddities of the logs.
        faults: faults of the logs that the result shows, one line each.
    """

    model: str
    scenario: Scenario
    gains: Gains
    certainty: Certainty
    fitted: Part
    kept_out: Part | None
    history: list[tuple[int, float]]
    runs: int
    failed_runs: int
    problem: str
    wall_time: float
    interrupted: bool
    remarks: list[str]
    faults: list[str] = dc.field(default_factory=list)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The parameters that were fitted, by name."""
        return {e.parameter.name: e for e in self.certainty.estimates}

    @property
    def covariance(self) -> np.ndarray:
        """The covariance of the estimates, shape (P, P)."""
        return self.certainty.covariance

    @property
    def residuals(self) -> np.ndarray | dict[str, np.ndarray]:
        """Predicted less measured, of the fitted part, shape (series, N).

        With several experiments, one array per experiment, by its name.
        """
        by_name = {
            one.experiment.name: np.array(one.residuals)
            for one in self.fitted.after.each
        }
        return by_name if len(by_name) > 1 else next(iter(by_name.values()))

    @property
    def judged(self) -> Errors:
        """The errors that a model is judged by.

        Errors in the faster of the last two thirds of the data kept out. The first
        third does not count, as it borders on the fitted data. If nothing was kept
        out, errors in the fitted data.
        """
        if self.kept_out is None:
            return self.fitted.after.all
        return self.kept_out.after.judged

    @property
    def sure(self) -> dict[str, float]:
        """RMS errors of `judged` by series, less the part of uncertain estimates."""
        doubt = self.kept_out.doubt if self.kept_out else {}
        return {
            name: math.sqrt(max(rms**2 - doubt.get(name, 0.0), 0.0))
            for name, rms in self.judged.rms.items()
        }

    @property
    def parts(self) -> list[Part]:
        """The part that was fitted to, and the one that was kept out, if any was."""
        return [part for part in (self.fitted, self.kept_out) if part]

    @property
    def overlay(self) -> str:
        """The model and the estimates as YAML, for `--overlay`, `--scenario_text`."""
        experiments = self.fitted.experiments
        models = model_values(experiments.scenario, self.model)
        fitted = {
            path: float(f"{e.value:.8g}")
            for e in self.certainty.estimates
            for path in e.parameter.paths
            if path[0] not in (GAINS, START, EXPERIMENTS)
        }
        values = models | experiments.rotors | fitted
        return overlay_text(self.scenario, values)

    def __repr__(self) -> str:
        """Returns the model, its error and how many runs it took, in a line."""
        part = (
            " of what was kept out" if self.kept_out else " of what was fitted"
        )
        return (
            f"<MotorFit of {self.model}: {len(self.estimates)} parameters, mean RMS"
            f" error {told(self.judged.mean, 4)} on {self.judged.name}{part},"
            f" {self.runs} runs>"
        )

    def _repr_html_(self) -> str:
        """Returns the estimates as a table, for notebooks."""
        table = html_table(self.certainty.rows, left=1)
        return f"{table}<p>{html.escape(repr(self)[1:-1])}</p>"
