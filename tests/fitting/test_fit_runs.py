"""Who does the runs of a fit: this process, others that may die, a cluster."""

import math
import os
import signal
import time

import numpy as np
import pytest
from logged_pendulum import DELAY, TRUE, P, log_of, pendulum
from worker_processes import children

from webmotor_drake.cli import fit_command
from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.parameter import parse_option
from webmotor_drake.fitting.runs import FitRuns, fit_workers, predictions
from webmotor_drake.fitting.search import Search
from webmotor_drake.sweep.workers import ClusterWorkers, LocalWorkers

pytest.importorskip("scipy")
pytest.importorskip("joblib")

POINTS = [np.array([gain, 0.01]) for gain in (2.0, 5.0, 8.0, 11.0)]


@pytest.fixture(scope="module")
def log():
    return log_of(pendulum(**TRUE))


@pytest.fixture(scope="module")
def experiment(log) -> Experiments:
    options = [parse_option(f"{P}=2:20:5"), parse_option(f"{DELAY}=0:0.05")]
    run = FitRun(pendulum(), log, options, model="webots")
    return run.experiments


@pytest.fixture(scope="module")
def alone(experiment):
    return FitRuns(experiment).predict(POINTS)


@pytest.mark.parametrize(
    "model", ["webots", "pd", "pd_explicit", "dc_motor", "series_elastic"]
)
def test_robots_that_share_a_plant_move_as_alone_to_the_last_bit(log, model):
    run = FitRun(pendulum(), log, None, model=model)
    (experiment,) = run.experiments.each
    parameters = experiment.parameters
    start = np.array([p.start for p in parameters])
    steps = 1e-3 * np.array([p.high - p.low for p in parameters])
    points = [start, *(start + np.diag(steps))]
    assert experiment.room >= len(points)
    alone = [experiment.predict(point) for point in points]
    np.testing.assert_array_equal(predictions(experiment, points), alone)
    assert experiment.shares_plant


def test_a_point_that_fails_does_not_fail_those_that_share_its_plant(log):
    run = FitRun(pendulum(), log, {P: (2, 20, 5)}, model="webots")
    (experiment,) = run.experiments.each
    good, bad = np.array([5.0]), np.array([math.nan])
    first, failed, last = predictions(experiment, [good, bad, good])
    np.testing.assert_array_equal(first, experiment.predict(good))
    np.testing.assert_array_equal(last, first)
    assert "nan" in failed


@pytest.mark.parametrize("width", [None, 1e-2])
def test_derivatives_come_with_a_point_whose_plant_they_share(log, width):
    run = FitRun(pendulum(), log, None, model="pd")
    counted = FitRuns(run.experiments)
    search = Search(counted)
    (one,) = run.experiments.each
    place = np.full(len(one.parameters), 0.3)
    point = search.look(place, width)
    number = counted.number
    assert number == 1 + len(place) * (2 if width else 1)
    found = point.jacobian
    assert counted.number == number
    one.shares_plant = False
    alone = Search(FitRuns(run.experiments))
    later = alone.look(place)
    assert not later.is_differentiated
    expected = (alone.wide(later, width) if width else later).jacobian
    np.testing.assert_array_equal(found, expected)


def test_models_without_motors_of_a_scenario_are_run_alone(log):
    run = FitRun(pendulum(), log, {P: (2, 20, 5)}, model="ideal")
    (experiment,) = run.experiments.each
    points = [np.array([gain]) for gain in (4.0, 5.0)]
    found = predictions(experiment, points)
    assert not experiment.shares_plant
    np.testing.assert_array_equal(found, [*map(experiment.predict, points)])


class Deadly(LocalWorkers):
    """Processes of which one is killed with a run under way, and one idle."""

    handed = 0

    def submit(self, task):
        future = super().submit(task)
        self.handed += 1
        if self.handed == 2:
            (pid, *_) = children()
            os.kill(pid, signal.SIGKILL)
        return future


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_a_retry_and_nothing_else(
    experiment, alone
):
    workers = Deadly(2)
    try:
        runs = FitRuns(experiment, workers)
        found = runs.predict(POINTS)
        np.testing.assert_array_equal(found, alone)
        assert workers.handed == 2 + 1  # each has half of the points
        # And one that dies while nothing is to be done costs nothing at all.
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        _wait_for(lambda: not list(children()))
        np.testing.assert_array_equal(runs.predict(POINTS[:1]), alone[:1])
        assert (runs.number, runs.failed) == (5, 0)
    finally:
        workers.stop()
    assert not list(children())


def _wait_for(condition):
    give_up = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@pytest.mark.slow
def test_a_cluster_finds_the_same(experiment, alone, put_back):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        workers = ClusterWorkers(cluster.scheduler_address)
        try:
            found = FitRuns(experiment, workers).predict(POINTS)
        finally:
            workers.stop()
    np.testing.assert_array_equal(found, alone)


@pytest.mark.slow
def test_sigterm_ends_all_processes_and_keeps_what_was_found(
    log, tmp_path, monkeypatch, capsys
):
    file = tmp_path / "log.csv"
    names = list(log.signals)
    rows = np.column_stack([log.time, *(log.signals[name] for name in names)])
    head = ",".join(["time", *map(".".join, names)])
    np.savetxt(file, rows, delimiter=",", header=head, comments="")
    looks = []

    class Watched:
        def __init__(self, *args, **kwargs):
            pass

        def __enter__(self):
            return self.look

        def __exit__(self, *args):
            pass

        def look(self, runs, residual):
            looks.append(runs)
            if len(looks) == 2:
                assert list(children())
                os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(fit_command, "progress_of_fit", Watched)
    status = main(
        [
            *("fit", "package:pendulum", "--scenario_name", "Lift"),
            *("--log", str(file), "--parameter", f"{DELAY}=0:0.05:0.02"),
            *("--jobs", "2", "--out", str(tmp_path / "out")),
        ]
    )
    assert status == 128 + signal.SIGTERM
    assert len(looks) == 2
    assert not list(children())
    captured = capsys.readouterr()
    assert "interrupted" in captured.err
    assert "stopped early" in captured.out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"fitted.yaml", "estimates.csv", "report.html"}


@pytest.mark.parametrize(
    ("jobs", "timeout", "problem"),
    [(-1, None, "--jobs: -1 is not"), (1, 0.0, "--timeout: 0 is not")],
)
def test_numbers_that_cannot_be_are_refused(jobs, timeout, problem):
    with (
        pytest.raises(InputError, match=problem),
        fit_workers(jobs, timeout=timeout),
    ):
        pass
