"""A run as a film in a file that browsers play."""

import contextlib
import importlib.util
import math
import tempfile
import typing
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, one_line, warn
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.browser_film import (
    BrowserError,
    browser,
    drawing_browser,
)
from webmotor_drake.view.film import SIZE, Film, check_camera
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.page import page_of
from webmotor_drake.view.replay import rows_at, scenario_of
from webmotor_drake.view.replay_page import replay_messages

# Writers of files by ending: a library, its codecs of pictures and sound, and the usual
# frames per second. A frame of a GIF lasts a multiple of 10 ms.
_WRITERS = {
    ".gif": ("PIL", "", "", 20.0),
    ".mp4": ("av", "libx264", "aac", 30.0),
    ".webm": ("av", "libvpx-vp9", "libopus", 30.0),
}


def write_video(
    results: Results,
    file: str | Path,
    *,
    scenario: Scenario | None = None,
    camera: str = "",
    follow: bool = False,
    size: tuple[int, int] = SIZE,
    fps: float | None = None,
    speed: float = 1.0,
    start: float = 0.0,
    end: float = math.inf,
    title: str | None = None,
    show: Iterable[str] = (),
    sound: str | Path | None = None,
) -> None:
    """Draws a run as a film, from a camera that sees the robots wherever they go.

    Our own page draws it where there is Chromium or Chrome, else Drake's VTK.

    Example:
        ::

            results = wm.run("package:two_link_arm")
            wm.write_video(results, "arm.gif", size=(320, 240), fps=10)

    Args:
        results: results of a run.
        file: file to write, a .gif, .mp4 (H.264) or .webm (VP9).
        scenario: scenario that ran; None: as the results record it.
        camera: name of a camera of the scenario that is used instead.
        follow: True for a camera that goes along with the robots.
        size: width and height, pixels; even numbers but for a .gif.
        fps: frames per second; None: 20 for a .gif, else 30.
        speed: seconds of the run per second of the film.
        start: the film's first moment in the run, s.
        end: its last, s; at most the run's end.
        title: text in the corner, with the time; None: neither.
        show: marks to draw over the robots, of `view.marks.MARKS`; VTK draws none.
        sound: a WAV, as `write_sound` writes it, that an .mp4 or .webm plays.

    Raises:
        InputError: the file cannot be written, no library writes such a file, there is
            no such camera, the results have no positions, or a number makes no film.
    """
    last = min(end, float(results.time[-1]))
    rate = check_video(
        file, size=size, fps=fps, speed=speed, start=start, end=last
    )
    rows = rows_at(results.time, start, last, speed / rate)
    scenario = scenario or scenario_of(results)
    check_camera(scenario, camera)
    seen = {"camera": camera, "follow": follow, "size": size}
    show = checked_marks(show)
    with _drawn(results, scenario, rows, show, **seen) as pictures:
        if title is not None:
            times = results.time[rows]
            pictures = map(_captioned(title, size), pictures, times)
        _write(file, pictures, rate, sound)


@contextlib.contextmanager
def _drawn(
    results: Results,
    scenario: Scenario,
    rows: list[int],
    show: list[str],
    **seen: typing.Any,
) -> Iterator[Iterable[np.ndarray]]:
    """Yields the pictures of rows of a run, by a browser if one is there."""
    follow = seen["follow"]
    with contextlib.ExitStack() as stack:
        picture, numbers = None, range(len(rows))
        if not seen["camera"] and browser() is not None:
            options = {"scenario": scenario, "rows": rows, "show": show}
            page = page_of(
                replay_messages(results, whole=not follow, **options)
            )
            try:
                load = stack.enter_context(drawing_browser())
                picture = load(page, seen["size"], follow=follow)
            except BrowserError as error:
                warn(f"the browser does not draw ({error}): VTK does")
        if picture is None:
            if show:
                warn(f"VTK draws no marks: {', '.join(show)}")
            picture, numbers = Film(results, scenario, **seen).picture, rows
        yield map(picture, numbers)


