"""A step that takes too long ends the run, which keeps all before that step."""

import signal
import subprocess
import sys
import threading
import time

import pytest

from webmotor_drake import limits
from webmotor_drake.cli import step_time
from webmotor_drake.cli.main import main
from webmotor_drake.cli.step_time import limited_steps
from webmotor_drake.errors import SimulationError
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.live_page import LivePage

TOLD = r"at 0\.\d+ s a step takes more than 0.05 s of processor time \(--unl"


def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.fixture
def lift(monkeypatch):
    """Returns a pendulum, a step of which takes its time after 0.1 s."""
    monkeypatch.setattr(step_time, "_SECONDS", 0.05)
    monkeypatch.setattr(step_time, "_LOOKS", 0.01)
    scenario = load_scenario("package:pendulum", name="Lift")
    scenario.simulation_duration = 0.2
    simulation = Simulation(scenario)
    simulation.spent = []

    def monitor(context):
        if context.get_time() > 0.1 and not simulation.spent:
            simulation.spent.append(1)
            work(simulation.seconds)

    simulation.simulator.set_monitor(monitor)
    return simulation


def test_a_step_that_takes_too_long_fails_the_run_with_what_was_before(lift):
    lift.seconds = 60.0
    threads = threading.active_count()
    with pytest.raises(SimulationError, match=TOLD) as caught:  # noqa: SIM117
        with limited_steps(None):
            lift.run()
    assert 0.09 < caught.value.results.time[-1] < 0.12
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL
    assert threading.active_count() == threads


def test_many_steps_and_what_is_between_them_may_take_any_time(lift):
    lift.seconds = 0.0
    with limited_steps(None):
        lift.advance_to(0.1)
        work(0.15)  # a controller
        for part in range(20):
            lift.advance_to(0.1 + 0.005 * part)
            work(0.01)


def test_models_of_a_comparison_have_the_limit_too(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(step_time, "_SECONDS", 0.05)
    monkeypatch.setattr(step_time, "_LOOKS", 0.01)
    run = Simulation.run

    def stuck(self, **given):
        self.simulator.set_monitor(lambda context: work(60.0))
        return run(self, **given)

    monkeypatch.setattr(Simulation, "run", stuck)
    lift = ["package:pendulum", "--scenario_name", "Lift"]
    out = ["--models", "webots", "--out", str(tmp_path)]
    assert main(["compare", *lift, *out]) == 1
    failed = "webots failed: at 0 s a step takes more than 0.05 s of processor"
    assert failed in capsys.readouterr().err


def test_a_page_that_looks_on_may_take_any_time(lift, monkeypatch):
    lift.seconds = 0.3
    monkeypatch.setitem(work.__globals__, "__name__", LivePage.__module__)
    with limited_steps(None):
        lift.advance_to(0.2)


def test_the_limit_is_lifted_and_a_profiler_is_left_alone(lift):
    lift.seconds = 0.15
    with limits.unlimited(), limited_steps(None):
        lift.advance_to(0.15)
    lift.spent.clear()
    signal.signal(signal.SIGPROF, lambda *_: None)
    try:
        with limited_steps(None):
            lift.advance_to(0.2)
    finally:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)


@pytest.mark.slow
def test_a_step_that_never_comes_back_to_python_ends_a_saved_run(tmp_path):
    """OpenSSL stands for Drake's solver: both let other threads run meanwhile."""
    code = (
        "import hashlib, sys\n"
        "from webmotor_drake.cli import step_time\n"
        "from webmotor_drake.cli.main import entry\n"
        "from webmotor_drake.simulation.simulation import Simulation\n"
        "step_time._SECONDS, step_time._AT_MOST = 0.05, 0.1\n"
        "step_time._LOOKS = 0.01\n"
        "run = Simulation.run\n"
        "def monitor(context):\n"
        "    if context.get_time() > 0.1:\n"
        "        hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)\n"
        "def stuck(self, **given):\n"
        "    self.simulator.set_monitor(monitor)\n"
        "    return run(self, **given)\n"
        "Simulation.run = stuck\n"
        "sys.argv[1:] = ['run', 'package:pendulum', '--scenario_name', 'Lift',\n"
        f"    '--out', {str(tmp_path)!r}]\n"
        "entry()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1
    assert "a step takes more than 0.05 s of processor time" in done.stderr
    assert f"saved in {tmp_path}" in done.stdout
    assert 0.09 < Results.load(tmp_path).time[-1] < 0.12
