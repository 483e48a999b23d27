"""The noise of a start is an error of what follows, and intervals know of it."""

import dataclasses as dc

import numpy as np
import pytest
from logged_pendulum import DELAY, TRUE, P, log_of, pendulum

from webmotor_drake.fitting.estimate import certainty
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.runs import FitRuns
from webmotor_drake.fitting.search import Box, Point, Search
from webmotor_drake.fitting.start import start_errors


def ready(log, **options):
    parameters = {P: (2, 20, 8), DELAY: (0, 0.05, 0.013)}
    return FitRun(pendulum(), log, parameters, model="webots", **options)


@pytest.fixture(scope="module")
def log():
    return log_of(pendulum(**TRUE))


@pytest.fixture(scope="module")
def looked(log):
    experiments = ready(log).experiments
    search = Search(FitRuns(experiments))
    values = np.array([8.0, 0.013])
    return experiments, values, search.look(search.box.place(values))


def test_it_is_what_another_first_sample_would_have_changed(log, looked):
    experiments, values, point = looked
    (column,) = start_errors(experiments, values, point).T
    (one,), (series,) = experiments.each, experiments.series
    size = min(np.sqrt(np.mean(point.residuals**2)), 1.0) * series.scale
    position = log.signals["hinge", "position"].copy()
    position[0] += size
    signals = {**log.signals, ("hinge", "position"): position}
    beside = dc.replace(one, log=RobotLog(log.time, signals)).predict(values)
    change = (beside - point.predicted[0])[0] / series.scale
    expected = change[np.isfinite(series.measured)]
    np.testing.assert_allclose(column, expected, atol=1e-3)
    assert np.abs(column).max() > 0.1


def test_intervals_become_wider_by_it(looked):
    experiments, values, point = looked
    errors = start_errors(experiments, values, point)
    without = certainty(experiments, point).covariance
    known = certainty(experiments, point, errors=errors).covariance
    added = known - without
    assert (np.linalg.eigvalsh(added) > -1e-12 * np.abs(added).max()).all()
    # One start moves all estimates in one direction: Gauss and Newton's step.
    curvature = point.jacobian.T @ point.jacobian
    moved = np.linalg.solve(curvature, point.jacobian.T @ errors[:, 0])
    moved = moved * Box(experiments.parameters).slope(point.place)
    np.testing.assert_allclose(added, np.outer(moved, moved), rtol=1e-6)


@pytest.mark.parametrize("options", [{"fit_start": True}, {"windows": 4}])
def test_a_start_that_is_fitted_or_smoothed_is_no_error(log, options):
    experiments = ready(log, **options).experiments
    values = np.array([p.start for p in experiments.parameters])
    search = Search(FitRuns(experiments))
    point = search.look(search.box.place(values))
    assert start_errors(experiments, values, point) is None


def test_what_nothing_tells_apart_has_a_large_variance_and_not_none(looked):
    """Two columns alike to the last bit: their common axis has no curvature."""
    experiments, _, point = looked
    twins = np.repeat(point.jacobian[:, :1], 2, axis=1)
    both = Point(point.place, point.predicted, point.residuals, twins)
    found = certainty(experiments, both)
    assert not any(e.is_determined for e in found.estimates)
    assert "cannot be told apart" in found.undetermined[0]


def test_a_parameter_at_its_bound_leaves_others_sure_only_if_pushed_there(
    looked,
):
    experiments, _, point = looked
    random = np.random.default_rng(0)
    size = len(point.residuals)
    common, own = random.standard_normal((2, size))
    columns = np.column_stack([common, common + 0.1 * own])
    left = random.standard_normal(size)
    left -= columns @ np.linalg.lstsq(columns, left)[0]  # at the best place
    place = np.array([0.5, 0.0])
    deviations = []
    for push in (0.0, 1.0):
        residuals = left + push * own  # less of it would be beyond the bound
        there = Point(place, point.predicted, residuals, columns)
        found = certainty(experiments, there)
        first, second = found.estimates
        assert second.at_bound == "low" and np.isnan(second.deviation)
        assert np.isnan(found.covariance[1]).all()
        deviations.append(first.deviation)
    # As wide as the common part makes it: 10 times a column alone.
    assert deviations[0] > 5 * deviations[1]
