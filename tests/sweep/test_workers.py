"""Who does the runs: processes of this machine, a Dask cluster."""

import csv
import dataclasses as dc
import errno
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from worker_processes import children

from webmotor_drake.errors import InputError
from webmotor_drake.interrupts import interruptible
from webmotor_drake.sweep import job, workers as workers_module
from webmotor_drake.sweep.job import Job
from webmotor_drake.sweep.study import Linear, Study
from webmotor_drake.sweep.study_run import StudyRun
from webmotor_drake.sweep.worker import DONE, FAILED, TIMEOUT, work
from webmotor_drake.sweep.workers import (
    ClusterWorkers,
    LocalWorkers,
    workers_for,
)

GAIN = 'model_drivers.lift.motors."mast motor".control_pid[0]'
TIME_STEP = ("plant_config", "time_step")


def job_of(scenario, **changes):
    job = Job("", pickle.dumps(scenario), (), (), 0, ("peak_effort",))
    return dc.replace(job, **changes)


def test_a_run_beyond_its_time_is_ended(lift):
    work(job_of(lift))  # warm, so that the time is the run's alone
    # Steps of a millionth: minutes.
    endless = job_of(lift, parameters=((TIME_STEP, 1e-6),), timeout=0.05)
    outcome = work(endless)
    assert (outcome.status, outcome.error) == (TIMEOUT, "not done after 0.05 s")


def test_a_fault_of_ours_is_a_row_and_not_the_end(lift, monkeypatch):
    def fail(*args, **kwargs):
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr(job, "one_run", fail)
    outcome = work(job_of(lift))
    assert (outcome.status, outcome.error) == (FAILED, "by nothing")


@pytest.mark.parametrize("number", [0, -1])
def test_no_processes_are_refused(number):
    with pytest.raises(InputError, match="a whole number from 1 on"):
        workers_for(number, None)


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_told_of_in_time(
    monkeypatch, put_back
):
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers_module, "_ANSWER", 0.2)
    for address in ("nonsense", "tcp://127.0.0.1:1"):
        told = f"no scheduler answers at '{address}' within 0.2 s"
        with pytest.raises(InputError, match=told):
            ClusterWorkers(address)
        gc.collect()  # Dask's client hangs if another is collected as it starts


def rows_of(lift, workers, folder, runs=6, progress=None):
    """Returns the rows of a study, sorted, without the time that they took."""
    study = Study(parameters={GAIN: Linear(1, 20, runs)})
    try:
        StudyRun(lift, study, folder, timeout=600).run(workers, progress)
    finally:
        workers.stop()
    with (Path(folder) / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        del row["wall_time"]
    return sorted(rows, key=lambda row: row["run"])


@pytest.mark.slow
def test_rows_are_the_same_wherever_they_are_run(lift, tmp_path, put_back):
    """One process, two of which one is killed, and a cluster of two."""
    pytest.importorskip("joblib")
    distributed = pytest.importorskip("distributed")
    alone = rows_of(lift, LocalWorkers(1), tmp_path / "1")
    assert [row["status"] for row in alone] == [DONE] * 6

    workers = LocalWorkers(2)
    killed = []

    def kill_one(before, outcome):
        if outcome is not None and not killed:
            (pid, *_) = children()
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    assert rows_of(lift, workers, tmp_path / "2", progress=kill_one) == alone
    assert killed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        workers = ClusterWorkers(cluster.scheduler_address)
        assert workers.room == 4  # two runs for each of the two threads
        assert rows_of(lift, workers, tmp_path / "cluster") == alone


@pytest.mark.slow
def test_a_study_that_is_killed_loses_and_repeats_nothing(tmp_path):
    """The small sample of benchmarks/sweep.py, which kills ten times."""
    pytest.importorskip("joblib")
    command = [
        *(sys.executable, "-m", "webmotor_drake", "sweep"),
        *("package:vertical_lift", "--vary", f"{GAIN}=1:20:12", "--quiet"),
        *("--scenario_text", "{simulation_duration: 0.1}"),
        *("--jobs", "1", "--out", str(tmp_path)),
    ]
    table = tmp_path / "runs.csv"
    process = subprocess.Popen(command)
    give_up = time.monotonic() + 600
    while not table.exists() or table.read_bytes().count(b"\n") < 4:
        assert time.monotonic() < give_up
        time.sleep(0.02)
    process.kill()
    process.wait()
    before = table.read_bytes().rpartition(b"\n")[0].splitlines()
    assert subprocess.run(command).returncode == 0
    after = table.read_bytes().splitlines()
    assert after[: len(before)] == before  # wall times, too: not run again
    assert len(after) == 13


def test_one_run_at_a_time_even_with_several_threads(lift):
    """Warnings and seeds are the process'; a cluster's worker may have threads."""
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(work(job_of(lift))))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({outcome.metrics for outcome in found}) == 1
    assert [outcome.status for outcome in found] == [DONE] * 3


@pytest.mark.slow
@pytest.mark.parametrize("place", ["stop", "submit"])
def test_ctrl_c_while_workers_end_leaves_none(lift, monkeypatch, place):
    """It waits until they have ended; half an end would hang for ever."""
    loky = pytest.importorskip("joblib.externals.loky")
    shutdown = loky.ProcessPoolExecutor.shutdown
    before = set(children())

    def interrupted(executor, *args, **kwargs):
        os.kill(os.getpid(), signal.SIGINT)
        shutdown(executor, *args, **kwargs)

    workers = LocalWorkers(2)
    with interruptible():
        for future in [workers.submit(job_of(lift)) for _ in range(2)]:
            future.result()
        assert len(set(children()) - before) == 2
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(loky.ProcessPoolExecutor, "shutdown", interrupted)
            if place == "submit":
                patch.setattr(workers_module, "_GROWTH", -1)
                workers.submit(job_of(lift))
            else:
                workers.stop()
        workers.stop()
    assert set(children()) == before


@pytest.mark.slow
def test_a_worker_whose_study_was_killed_as_it_started_ends():
    # Its parent is another process by the time it looks.
    code = (
        "import sys, time\n"
        "from webmotor_drake.sweep.workers import _start\n"
        "_start(int(sys.argv[1]))\n"
        "time.sleep(600)\n"
    )
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
    ).stdout
    command = [sys.executable, "-c", code, gone.strip()]
    assert subprocess.run(command, timeout=300).returncode == 1


def test_a_run_that_nobody_waits_for_any_more_is_waited_for(lift):
    pytest.importorskip("joblib")
    workers = LocalWorkers(1)
    try:
        left = workers.submit(job_of(lift))
        outcome = workers.submit(job_of(lift)).result(timeout=300)
    finally:
        workers.stop()
    assert left.done() and outcome.status == DONE


@pytest.mark.parametrize("masked", [False, True], ids=["plain", "in loky"])
def test_a_process_that_the_system_refuses_is_told_in_a_line(lift, masked):
    pytest.importorskip("joblib")

    def refuse():
        try:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        except OSError:
            if masked:  # loky's own clean-up stumbles
                raise UnboundLocalError("child_r") from None
            raise

    workers = LocalWorkers(1)
    workers._new = refuse
    with pytest.raises(
        InputError, match="cannot start a worker: Too many open"
    ):
        workers.submit(job_of(lift))
    workers.stop()
