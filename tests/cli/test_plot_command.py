"""webmotor plot: pictures of what is asked for, errors in a line."""

import numpy as np
import pytest

from webmotor_drake.cli.main import main
from webmotor_drake.results.results import Results


@pytest.fixture
def folder(tmp_path):
    """Returns the folder of a run of two motors, one of which has energy."""
    time = np.linspace(0, 2, 21)
    names = ("position", "velocity", "target_position", "velocity_command")
    signals = {f"arm/a/{name}": time for name in names}
    signals |= {"arm/a/mode": 0 * time, "arm/b/energy": time}
    about = {"arm/a": {"unit": "rad"}, "arm/b": {"unit": "rad"}}
    Results(time, signals, {"motors": about}).save(tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("new/a.SVG", b"<?xml")]
)
def test_a_picture_is_of_the_kind_that_its_name_says(
    folder, tmp_path, capsys, name, start
):
    assert main(["plot", str(folder), "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(start)
    assert capsys.readouterr().out == f"drawn in {tmp_path / name}\n"


def test_what_is_asked_for_is_drawn_and_nothing_else(folder):
    arguments = ["--signals", "energy, position", "--times", "0.5", "1"]
    assert main(["plot", str(folder), *arguments, "--out", "p.svg"]) == 0


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--motors", "arm/c"], "unknown motor or body 'arm/c'; did you mean"),
        (["--motors", "leg/*"], "unknown motor or body 'leg/*'"),
        (
            ["--signals", "enrgy"],
            "unknown signal 'enrgy'; did you mean energy?",
        ),
        (["--times", "3", "4"], "nothing to plot from 3 s to 4 s; the run is"),
        (
            ["--out", "a.jpg"],
            "cannot draw a.jpg: a name in .png or .svg",
        ),
        (["--out", "run/run.npz/a.png"], "Not a directory"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_line(
    folder, capsys, arguments, problem
):
    assert main(["plot", str(folder), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("webmotor: ")
    assert problem in line


@pytest.mark.parametrize("missing", ["run.json", "run.npz"])
def test_half_a_run_is_told_in_a_line(folder, capsys, missing):
    (folder / missing).unlink()
    assert main(["plot", str(folder)]) == 2
    error = capsys.readouterr().err
    assert error == (
        f"webmotor: cannot read {folder / missing}: No such file or directory\n"
    )


def test_a_run_that_says_less_of_itself_is_told_in_a_line(folder, capsys):
    # As one of an older version may.
    Results([0, 1], {"arm/a/position": [0, 1]}).save(folder)
    assert main(["plot", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "unknown motor 'arm/a' (known: none)" in line
