"""The files that a run leaves beside its results: plot, page, film, sound."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from webmotor_drake.cli.console import complain
from webmotor_drake.cli.exit_status import FAILED
from webmotor_drake.cli.one_run import PLOT, Done, film_options
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.scenario import Scenario


def write_files(
    done: Done,
    scenario: Scenario,
    out: Path,
    args: argparse.Namespace,
) -> None:
    """Writes the files that the arguments ask for.

    A file that cannot be written is told, such as on a disk that has filled up, and is
    the exit status; the rest is written all the same.

    Args:
        done: the run; its status may change.
        scenario: scenario that ran.
        out: its folder.
        args: arguments of `webmotor run`.
    """
    for write in _writers(done, scenario, out, args):
        try:
            write()
        except InputError as error:
            complain(error)
            done.status = done.status or FAILED


def _writers(
    done: Done,
    scenario: Scenario,
    out: Path,
    args: argparse.Namespace,
) -> Iterator[Callable[[], None]]:
    if args.html is not None:
        from webmotor_drake.view.page import write_page

        yield lambda: write_page(
            done.results, args.html, scenario=scenario, show=args.show
        )
    if args.plot:
        from webmotor_drake.results.plots import plot_run

        yield lambda: plot_run(done.results, out / PLOT)
    sound: list[str] = []
    if args.sound is not None:
        from webmotor_drake.results.sound import write_sound

        def write_heard() -> None:
            write_sound(done.results, args.sound)
            sound.append(args.sound)

        yield write_heard
    if args.video is not None:
        from webmotor_drake.view.video import write_video

        film = film_options(args)
        silent = ""
        if film["speed"] != 1 or film["start"] > 0:
            silent = "it does not run as the sound does"
        elif Path(args.video).suffix.lower() == ".gif":
            silent = "only an .mp4 or .webm has sound"
        if sound and silent:
            complain(
                f"{args.video} stays silent: {silent}; that is in {sound.pop()}"
            )
        yield lambda: write_video(
            done.results,
            args.video,
            scenario=scenario,
            show=args.show,
            sound=next(iter(sound), None),
            **film,
        )
