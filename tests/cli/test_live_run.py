"""webmotor run --page, and webmotor view, as a terminal shows them."""

import re
from pathlib import Path

import pytest

import webmotor_drake as wm
from webmotor_drake.cli import view_command
from webmotor_drake.cli.main import main
from webmotor_drake.interrupts import RunEnded
from webmotor_drake.view.live_page import LivePage

LIFT = ["package:pendulum", "--scenario_name", "Lift"]
SHORT = ["--scenario_text", "{simulation_duration: 0.2}", "--quiet"]
LIVE = ["--page", "--no_wait", "--realtime", "0"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Runs are saved where nothing else is."""
    monkeypatch.chdir(tmp_path)


def endings(monkeypatch, *endings):
    """Has the browser's user do these things, one after each run."""
    left = list(endings)

    def run_on(live):
        ending = left.pop(0)
        if ending == "Ctrl-C":
            raise KeyboardInterrupt
        live._pace.ended = ending
        raise RunEnded

    monkeypatch.setattr(LivePage, "run_on", run_on)
    return left


@pytest.mark.slow
def test_it_tells_the_address_and_stays_until_ctrl_c(monkeypatch, capsys):
    left = endings(monkeypatch, "stop", "reset", "Ctrl-C")
    assert main(["run", *LIFT, *SHORT, *LIVE]) == 0
    assert left == []
    told = capsys.readouterr().err
    assert len(re.findall(r"open http://127\.0\.0\.1:7\d\d\d in a", told)) == 1
    assert told.count("webmotor: over") == 2  # Reset ran it again
    assert "Traceback" not in told
    assert wm.Results.load("runs/Lift").time[-1] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--no_wait"], "--no_wait needs --page"),
        (["--realtime", "2"], "--realtime needs --page"),
        (["--camera", "top"], "--camera needs --video"),
        (["--fps", "10"], "--fps needs --video"),
        (["--to", "0.1"], "--to needs --video"),
        (["--video", "a.avi"], "write a.avi: .mp4, .webm or .gif is needed"),
        (["--video", "a.mp4", "--size", "5x5"], "size: even numbers are"),
        (["--show", "efforts"], "--show needs --page, --html or --video"),
        (["--page", "--show", "effort"], "did you mean efforts?"),
        (["--page", "--html", "a.html"], "--html does not work with --page"),
        (["--video", "a.gif", "--camera", "top"], "unknown camera 'top'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, problem, capsys):
    assert main(["run", *LIFT, *SHORT, *options]) == 2
    assert problem in capsys.readouterr().err
    assert not Path("runs/Lift/run.npz").exists()


def test_view_shows_what_there_is_until_ctrl_c(monkeypatch, capsys):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(view_command.time, "sleep", interrupt)
    assert main(["run", *LIFT, *SHORT]) == 0
    world = wm.SCENARIOS / "worlds" / "worlds" / "arm.wbt"
    models = wm.MODELS / "lift.urdf", world
    for shown in (["runs/Lift"], LIFT, *([str(model)] for model in models)):
        assert main(["view", *shown, "--show", "limits"]) == 0
        assert "open http://127.0.0.1:" in capsys.readouterr().err


def test_half_a_run_is_refused_in_a_line(capsys):
    assert main(["run", *LIFT, *SHORT]) == 0
    Path("runs/Lift/run.json").unlink()
    assert main(["view", "runs/Lift"]) == 2
    told = (
        "webmotor: cannot read runs/Lift/run.json: No such file or directory\n"
    )
    assert capsys.readouterr().err == told
