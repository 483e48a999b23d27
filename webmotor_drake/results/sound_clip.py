"""The clips that motors play: WAV files, and one of our own."""

import wave
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.results.whole_file import check_regular, explained

# Of what is written, and of our own clip, Hz.
RATE = 44_100
_LENGTH = 2.0  # of our own clip, s
_PITCH = 110.0  # its lowest tone, Hz
_NOISE = (400.0, 3000.0)  # band of its hiss, Hz


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

    It is made here: tones and a hiss that all come round at its end, so that it can
    be repeated without a click.
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
        file: PCM of 8, 16, 24 or 32 bits.

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
