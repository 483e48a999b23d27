"""The exit status where the run is done but something else is not."""

import subprocess
import sys
from pathlib import Path

import pytest
from folders import ROOT

from webmotor_drake.cli.exit_status import status_of
from webmotor_drake.cli.main import main
from webmotor_drake.results.results import Results

PENDULUM = str(ROOT / "scenarios" / "pendulum.scenario.yaml")
SHORT = "{simulation_duration: 0.08}"
LIFT = [PENDULUM, "--scenario_name", "Lift", "--scenario_text", SHORT]
NO_SPACE = (
    "webmotor: cannot write the standard output: No space left on device\n"
)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
@pytest.mark.parametrize(
    ("command", "saved"),
    [
        (["run", *LIFT, "--out", "out"], "out"),
        (
            ["compare", *LIFT, "--models", "webots", "--out", "out"],
            "out/webots",
        ),
        (["check", *LIFT], ""),
        (["scenarios"], ""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_full_standard_output_is_a_failure_and_not_wrong_input(
    tmp_path, monkeypatch, capsys, command, saved
):
    monkeypatch.chdir(tmp_path)
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(command) == 1
        monkeypatch.undo()
    assert capsys.readouterr().err == NO_SPACE
    if saved:
        Results.load(tmp_path / saved)


@pytest.mark.parametrize(
    ("number", "status"),
    [(0, 0), (1, 1), (255, 255), (256, 1), (257, 1), (-1, 255), (2**70, 1)],
)
def test_what_is_no_success_does_not_become_one(number, status):
    """The system keeps eight bits."""
    assert status_of(number) == status


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        "atexit.register(os._exit, 0)",
        "kept = type('K', (), {})(); weakref.finalize(kept, os._exit, 0)",
        "threading.Thread(target=lambda: os._exit(0)).start()",
    ],
)
def test_no_exit_of_a_controllers_hides_its_failure(tmp_path, given):
    file = tmp_path / "controller_a.py"
    file.write_text(
        "import atexit, os, threading, weakref\n"
        "from controller import Robot\n"
        f"Robot().step(8)\n{given}\n1 / 0\n"
    )
    command = [sys.executable, "-m", "webmotor_drake", "run", *LIFT]
    done = subprocess.run(
        [*command, "--controller", str(file), "--out", str(tmp_path / "out")],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    Results.load(tmp_path / "out")
