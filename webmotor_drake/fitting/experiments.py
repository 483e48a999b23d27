"""Experiments with one robot, and the parameters that they share."""

import dataclasses as dc
import itertools
from collections.abc import Sequence

import numpy as np

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.logged_motors import Series
from webmotor_drake.fitting.own_model import with_fitted_model
from webmotor_drake.fitting.parameter import Parameter, with_parameters
from webmotor_drake.fitting.parameter_tree import paths_in
from webmotor_drake.scenario.parameter_path import Keys, Value
from webmotor_drake.scenario.scenario import Scenario


@dc.dataclass
class Experiments:
    """Experiments with one robot; each has all the parameters.

    Attributes:
        each: the experiments, one or more.
        scenario: common scenario, without the experiments' differences.
        gains: common gains of drake_pd.
        rotors: values that the scenario got from its data sheets, by path.
    """

    each: list[Experiment]
    scenario: Scenario
    gains: Gains = dc.field(default_factory=dict)
    rotors: dict[Keys, Value] = dc.field(default_factory=dict)

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters of all experiments, including those of only some."""
        return self.each[0].parameters

    @property
    def model(self) -> str:
        """The motor model."""
        return self.each[0].model

    @property
    def series(self) -> list[Series]:
        """The measured signals of all experiments, one after the other."""
        return [series for one in self.each for series in one.series]

    @property
    def owners(self) -> list[int]:
        """The index of each series' experiment."""
        return [i for i, one in enumerate(self.each) for _ in one.series]

    def with_values(self, values: np.ndarray) -> tuple[Scenario, Gains]:
        """Returns scenario and gains with the values, shape (P,), that all share.

        The scenario's motors get the motor model, if a scenario can name it.
        """
        shared = {
            path: float(value)
            for parameter, value in zip(self.parameters, values, strict=True)
            for path in paths_in(parameter.paths)
        }
        scenario, gains = with_parameters(self.scenario, self.gains, shared)
        return with_fitted_model(scenario, self.model), gains

    def predict(self, values: np.ndarray) -> list[np.ndarray]:
        """Returns the predicted measurements, one row per series.

        Args:
            values: values of the parameters, shape (P,).

        Raises:
            InputError: the scenario cannot have these values.
            SimulationError: the run failed.
        """
        return [row for one in self.each for row in one.predict(values)]

    def split(self, rows: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Returns one row per series as a table per experiment, (series, N) each."""
        ends = np.cumsum([0, *(len(one.series) for one in self.each)])
        return [np.array(rows[a:b]) for a, b in itertools.pairwise(ends)]

    def residuals(self, predicted: Sequence[np.ndarray]) -> np.ndarray:
        """Returns the predictions less the measurements, over the scales.

        Args:
            predicted: one row per series.

        Returns:
            Residuals of the measured samples, one series after the other, in one row.
        """
        rows = [
            ((row - s.measured) / s.scale)[np.isfinite(s.measured)]
            for s, row in zip(self.series, predicted, strict=True)
        ]
        return np.concatenate(rows)

    def split_residuals(self, residuals: np.ndarray) -> list[np.ndarray]:
        """Returns the residuals of each series, without those of priors.

        Args:
            residuals: residuals, shape (R,), or columns of them, shape (R, K).
        """
        sizes = [np.isfinite(s.measured).sum() for s in self.series]
        return np.split(residuals, np.cumsum(sizes))[: len(sizes)]
