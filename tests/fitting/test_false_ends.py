"""Searches that end in a false place are seen by what they leave, and go on."""

import interval_coverage
import numpy as np
import pytest
from modelled_pendulum import made, pendulum

from webmotor_drake.fitting import solve
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.runs import FitRuns
from webmotor_drake.fitting.search import Search


@pytest.mark.slow
def test_what_is_left_like_a_motion_is_searched_from_elsewhere(monkeypatch):
    """From its start this search ends at 35 times the least loss."""
    promising, ends = solve._promising, []

    def looked_from(search, settings):
        ends.append(search.best.cost)
        return promising(search, settings)

    monkeypatch.setattr(solve, "_promising", looked_from)
    # Those find nothing here, in twice the runs of all others; see the next test.
    monkeypatch.setattr(solve, "_go_on_by_wide_steps", lambda *_: None)
    truth, log = made("webots", 35)
    noise = 1e-4 * np.random.default_rng(35).standard_normal(len(log.time))
    position = log.signals["hinge", "position"] + noise
    signals = {**log.signals, ("hinge", "position"): position}
    run = FitRun(
        pendulum(),
        RobotLog(log.time, signals),
        None,
        model="webots",
        validate=0.0,
    )
    experiments = run.experiments
    right = np.array([truth[p.name] for p in experiments.parameters])
    least = np.square(experiments.residuals(experiments.predict(right))).sum()
    search = Search(FitRuns(experiments))
    start = np.array([p.start for p in experiments.parameters])
    solve.solve(search, start, solve.FitSettings())
    [first] = ends  # it did go on
    assert first > 1.2 * least / 2
    values = search.box.values(search.best.place)
    end = np.square(experiments.residuals(experiments.predict(values))).sum()
    assert end < 1.02 * least
    found = dict(zip(truth, values, strict=True))
    softness = found["arm.cfm"]
    assert softness == pytest.approx(truth["arm.cfm"], rel=0.1)


@pytest.mark.slow
def test_a_spring_behind_friction_is_found():
    # By differences of a thousandth of the bounds alone one of seven intervals holds.
    found = interval_coverage.intervals("series_elastic", 8)
    for name, (truth, _, low, high, is_stated) in found.items():
        assert is_stated, name
        assert low <= truth <= high, name
