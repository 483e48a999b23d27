"""A sound for a film, by the extra `video`."""

# PyAV's methods have types in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import importlib.util
import os
from pathlib import Path

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.whole_file import write_whole

# The codec of a film's sound, by the film's ending.
_CODECS = {".mp4": "aac", ".webm": "libopus"}


def add_sound(
    video: str | os.PathLike[str], sound: str | os.PathLike[str]
) -> None:
    """Puts a sound into a film, whose pictures stay as they are.

    Args:
        video: an .mp4 or .webm, which is replaced whole or stays as it is.
        sound: a WAV of the same run.

    Raises:
        InputError: no such film has sound, the extra `video` is not installed, or
            one of the files cannot be read.
    """
    video = Path(video)
    beside = f"the sound is beside it, in {sound}"
    codec = _CODECS.get(video.suffix.lower())
    if codec is None:
        raise InputError(
            f"{video} stays silent: only an .mp4 or .webm has sound; {beside}"
        )
    if importlib.util.find_spec("av") is None:
        raise InputError(
            f"{video} stays silent: no encoder; pip install"
            f" 'webmotor-drake[video]'; {beside}"
        )
    together = video.with_name(f".{video.stem}.with_sound{video.suffix}")
    try:
        _join(video, Path(sound), codec, together)
        write_whole(video, together.read_bytes())
    except (OSError, ValueError) as error:  # PyAV's errors are of these
        raise InputError(
            f"{video} stays silent: {one_line(error)}; {beside}"
        ) from error
    finally:
        together.unlink(missing_ok=True)


def _join(video: Path, sound: Path, codec: str, together: Path) -> None:
    """Writes the pictures of one file and the sound of another into a third."""
    import av

    with (
        av.open(video) as film,
        av.open(sound) as wav,
        av.open(together, "w") as out,
    ):
        pictures = out.add_stream_from_template(film.streams.video[0])
        heard = out.add_stream(codec, rate=48000)
        assert isinstance(heard, av.AudioStream)
        for packet in film.demux(video=0):
            if packet.dts is not None:
                packet.stream = pictures
                out.mux(packet)
        for frame in wav.decode(audio=0):
            out.mux(heard.encode(frame))
        out.mux(heard.encode())
