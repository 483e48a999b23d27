"""One simulation on the command line: run as far as it goes, and saved.

Beside its results it leaves what is asked for: plot, page, film, sound.
"""

import argparse
import contextlib
import dataclasses as dc
import os
import typing
from collections.abc import Callable, Generator
from pathlib import Path

from webmotor_drake.cli.console import complain, say
from webmotor_drake.cli.exit_status import DONE, FAILED, status_of
from webmotor_drake.cli.progress import progress_bar
from webmotor_drake.cli.saving import save_somewhere
from webmotor_drake.cli.step_time import limited_steps
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.interrupts import (
    RunEnded,
    RunInterrupted,
    interrupted_status,
    uninterrupted,
)
from webmotor_drake.results.results import Results, check_writable
from webmotor_drake.results.summary import summary_table
from webmotor_drake.results.whole_file import (
    check_writable as check_files,
    write_whole,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation

Progress = Callable[[float, float], None] | None

PLOT = "run.png"
# Of films: part, camera, size and speed.
_FILM = ("camera", "size", "fps", "speed", "from", "to", "title")


@dc.dataclass
class Done:
    """A run that has ended.

    Attributes:
        status: the exit status.
        results: Results of the run.
        saved: a text that says where they are.
        interrupted: True if Ctrl-C ended it.
    """

    status: int
    results: Results
    saved: str
    interrupted: bool = False


def prepare(
    scenario: Scenario,
    out: Path,
    args: argparse.Namespace,
    simulation: Simulation | None = None,
) -> None:
    """Proves that all can be written that will be; draws a simulation's diagram."""
    plot = out / PLOT if args.plot else None
    files = args.html, args.graphviz, args.video, args.sound, plot
    check_files(*(file for file in files if file is not None))
    film = _film_options(args)
    if args.video is not None:
        from webmotor_drake.view.film import check_camera
        from webmotor_drake.view.video import check_video

        numbers = {name: film[name] for name in ("size", "fps", "speed")}
        check_video(args.video, **numbers)
        check_camera(scenario, args.camera)
    check_writable(out)
    if args.graphviz is not None and simulation is not None:
        diagram = simulation.simulator.get_system()
        write_whole(args.graphviz, diagram.GetGraphvizString().encode())


def _film_options(args: argparse.Namespace) -> dict[str, typing.Any]:
    """Returns the arguments for `write_video`, except the file.

    Raises:
        InputError: there are some, but no --video.
    """
    given = {name: getattr(args, name) for name in _FILM}
    if args.video is None:
        size = "{}x{}".format(*given["size"])
        for name, value in {**given, "size": size}.items():
            if value != args.parser.get_default(name):
                raise InputError(f"--{name} needs --video")
    start, end = given.pop("from"), given.pop("to")
    return {**given, "start": start, "end": end, "follow": args.follow}


def write_files(
    done: Done, scenario: Scenario, out: Path, args: argparse.Namespace
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
    results = done.results
    options: dict[str, typing.Any] = {"scenario": scenario, "show": args.show}
    if args.html is not None:
        from webmotor_drake.view.page import write_page

        with _told(done):
            write_page(results, args.html, **options)
    if args.plot:
        from webmotor_drake.results.plots import plot_run

        with _told(done):
            plot_run(results, out / PLOT)
    sound = None
    if args.sound is not None:
        from webmotor_drake.results.sound import write_sound

        with _told(done):
            write_sound(results, args.sound)
            sound = args.sound
    if args.video is not None:
        from webmotor_drake.view.video import write_video

        film, silent = _film_options(args), ""
        if film["speed"] != 1 or film["start"] > 0:
            silent = "it does not run as the sound does"
        elif Path(args.video).suffix.lower() == ".gif":
            silent = "only an .mp4 or .webm has sound"
        if sound and silent:
            complain(f"{args.video} stays silent: {silent}; that is in {sound}")
            sound = None
        with _told(done):
            write_video(results, args.video, sound=sound, **options, **film)


@contextlib.contextmanager
def _told(done: Done) -> Generator[None]:
    """Tells why the block cannot write its file."""
    try:
        yield
    except InputError as error:
        complain(error)
        done.status = done.status or FAILED


def simulate(
    simulation: Simulation, out: Path, args: argparse.Namespace
) -> Done:
    """Runs to the end, or as far as it goes, and saves the results."""

    def run(progress: Progress) -> Results:
        with limited(simulation, out, args):
            return simulation.run(progress=progress)

    duration = simulation.scenario.simulation_duration
    if not args.quiet:
        _tell_of_speed()
    done = finished(run, duration, out, args, simulation.results)
    done.status = done.status or status_of(simulation.exit_status or DONE)
    return done


def finished(
    run: Callable[[Progress], Results],
    duration: float,
    out: Path,
    args: argparse.Namespace,
    now: Callable[[], Results] | None = None,
) -> Done:
    """Runs to the end, or as far as it goes, and saves the results.

    Args:
        run: runs, and tells its progress.
        duration: time to run, s.
        out: folder for the results.
        args: arguments of `webmotor run`.
        now: gives the results until now; None: a RunInterrupted has them.
    """
    status = DONE
    try:
        with progress_bar(duration, quiet=args.quiet) as progress:
            results = run(progress)
    except SimulationError as error:
        complain(error)
        status, results = FAILED, error.results
    except KeyboardInterrupt as ending:
        with uninterrupted():  # by a second one, which would lose the rest
            results = (
                now() if now else typing.cast(RunInterrupted, ending).results
            )
            if not isinstance(ending, RunEnded):
                done = save(interrupted_status(), results, out)
                done.interrupted = True
                complain(f"interrupted at {results.time[-1]:g} s; {done.saved}")
                return done
    with uninterrupted():
        return save(status, results, out)


def limited(
    simulation: Simulation, out: Path, args: argparse.Namespace
) -> contextlib.AbstractContextManager[None]:
    """Limits the time of the block's steps; where it ends the process, it saves."""

    def end(error: SimulationError) -> None:
        complain(error)
        tell(save(FAILED, simulation.results(), out), args)

    return limited_steps(end if args.owns_process else None)


def save(status: int, results: Results, out: Path) -> Done:
    """Saves a run; where `out` has no room left, in a temporary folder."""
    failed, saved = save_somewhere(results.save, out)
    return Done(status or failed, results, saved)


def tell(done: Done, args: argparse.Namespace) -> None:
    """Prints a run's summary and folder; a failure to print changes the status."""
    if not args.quiet:
        told = say(f"{summary_table(done.results)}\n{done.saved}")
        done.status = done.status or told


def _tell_of_speed() -> None:
    """Says so if motors are slower than they could be."""
    from webmotor_drake.loops import COMPILED, UNCOMPILED, binaries

    if not COMPILED and UNCOMPILED not in os.environ:
        checkout = (binaries.HERE.parents[1] / "hatch_build.py").exists()
        complain(
            "motors are not compiled, and up to 3 times as slow:"
            f" {'python hatch_build.py' if checkout else 'pip install'} compiles"
            " them where there is a C compiler"
        )
