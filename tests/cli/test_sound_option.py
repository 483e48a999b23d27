"""webmotor run --sound: a WAV beside the run, and problems in a line."""

import shutil
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
def test_a_film_without_an_encoder_for_sound_is_no_failure(capsys, monkeypatch):
    pytest.importorskip("cv2")
    monkeypatch.setattr(shutil, "which", lambda name, *_, **__: None)
    files = ["--sound", "run.wav", "--video", "run.mp4"]
    assert main([*RUN, *files]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "webmotor: run.mp4 stays silent: ffmpeg is not installed; the sound is"
        " beside it, in run.wav"
    )
