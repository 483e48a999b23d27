"""The sound of motors: pitch, silence, clips of all kinds and of none."""

import re
import warnings
import wave

import numpy as np
import pytest

from webmotor_drake.errors import MotorWarning
from webmotor_drake.results.results import Results
from webmotor_drake.results.sound import (
    RATE,
    Clip,
    default_clip,
    load_clip,
    mixed,
    voice,
    write_sound,
)

TONE = 500.0  # Hz


def sine(rate: int = RATE) -> Clip:
    """Returns a second of a tone, which comes round at its end."""
    time = np.arange(rate) / rate
    return Clip(0.5 * np.sin(2 * np.pi * TONE * time), rate)


def loudest_tone(samples: np.ndarray) -> float:
    """Returns the frequency of the highest peak, Hz."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(samples.size)))
    return np.argmax(spectrum) * RATE / samples.size


def run_of(speeds: list[float], sound: str = "default", **metadata) -> Results:
    """Returns a motor of at most 2 rad/s with a speed per second."""
    time = np.arange(len(speeds) * 100 + 1) / 100
    rows = np.concatenate([[0.0], np.repeat(speeds, 100)])
    about = {"unit": "rad", "max_velocity": 2.0, "sound": sound}
    return Results(
        time,
        {"arm/motor/velocity_command": rows},
        {"motors": {"arm/motor": about}, **metadata},
    )


def warnings_of(function, *arguments) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MotorWarning)
        function(*arguments)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("rate", [RATE, 22_050])
@pytest.mark.parametrize("share", [0.2, 0.5, 1.0])
def test_the_pitch_of_a_clip_moves_by_the_factor(share, rate):
    # Two seconds: the clip plays over and over without a step in it. Peaks of the
    # spectrum are half a hertz apart.
    heard = voice(np.full(2 * RATE, share), sine(rate))
    assert loudest_tone(heard) == pytest.approx(
        TONE * (0.6 + 0.8 * share), abs=0.5
    )
    middle = heard[RATE // 2 : -RATE // 2]
    # The highest samples may lie beside the peaks.
    assert np.abs(middle).max() == pytest.approx(
        0.5 * (0.9 + 0.1 * share), rel=0.01
    )


def test_a_motor_is_silent_up_to_a_tenth_of_its_largest_speed():
    heard = mixed(run_of([0.2, -2.0, 0.0, 0.3]), {"arm/motor": sine()})
    seconds = np.abs(heard.reshape(4, RATE)).max(axis=1)
    assert seconds[0] == seconds[2] == 0
    assert seconds[1] == pytest.approx(0.5, rel=0.01)  # whatever its direction
    assert seconds[3] == pytest.approx(0.5 * 0.915, rel=0.01)


def test_a_clip_starts_anew_and_never_clicks():
    share = np.concatenate(
        [np.full(9000, 0.5), np.zeros(1000), np.full(9000, 0.5)]
    )
    heard = voice(share, sine())
    assert heard[10_000:] == pytest.approx(heard[:9000])
    # A tone of 500 Hz and half amplitude rises by 0.036 per sample.
    assert np.abs(np.diff(heard, prepend=0, append=0)).max() < 0.04


def test_many_motors_together_are_not_cut_off():
    results = run_of([2.0])
    about = results.metadata["motors"]["arm/motor"]
    names = [f"arm/{i}" for i in range(10)]
    signal = results["arm/motor/velocity_command"]
    many = Results(
        results.time,
        {f"{name}/velocity_command": signal for name in names},
        {"motors": dict.fromkeys(names, about)},
    )
    heard = mixed(many, dict.fromkeys(names, sine()))
    assert np.abs(heard).max() == pytest.approx(1.0)
    assert loudest_tone(heard) == pytest.approx(TONE * 1.4, abs=1)


def test_our_own_clip_comes_round_without_a_click():
    clip = default_clip()
    steps = np.abs(np.diff(clip.samples, append=clip.samples[0]))
    assert steps[-1] <= steps[:-1].max()
    assert np.abs(clip.samples).max() == pytest.approx(0.5)
    assert loudest_tone(clip.samples) == pytest.approx(110)


def test_a_sound_is_a_wav_as_long_as_the_run(tmp_path):
    file = tmp_path / "new" / "run.wav"
    assert warnings_of(write_sound, run_of([2.0, 0.0]), file) == []
    with wave.open(str(file)) as sound:
        assert sound.getparams()[:4] == (1, 2, RATE, 2 * RATE)
    again = load_clip(file)
    assert np.abs(again.samples[:RATE]).max() > 0.3
    assert not again.samples[RATE:].any()


def test_a_motor_without_a_sound_is_silent(tmp_path):
    write_sound(run_of([2.0], sound=""), tmp_path / "run.wav")
    assert not load_clip(tmp_path / "run.wav").samples.any()


def write_wav(file, samples: np.ndarray, *, width: int, channels: int) -> None:
    """Writes numbers from -1 to 1, shape (n,), to all channels but the last."""
    columns = np.zeros((samples.size, channels))
    columns[:, : max(1, channels - 1)] = samples[:, np.newaxis]
    if width == 1:
        data = (columns * 127 + 128).astype(np.uint8).tobytes()
    else:
        whole = (columns * (2.0**31 - 1)).astype("<i4")
        data = whole.view(np.uint8).reshape(-1, 4)[:, 4 - width :].tobytes()
    with wave.open(str(file), "wb") as clip:
        clip.setnchannels(channels)
        clip.setsampwidth(width)
        clip.setframerate(22_050)
        clip.writeframes(data)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2])
def test_clips_of_any_width_and_in_stereo_are_read(tmp_path, width, channels):
    samples = sine(22_050).samples
    write_wav(tmp_path / "a.wav", samples, width=width, channels=channels)
    clip = load_clip(tmp_path / "a.wav")
    assert clip.rate == 22_050
    # The second channel is silent; 8 bits are steps of 1/128, rounded down twice.
    assert clip.samples == pytest.approx(samples / channels, abs=2 / 128)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "No such file or directory"),
        (b"OggS and so on", "not a WAV file of PCM sound"),
        (b"", "not a WAV file of PCM sound"),
        (b"RIFF\x10\0\0\0WAVE", "not a WAV file of PCM sound"),
    ],
)
def test_a_clip_that_cannot_be_read_is_told_once_and_the_default_played(
    tmp_path, content, problem
):
    if content is not None:
        (tmp_path / "a.wav").write_bytes(content)
    run = run_of([2.0], sound="a.wav", scenario_file=str(tmp_path / "s.yaml"))
    (line,) = warnings_of(write_sound, run, tmp_path / "run.wav")
    assert line.startswith("arm/motor: cannot read ")
    assert problem in line
    assert line.endswith("; the default is played instead")
    assert load_clip(tmp_path / "run.wav").samples.any()


def test_nothing_is_fetched(tmp_path):
    run = run_of([2.0], sound="https://example.org/motor.wav")
    assert warnings_of(write_sound, run, tmp_path / "run.wav") == [
        "arm/motor: its sound https://example.org/motor.wav is not fetched; the"
        " default is played instead"
    ]


def test_a_clip_from_outside_of_the_project_is_told(tmp_path):
    other = tmp_path / "x" / "y" / "z" / "a.wav"
    other.parent.mkdir(parents=True)
    write_sound(run_of([2.0]), other)
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    scenario = str(folder / "s.yaml")
    for name, told in (
        (str(other), "outside of its project"),
        (
            "../../../x/y/z/a.wav",
            "outside of its project.*the default is played",
        ),
    ):
        run = run_of([2.0], sound=name, scenario_file=scenario)
        (line,) = warnings_of(write_sound, run, tmp_path / "run.wav")
        assert re.search(told, line)
