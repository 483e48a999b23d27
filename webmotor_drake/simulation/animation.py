"""A run as a web page that plays in any browser, offline."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pydrake.geometry import Meshcat, MeshcatParams

from webmotor_drake.errors import InputError
from webmotor_drake.results.whole_file import write_whole

# More than 30 frames a second choke browsers on long recordings.
_FRAMES_PER_SECOND = 30.0


@contextlib.contextmanager
def animation(file: str | Path | None) -> Iterator[Meshcat | None]:
    """Records what is drawn in the block and writes it to `file` at its end.

    Gives the Meshcat to draw in; None without a file.

    Raises:
        InputError: no port is free for it, or the file cannot be written.
    """
    if file is None:
        yield None
        return
    try:
        meshcat = Meshcat(MeshcatParams(host="localhost"))
    except RuntimeError as error:
        raise InputError(f"cannot draw {file}: {error}") from error
    meshcat.StartRecording(frames_per_second=_FRAMES_PER_SECOND)
    yield meshcat
    meshcat.PublishRecording()
    write_whole(file, meshcat.StaticHtml().encode())
