"""webmotor sweep: what it prints, writes and returns."""

from types import SimpleNamespace

import pytest

from webmotor_drake.cli import sweep_command
from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError
from webmotor_drake.sweep.worker import work

LIFT = [
    *("sweep", "package:vertical_lift"),
    *("--scenario_text", "{simulation_duration: 0.05}"),
]
MASS = "bodies.lift.carriage.mass"


class HereAndNow:
    room = 1

    def submit(self, job):
        from concurrent.futures import Future

        future = Future()
        future.set_result(work(job))
        return future

    def stop(self):
        self.room = 0


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    started = []

    def workers_for(jobs, scheduler):
        started.append(HereAndNow())
        return started[-1]

    monkeypatch.setattr(sweep_command, "workers_for", workers_for)
    yield
    assert not any(workers.room for workers in started)  # all were stopped


@pytest.mark.slow
def test_a_sweep_leaves_a_table_and_a_picture(tmp_path, capsys):
    arguments = [*LIFT, "--vary", f"{MASS}=1,2", "--plot", "--traces"]
    assert main([*arguments, "--metrics", "peak_effort"]) == 0
    printed = capsys.readouterr()
    assert "2 of 2 runs done; at most" in printed.out
    assert (
        "MiB per worker; saved in runs/VerticalLift-sweep/runs.csv"
        in printed.out
    )
    assert "least peak_effort:" in printed.out
    out = tmp_path / "runs" / "VerticalLift-sweep"
    header, *rows = (out / "runs.csv").read_text().splitlines()
    assert header == f"{MASS},status,peak_effort,run,wall_time,seed,error"
    assert len(rows) == 2
    assert {"sweep.png", "traces.png", "study.json"} <= {
        file.name for file in out.iterdir()
    }
    assert main([*arguments, "--metrics", "peak_effort"]) == 0
    assert "2 of 2 runs done, 2 of them before" in capsys.readouterr().out


def test_traces_are_drawn_of_a_study_that_keeps_them_alone(monkeypatch):
    drawn = []

    def figure(name):
        def draw(runs):
            drawn.append(name)
            return SimpleNamespace(picture=lambda: b"")

        return draw

    for name in ("runs_figure", "traces_figure"):
        monkeypatch.setattr(sweep_command, name, figure(name))
    vary = [*LIFT, "--vary", f"{MASS}=1", "--plot", "--out"]
    assert main([*vary, "plain"]) == 0
    assert drawn == ["runs_figure"]
    assert main([*vary, "traced", "--traces"]) == 0
    assert drawn[1:] == ["runs_figure", "traces_figure"]


def test_runs_that_are_no_results_are_counted(capsys):
    assert main([*LIFT, "--vary", f"{MASS}=1,-1", "--out", "out"]) == 1
    assert "2 of 2 runs done, 1 failed" in capsys.readouterr().out


def test_ctrl_c_says_how_far_it_came(capsys, monkeypatch):
    def interrupt(job):
        raise KeyboardInterrupt

    monkeypatch.setattr(HereAndNow, "submit", lambda self, job: interrupt(job))
    assert main([*LIFT, "--vary", f"{MASS}=1,2", "--out", "out"]) == 130
    shown = capsys.readouterr()
    assert (
        "interrupted; 0 of 2 runs done; the same command goes on" in shown.err
    )


def test_a_full_disk_is_told_of(capsys, monkeypatch):
    def fail(self, row):
        raise InputError("cannot write runs.csv: No space left on device")

    monkeypatch.setattr("webmotor_drake.sweep.run_table.RunTable.append", fail)
    assert main([*LIFT, "--vary", f"{MASS}=1", "--out", "out"]) == 1
    assert "No space left on device" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vary", "plant_config.timestep=1"], "did you mean time_step?"),
        (["--vary", f"{MASS}=1:2:0"], "an empty range: 0 values"),
        (["--vary", f"{MASS}=0:2:3:log"], "goes through 0"),
        (["--vary", f"{MASS}=1:2"], "has no grid"),
        (["--vary", MASS], "is not PATH=VALUES"),
        (["--vary", "plant_config.time_step=-1"], "--vary: plant_config.time"),
        (["--vary", "plant_config.time_step=a"], "time_step: expected a numb"),
        (["--random", "0"], "--random: 0 is not allowed"),
        (["--repetitions", "0"], "--repetitions: 0 is not allowed"),
        ([], "nothing is varied"),
        (["--study", "missing.yaml"], "missing.yaml: no such file"),
        (["--timeout", "0"], "--timeout: 0 is not allowed"),
        (["--metrics", "speed"], "--metrics: unknown metric 'speed'"),
    ],
)
def test_a_wrong_study_is_told_before_anything_runs(
    arguments, message, capsys, tmp_path
):
    assert main([*LIFT, *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_the_report_of_compare_shows_a_sweep(tmp_path, capsys):
    sweep = [*LIFT, "--vary", f"{MASS}=1,2", "--traces", "--out", "swept"]
    assert main(sweep) == 0
    compare = ["compare", *LIFT[1:], "--models", "webots", "--sweep", "swept"]
    assert main([*compare, "--out", "compared"]) == 0
    page = (tmp_path / "compared" / "report.html").read_text(encoding="utf-8")
    assert '<h2 id="appendix">Sweep</h2>' in page
    assert "2 of 2 runs are results. Those with the least" in page
    assert page.count('<img class="appendix"') == 2
    assert ">carriage mass</th>" in page
    capsys.readouterr()


def test_a_sweep_that_is_not_there_is_told_before_anything_runs(
    tmp_path, capsys
):
    arguments = ["compare", *LIFT[1:], "--sweep", "none", "--out", "compared"]
    assert main(arguments) == 2
    assert "no sweep in none" in capsys.readouterr().err
    assert not (tmp_path / "compared").exists()
