"""A sound file, and how long a speaker speaks and plays."""

import wave
from pathlib import Path

import numpy as np

DEVICES = "devices: {speaker: !Speaker {}}"
# A text of so many characters takes 0.07 s for each, a sound of 0.2 s as long.
TEXT, SPOKEN, PLAYED = "hello there", 97, 25  # steps of 8 ms


def write_beep(file: Path) -> None:
    """Writes a sound of 0.2 s, a tone of 500 Hz."""
    tone = 16000 * np.sin(2 * np.pi * 500 * np.arange(1600) / 8000)
    with wave.open(str(file), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(tone.astype("<i2").tobytes())
