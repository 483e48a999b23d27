"""A sound for a film, by ffmpeg where that is installed."""

import os
import shutil
import subprocess
from pathlib import Path

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.whole_file import write_whole


def add_sound(
    video: str | os.PathLike[str], sound: str | os.PathLike[str]
) -> None:
    """Puts a sound into a film, whose pictures stay as they are.

    Args:
        video: an .mp4, which is replaced whole or stays as it is.
        sound: a WAV of the same run.

    Raises:
        InputError: `video` is no .mp4, ffmpeg is not installed, or it failed.
    """
    video = Path(video)
    beside = f"the sound is beside it, in {sound}"
    if video.suffix.lower() != ".mp4":
        raise InputError(
            f"{video} stays silent: only an .mp4 has sound; {beside}"
        )
    encoder = shutil.which("ffmpeg")
    if encoder is None:
        raise InputError(
            f"{video} stays silent: ffmpeg is not installed; {beside}"
        )
    together = video.with_name(f".{video.stem}.with_sound.mp4")
    arguments = ["-i", str(video), "-i", str(sound)]
    arguments += ["-c:v", "copy", "-c:a", "aac", "-shortest"]
    try:
        done = subprocess.run(
            [encoder, "-y", "-v", "error", *arguments, str(together)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            text = one_line(done.stderr) or f"exit status {done.returncode}"
            raise InputError(f"{video} stays silent: ffmpeg: {text}; {beside}")
        write_whole(video, together.read_bytes())
    finally:
        together.unlink(missing_ok=True)