def _captioned(
    title: str, size: tuple[int, int]
) -> Callable[[np.ndarray, float], np.ndarray]:
    from PIL import Image, ImageDraw, ImageFont

    height = max(size[1] // 28, 8)
    font = ImageFont.load_default(height)

    def captioned(picture: np.ndarray, time: float) -> np.ndarray:
        image = Image.fromarray(picture)
        draw = ImageDraw.Draw(image)
        for text, x, anchor in (
            (title, height, "ls"),
            (f"{time:.2f} s", size[0] - height, "rs"),
        ):
            place = x, size[1] - height
            draw.text(place, text, fill=(30, 34, 40), font=font, anchor=anchor)
        return np.asarray(image)

    return captioned


def check_video(
    file: str | Path,
    *,
    size: tuple[int, int] = SIZE,
    fps: float | None = None,
    speed: float = 1.0,
    start: float = 0.0,
    end: float = math.inf,
) -> float:
    """Returns the frames per second of a film.

    Args:
        file: the file to write.
        size: width and height, pixels.
        fps: frames per second; None: as many as usual.
        speed: seconds of the run per second of the film.
        start: the film's first moment in the run, s.
        end: its last, at most the run's end, s.

    Raises:
        InputError: nothing writes such a film.
    """
    ending = Path(file).suffix.lower()
    if ending not in _WRITERS:
        raise InputError(f"cannot write {file}: .mp4, .webm or .gif is needed")
    library, codec, _, usual = _WRITERS[ending]
    rate = usual if fps is None else fps
    for name, value in (("fps", rate), ("speed", speed)):
        if not 0 < value < math.inf:
            raise InputError(f"{name}: must be positive, got {value:g}")
    if ending == ".gif" and rate > 50:
        raise InputError(f"fps: a .gif has at most 50, got {fps:g}")
    if not 0 <= start <= end:
        raise InputError(
            f"the film would go from {start:g} s to {end:g} s; must lie in the run"
        )
    if min(size) < 2 or (codec and (size[0] % 2 or size[1] % 2)):
        raise InputError(
            f"size: even numbers are needed, got {size[0]}x{size[1]}"
        )
    if importlib.util.find_spec(library) is None:
        raise InputError(
            f"cannot write {file}: no encoder; pip install 'webmotor-drake[video]',"
            " or write a .gif"
        )
    return rate


def _write(
    file: str | Path,
    pictures: Iterable[np.ndarray],
    fps: float,
    sound: str | Path | None,
) -> None:
    ending = Path(file).suffix.lower()
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder, f"film{ending}")
        try:
            if ending == ".gif":
                _write_gif(film, pictures, fps)
            else:
                _encode(film, pictures, fps, sound)
        except OSError as error:  # such as a full disk
            raise InputError(
                f"cannot write {file}: {one_line(error)}"
            ) from error
        write_whole(file, film.read_bytes())


def _write_gif(film: Path, pictures: Iterable[np.ndarray], fps: float) -> None:
    from PIL import Image

    first, *rest = map(Image.fromarray, pictures)
    first.save(
        film,
        save_all=True,
        append_images=rest,
        duration=round(100 / fps) * 10,  # ms, as GIF has them
        loop=0,
    )


def _encode(
    film: Path,
    pictures: Iterable[np.ndarray],
    fps: float,
    sound: str | Path | None,
) -> None:
    import av

    _, codec, of_sound, _ = _WRITERS[film.suffix]
    rate = Fraction(fps).limit_denominator(1000)
    with av.open(film, "w") as container:
        stream = container.add_stream(codec, rate=rate)
        stream.pix_fmt = "yuv420p"
        # The same film from the same run, on any machine.
        stream.options = {"crf": "23", "threads": "1"}
        heard = sound and container.add_stream(of_sound, rate=48000)
        for number, picture in enumerate(pictures):
            if not number:
                stream.height, stream.width = picture.shape[:2]
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
        if heard:
            with av.open(sound) as clip:
                for frame in clip.decode(audio=0):
                    container.mux(heard.encode(frame))
            container.mux(heard.encode())
