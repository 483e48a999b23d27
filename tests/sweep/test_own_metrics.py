"""Metrics of one's own: functions of a run's results."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.sweep.runs import SweepRuns
from webmotor_drake.sweep.study_run import StudyRun

SHORT = "{simulation_duration: 0.2}"
SPEED = 'model_drivers.arm.motors."elbow motor".max_velocity'
ELBOW = "arm/elbow motor/position"


@pytest.fixture
def arm():
    """Returns a short scenario of an arm."""
    return wm.load_scenario("package:two_link_arm", text=SHORT)


def study():
    return wm.Study(parameters={SPEED: [0.5, 1.0]}, metrics=["overshoot"])


def reach(results):
    return results[ELBOW].max()


@pytest.mark.slow
def test_a_function_is_a_column_and_ranks(arm, tmp_path):
    scale = 2.0  # what it closes over goes along
    runs = wm.run_study(
        arm,
        study(),
        tmp_path / "runs",
        jobs=1,
        metrics={
            "reach": reach,
            "last": lambda results: scale * results[ELBOW][-1],
        },
    )
    assert runs.metrics == ["overshoot", "reach", "last"]
    for speed, found, last in zip(
        runs.columns[SPEED],
        runs.numbers("reach"),
        runs.numbers("last"),
        strict=True,
    ):
        scenario = wm.load_scenario("package:two_link_arm", text=SHORT)
        motor = scenario.model_drivers["arm"].motors["elbow motor"]
        motor.max_velocity = speed
        alone = wm.run(scenario)[ELBOW]
        assert found == alone.max()
        assert last == 2 * alone[-1]
    order = runs.ranked("reach")
    assert np.all(np.diff(runs.numbers("reach")[order]) >= 0)


def test_a_function_that_fails_fails_its_run_alone(arm, tmp_path, here):
    def picky(results):
        if abs(results["arm/elbow motor/velocity"]).max() > 0.7:
            raise ZeroDivisionError("too far")
        return 1.0

    StudyRun(arm, study(), tmp_path, metrics={"picky": picky}).run(here)
    runs = SweepRuns.load(tmp_path)
    statuses = dict(
        zip(runs.columns["status"], runs.columns["error"], strict=True)
    )
    assert "metric picky: ZeroDivisionError: too far" in statuses["failed"]


def test_runs_with_another_function_are_done_again(arm, tmp_path):
    def first(results):
        return 1.0

    def second(results):
        return 2.0

    ids = [
        set(StudyRun(arm, study(), tmp_path, metrics={"own": own}).jobs)
        for own in (first, first, second)
    ]
    assert ids[0] == ids[1]
    assert not ids[0] & ids[2]


@pytest.mark.parametrize(
    ("name", "metric", "problem"),
    [
        ("overshoot", reach, "overshoot is taken"),
        ("status", reach, "status is taken"),
        ("a/b", reach, "cannot be a metric's name"),
        ("", reach, "cannot be a metric's name"),
        ("own", 3, "a function of the Results is needed"),
    ],
)
def test_what_cannot_be_a_metric_is_refused(
    arm, tmp_path, name, metric, problem
):
    with pytest.raises(wm.InputError, match=problem):
        StudyRun(arm, study(), tmp_path, metrics={name: metric})
