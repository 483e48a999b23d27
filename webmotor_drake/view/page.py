"""A run as a web page that plays in any browser, offline."""

from pathlib import Path

from pydrake.geometry import Meshcat

from webmotor_drake.errors import InputError
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.view.server import start_meshcat


def page_meshcat(file: str | Path) -> Meshcat:
    """Returns a Meshcat to record in what `write_page` will write to `file`.

    Raises:
        InputError: no port is free for it: it listens, though nobody comes.
    """
    try:
        return start_meshcat()
    except InputError as error:
        raise InputError(f"cannot draw {file}: {error}") from error


def write_page(meshcat: Meshcat, file: str | Path) -> None:
    """Writes what was recorded in `meshcat` to `file`, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    meshcat.get_mutable_recording().set_autoplay(True)
    meshcat.PublishRecording()
    write_whole(file, meshcat.StaticHtml().encode())
