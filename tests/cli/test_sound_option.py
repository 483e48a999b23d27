"""webmotor run --sound: a WAV beside the run, and problems in a line."""

import wave

import pytest

from webmotor_drake.cli.main import main

RUN = [
    "run",
    "package:pendulum",
    "--scenario_name",
    "Lift",
    "--scenario_text",
    "{simulation_duration: 0.2}",
    "--quiet",
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_run_is_heard(capsys):
    assert main([*RUN, "--sound", "new/run.wav"]) == 0
    with wave.open("new/run.wav") as sound:
        assert sound.getnframes() == 0.2 * sound.getframerate()
    assert not capsys.readouterr().err


def test_where_no_sound_can_be_written_is_told_before_the_run(capsys):
    with open("file", "w"):
        pass
    assert main([*RUN, "--sound", "file/run.wav"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "Not a directory" in line


@pytest.mark.slow
def test_a_film_that_does_not_run_as_its_sound_is_silent(capsys):
    pytest.importorskip("av")
    files = ["--sound", "run.wav", "--video", "run.mp4", "--speed", "0.5"]
    files += ["--size", "64x48"]
    assert main([*RUN, *files]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "webmotor: run.mp4 stays silent: it does not run as the sound does; that"
        " is in run.wav"
    )
