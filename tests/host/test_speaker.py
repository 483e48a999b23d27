"""Speakers: sounds and texts end, in process, and are in the run's sound."""

import numpy as np
import pytest
from beeps import DEVICES, PLAYED, SPOKEN, TEXT, write_beep
from robots import controller, with_driver

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.errors import MotorWarning
from webmotor_drake.results.results import Results
from webmotor_drake.results.sound import RATE, mixed


@pytest.fixture
def sound(tmp_path):
    file = tmp_path / "beep.wav"
    write_beep(file)
    return file


PROGRAM = """
    from controller import Robot, Speaker
    robot = Robot()
    speaker = robot.getDevice("speaker")
    speaker.speak({text!r}, 1.0)
    Speaker.playSound(speaker, speaker, {sound!r}, 1.0, {pitch}, 0.0, {loop})
    steps = 0
    ends = [None, None]
    while steps < 120:
        if ends[0] is None and not speaker.isSpeaking():
            ends[0] = steps
        if ends[1] is None and not speaker.isSoundPlaying({sound!r}):
            ends[1] = steps
        robot.step(8)
        steps += 1
    print(*ends)
"""


@pytest.mark.parametrize(
    ("pitch", "loop", "ends"),
    [(1.0, False, PLAYED), (2.0, False, 13), (1.0, True, None)],
)
def test_texts_and_sounds_take_their_time(
    tmp_path, capsys, sound, pitch, loop, ends
):
    program = PROGRAM.format(
        text=TEXT, sound=str(sound), pitch=pitch, loop=loop
    )
    file = controller(tmp_path, program)
    run_with_controllers(with_driver(DEVICES), {"arm": file})
    assert capsys.readouterr().out.split() == [str(SPOKEN), str(ends)]


def test_what_is_no_wav_file_is_told(tmp_path, capsys):
    program = PROGRAM.format(text=TEXT, sound="none.wav", pitch=1, loop=False)
    file = controller(tmp_path, program)
    run_with_controllers(with_driver(DEVICES), {"arm": file})
    done = capsys.readouterr()
    assert done.out.split() == [str(SPOKEN), "1"]
    assert "none.wav' is no WAV file that can be read" in done.err


PLAYS_TWICE = """
    from controller import Robot, Speaker
    robot = Robot()
    speaker = robot.getDevice("speaker")
    play = lambda volume, loop: Speaker.playSound(
        speaker, speaker, {sound!r}, volume, 1.0, 0.0, loop)
    robot.step(96)
    play(0.5, False)
    robot.step(304)
    print(speaker.isSoundPlaying({sound!r}))
    play(1.0, True)
    robot.step(8)
    print(speaker.isSoundPlaying({sound!r}))
    robot.step(592)
    speaker.stop({sound!r})
    robot.step(8)
    speaker.speak("hi", 1.0)
    robot.step(96)
"""


def test_what_it_plays_is_in_the_sound_of_the_run(tmp_path, capsys, sound):
    sound = str(sound)
    file = controller(tmp_path, PLAYS_TWICE.format(sound=sound))
    results = run_with_controllers(with_driver(DEVICES), {"arm": file})
    assert capsys.readouterr().out.split() == ["False", "True"]
    once, looped, text = results.metadata["sounds"].values()
    assert (once["speaker"], once["file"]) == ("arm/speaker", sound)
    assert (once["start"], once["end"]) == pytest.approx((0.096, 0.296))
    assert (looped["start"], looped["end"]) == pytest.approx((0.4, 1.0))
    assert text["text"] == "hi"
    assert text["end"] - text["start"] == pytest.approx(0.14)
    heard = mixed(results, {})
    loudness = [
        np.abs(heard[int(start * RATE) : int(end * RATE)]).max()
        for start, end in ((0, 0.09), (0.1, 0.29), (0.3, 0.39), (0.41, 0.99))
    ]
    assert loudness[0] == loudness[2] == 0
    # A tone of 16000 of 32768; the sampling misses its tops by a little.
    assert loudness[1] == pytest.approx(0.5 * 0.488, rel=0.02)
    assert loudness[3] == pytest.approx(0.488, rel=0.02)
    assert 0.1 < np.abs(heard[int(1.02 * RATE) : int(1.1 * RATE)]).max() < 0.25


def test_a_file_that_is_gone_is_told_and_not_heard():
    about = {"speaker": "arm/speaker", "file": "gone.wav", "start": 0.0}
    results = Results(np.arange(3.0), {}, {"sounds": {"0": about}})
    with pytest.warns(
        MotorWarning, match="arm/speaker is not heard: .*gone.wav"
    ):
        assert not mixed(results, {}).any()
