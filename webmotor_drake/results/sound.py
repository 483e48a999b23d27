"""The sound of a run: each motor plays its clip, faster with its speed.

The rule is that of WbMotorSoundManager.cpp, but distance does not change the volume.
The same holds for Speakers, which play files and hum texts.
"""

import io
import math
import os
import typing
import wave
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webmotor_drake.errors import InputError, one_line, warn
from webmotor_drake.results.project_files import check_asset
from webmotor_drake.results.run_record import RunRecord
from webmotor_drake.results.whole_file import (
    check_regular,
    explained,
    write_whole,
)

# Sample rate of written files, and of our own clip, Hz.
RATE = 44_100
_LENGTH = 2.0  # of our own clip, s
_PITCH = 110.0  # its lowest tone, Hz
_NOISE = (400.0, 3000.0)  # band of its hiss, Hz
# Stands for our own clip in the field `sound`.
DEFAULT_SOUND = "default"
# Below this share of its largest speed a motor is silent.
_QUIET = 0.1
# The tone that stands for a spoken text, Hz, and its loudness.
_TONE, _LOUDNESS = 220.0, 0.2
# A voice comes and goes within this time, so that it doesn't click, s.
_FADE = 0.004


class Clip(NamedTuple):
    """A sound.

    Attributes:
        samples: shape (n,), -1 to 1.
        rate: samples per second, Hz.
    """

    samples: np.ndarray
    rate: int


def default_clip() -> Clip:
    """Returns the hum of an electric motor at half of its speed.

    It consists of tones and a hiss that are periodic in its length, so that it repeats
    without a click.
    """
    time = np.arange(int(RATE * _LENGTH)) / RATE
    chance = np.random.default_rng(0)
    samples = np.zeros(time.size)
    for harmonic in range(1, 9):
        angle = chance.uniform(0, 2 * np.pi)
        tone = np.sin(2 * np.pi * _PITCH * harmonic * time + angle)
        samples += tone / harmonic**1.2
    spectrum = np.zeros(time.size // 2 + 1, dtype=complex)
    band = slice(*(int(frequency * _LENGTH) for frequency in _NOISE))
    turns = chance.uniform(size=spectrum[band].size)
    spectrum[band] = np.exp(2j * np.pi * turns)
    hiss = np.fft.irfft(spectrum, time.size)
    samples += 0.15 * hiss / hiss.std()
    return Clip(0.5 * samples / np.abs(samples).max(), RATE)


def load_clip(file: str | Path) -> Clip:
    """Returns a WAV file's sound; channels are averaged.

    Args:
        file: WAV file with PCM of 8, 16, 24 or 32 bits.

    Raises:
        InputError: there is no such file, or it has none of these formats.
    """
    check_regular(Path(file))
    try:
        with (
            explained(file, "read"),
            wave.open(str(file), "rb") as clip,
        ):
            channels, width = clip.getnchannels(), clip.getsampwidth()
            rate = clip.getframerate()
            data = clip.readframes(clip.getnframes())
    except (wave.Error, EOFError) as error:
        text = str(error) or "it ends too early"
        problem = f"cannot read {file}: not a WAV file of PCM sound ({text})"
        raise InputError(problem) from error
    data = data[: len(data) // (width * channels) * width * channels]
    if not data or rate <= 0:
        raise InputError(f"cannot read {file}: there is no sound in it")
    samples = _numbers(data, width).reshape(-1, channels).mean(axis=1)
    return Clip(samples, rate)


def _numbers(data: bytes, width: int) -> np.ndarray:
    """Returns PCM samples of `width` bytes each as numbers from -1 to 1."""
    if width == 1:  # the only one without a sign
        return (np.frombuffer(data, np.uint8) - 128.0) / 128
    raw = np.frombuffer(data, np.uint8).reshape(-1, width)
    wide = np.zeros((len(raw), 4), np.uint8)
    wide[:, 4 - width :] = raw  # little endian: the highest bytes come last
    return wide.view("<i4").ravel() / 2.0**31


def write_sound(results: RunRecord, file: str | os.PathLike[str]) -> None:
    """Writes a run's sound as a WAV of 16 bits and one channel, whole or not at all.

    A motor whose clip cannot be read plays the default; a warning says so.

    Args:
        results: the run; its metadata has the motors' clips.
        file: sound file to write; its folder is made if needed.

    Raises:
        InputError: `file` cannot be written.
    """
    samples = mixed(results, _clips(results))
    data = io.BytesIO()
    with wave.open(data, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes((samples * 32767).astype("<i2").tobytes())
    write_whole(file, data.getvalue())


def mixed(results: RunRecord, clips: Mapping[str, Clip]) -> np.ndarray:
    """Returns the sound of all motors together, -1 to 1, `RATE` per second.

    If the sum would be too loud, all of it is scaled down.

    Args:
        results: the run.
        clips: clips by "<model>/<motor>", of the motors that are heard.
    """
    start, end = float(results.time[0]), float(results.time[-1])
    count = round((end - start) * RATE)
    # Row k holds for the step that ends there.
    times = start + (np.arange(count) + 0.5) / RATE
    rows = np.searchsorted(results.time, np.minimum(times, end))
    sum_of_all = np.zeros(count, dtype=np.float32)
    for motor, clip in clips.items():
        share = _speed(results, motor)[rows]
        sum_of_all += voice(share, clip)
    for about in results.metadata.get("sounds", {}).values():
        _add_sound(sum_of_all, about, start)
    loudest = np.abs(sum_of_all).max(initial=1.0)
    return sum_of_all / loudest


def _add_sound(
    heard: np.ndarray, about: Mapping[str, typing.Any], start: float
) -> None:
    """Adds the sound of a Speaker to that of a run, which begins at `start`, s."""
    clip = Clip(
        _LOUDNESS * np.sin(2 * np.pi * _TONE * np.arange(RATE) / RATE), RATE
    )
    if name := about.get("file"):
        try:
            clip = load_clip(name)
        except InputError as error:
            warn(f"{about.get('speaker')} is not heard: {error.problem}")
            return
    end = about.get("end")
    ends = about.get("start", start), math.inf if end is None else end
    places = np.nan_to_num((np.array(ends) - start) * RATE)
    first, last = np.clip(np.rint(places), 0, heard.size).astype(int)
    if first < last:
        step = float(about.get("pitch", 1.0)) * clip.rate / RATE
        size, count = clip.samples.size, int(last - first)
        places = np.arange(count) * step % size
        sound = np.interp(places, np.arange(size), clip.samples)
        loud = about.get("volume", 1.0) * _faded(np.ones(count, bool))
        heard[first:last] += loud * sound


def voice(share: np.ndarray, clip: Clip) -> np.ndarray:
    """Returns the sound of one motor.

    Above a tenth of the largest speed the clip plays from its start and repeats, with
    a gain of 0.9 to 1 and at 0.6 to 1.4 times its pitch.

    Args:
        share: speed over the motor's largest, 0 to 1, `RATE` samples per second.
        clip: sound that it plays.
    """
    plays = share > _QUIET
    pitch = np.where(plays, 0.6 + 0.8 * share, 0.0)
    place = np.cumsum(pitch) * (clip.rate / RATE)
    starts = plays & ~np.concatenate([[False], plays[:-1]])
    # Place at which the clip began last: places only grow, so that is the largest.
    began = np.maximum.accumulate(np.where(starts, place, 0.0))
    length = clip.samples.size
    heard = np.interp(
        (place - began) % length,
        np.arange(length + 1),
        np.append(clip.samples, clip.samples[0]),
    )
    return heard * (0.9 + 0.1 * share) * _faded(plays)


def _faded(plays: np.ndarray) -> np.ndarray:
    """Returns 1 where a voice is heard, else 0, with ramps at the ends of the ones."""
    steps = int(_FADE * RATE)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], plays, [0]])))
    ramp = (np.arange(steps) + 1) / (steps + 1)
    loud = plays.astype(float)
    for start, end in edges.reshape(-1, 2):
        size = min(steps, end - start)
        loud[start : start + size] *= ramp[:size]
        loud[end - size : end] *= ramp[:size][::-1]
    return loud


