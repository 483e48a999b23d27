"""A run as a web page that plays in any browser, offline."""

from collections.abc import Iterable
from pathlib import Path

from pydrake.geometry import Meshcat

from webmotor_drake.errors import InputError, warn
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.replay import replay
from webmotor_drake.view.server import start_meshcat

# A page of more bytes than that is drawn again, with simpler meshes.
_LARGE = 10e6


def page_meshcat(file: str | Path) -> Meshcat:
    """Returns a Meshcat to record a run in, which `write_page` then writes.

    Raises:
        InputError: no port is free for it: it listens, though nobody comes.
    """
    try:
        return start_meshcat()
    except InputError as error:
        raise InputError(f"cannot draw {file}: {error}") from error


def write_page(
    meshcat: Meshcat,
    file: str | Path,
    *,
    results: Results | None = None,
    scenario: Scenario | None = None,
    show: Iterable[str] = (),
    follow: bool = False,
) -> None:
    """Writes the recording in `meshcat` to `file`, whole or not at all.

    Where it would be larger than a mail takes, the run is drawn again with simpler
    meshes, which is told.

    Args:
        meshcat: where the run was drawn.
        file: the page.
        results: of the run; None: it is as large as it is.
        scenario: the one that ran.
        show: the marks drawn over the robots.
        follow: whether the camera went along.

    Raises:
        InputError: the file cannot be written.
    """
    meshcat.get_mutable_recording().set_autoplay(True)
    meshcat.PublishRecording()
    page = meshcat.StaticHtml().encode()
    if len(page) > _LARGE and results is not None:
        again = page_meshcat(file)
        replay(
            results,
            again,
            scenario=scenario,
            show=show,
            follow=follow,
            light=True,
        )
        light = again.StaticHtml().encode()
        if len(light) < len(page):
            warn(
                f"{file}: its meshes are simplified and its contacts not drawn, for"
                f" {len(light) / 1e6:.1f} MB instead of {len(page) / 1e6:.1f} MB"
            )
            page = light
    write_whole(file, page)
