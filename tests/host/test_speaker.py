"""Speakers: sounds and texts end, in process."""

import pytest
from beeps import DEVICES, PLAYED, SPOKEN, TEXT, write_beep
from robots import controller, with_driver

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)


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