def _speed(results: RunRecord, motor: str) -> np.ndarray:
    """Returns a motor's commanded speed over its largest speed, 0 to 1."""
    largest = results.motor_metadata(motor).get("max_velocity")
    speed = np.abs(np.nan_to_num(results[f"{motor}/velocity_command"]))
    if not largest:
        return np.zeros(speed.size)
    return np.clip(speed / largest, 0.0, 1.0)


def _clips(results: RunRecord) -> dict[str, Clip]:
    file = results.metadata.get("scenario_file")
    scenario = Path(file or "scenario.yaml").absolute()
    known = {DEFAULT_SOUND: default_clip()}
    clips: dict[str, Clip] = {}
    for motor in results.motors:
        # Runs saved by versions without sound have no such field.
        name = results.motor_metadata(motor).get("sound", DEFAULT_SOUND)
        if not name:
            continue
        if name not in known:
            known[name] = _clip(name, scenario, motor) or known[DEFAULT_SOUND]
        clips[motor] = known[name]
    return clips


def _clip(name: str, scenario: Path, motor: str) -> Clip | None:
    """Returns a motor's clip; None, with a warning, if it cannot be loaded."""
    if "://" in name:
        warn(
            f"{motor}: its sound {one_line(name)} is not fetched; the default is"
            " played instead"
        )
        return None
    try:
        file = scenario.parent / name
        check_asset(file, scenario, is_relative=not os.path.isabs(name))
        return load_clip(file)
    except InputError as error:
        warn(f"{motor}: {error.problem}; the default is played instead")
        return None
