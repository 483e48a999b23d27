"""A sound file, and how long a speaker speaks and plays."""

import wave
from pathlib import Path

DEVICES = "devices: {speaker: !Speaker {}}"
# A text of so many characters takes 0.07 s for each, a sound of 0.2 s as long.
TEXT, SPOKEN, PLAYED = "hello there", 97, 25  # steps of 8 ms


def write_beep(file: Path) -> None:
    """Writes a sound of 0.2 s."""
    with wave.open(str(file), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(bytes(2 * 1600))
