"""One simulation on the command line: run as far as it goes, and saved.

It also writes the files that are asked for: plot, page, film, sound.
"""

import argparse
import contextlib
import os
import typing
from collections.abc import Callable, Generator
from pathlib import Path

from webmotor_drake.cli.console import complain, say
from webmotor_drake.cli.exit_status import DONE, FAILED, status_of
from webmotor_drake.cli.progress import progress_bar
from webmotor_drake.cli.saving import out_folder, save_somewhere
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
# Options of films: part, camera, size and speed.
_FILM = ("camera", "size", "fps", "speed", "from", "to", "title")


class OneRun:
    """A run of `webmotor run`, with the files that it leaves.

    Attributes:
        status: the exit status.
        results: Results of the run, once it has ended.
        saved: text that says where the results are.
        interrupted: True if Ctrl-C ended it.

    Args:
        scenario: scenario to run.
        args: arguments of the command.
    """

    def __init__(self, scenario: Scenario, args: argparse.Namespace):
        self._scenario, self._args = scenario, args
        self._out = out_folder(args, scenario)
        self.status, self.saved, self.interrupted = DONE, "", False
        self.results: Results

    def prepare(self, simulation: Simulation | None = None) -> None:
        """Checks that all files can be written; draws the diagram."""
        args = self._args
        plot = self._out / PLOT if args.plot else None
        files = args.html, args.graphviz, args.video, args.sound, plot
        check_files(*(file for file in files if file is not None))
        film = self._film_options()
        if args.video is not None:
            from webmotor_drake.view.film import check_camera
            from webmotor_drake.view.video import check_video

            names = "size", "fps", "speed", "start"
            end = min(film["end"], self._scenario.simulation_duration)
            check_video(args.video, **{n: film[n] for n in names}, end=end)
            check_camera(self._scenario, args.camera)
        check_writable(self._out)
        if args.graphviz is not None and simulation is not None:
            diagram = simulation.simulator.get_system()
            write_whole(args.graphviz, diagram.GetGraphvizString().encode())

    def _film_options(self) -> dict[str, typing.Any]:
        """Returns the arguments for `write_video`, except the file.

        Raises:
            InputError: there are such options, but no --video.
        """
        args = self._args
        given = {name: getattr(args, name) for name in _FILM}
        if args.video is None:
            size = "{}x{}".format(*given["size"])
            for name, value in {**given, "size": size}.items():
                if value != args.parser.get_default(name):
                    raise InputError(f"--{name} needs --video")
        start, end = given.pop("from"), given.pop("to")
        return {**given, "start": start, "end": end, "follow": args.follow}

    def simulate(self, simulation: Simulation) -> None:
        """Runs a simulation to the end, or as far as it goes, and saves it."""

        def run(progress: Progress) -> Results:
            with self.limited(simulation):
                return simulation.run(progress=progress)

        if not self._args.quiet:
            _tell_of_speed()
        self.run(run, simulation.results)
        self.status = self.status or status_of(simulation.exit_status or DONE)

    def run(
        self,
        run: Callable[[Progress], Results],
        now: Callable[[], Results] | None = None,
    ) -> None:
        """Runs to the end, or as far as it goes, and saves the results.

        Args:
            run: function that runs, and reports its progress.
            now: function for the results until now; None: RunInterrupted has them.
        """
        self.status, self.interrupted = DONE, False
        duration, quiet = self._scenario.simulation_duration, self._args.quiet
        try:
            with progress_bar(duration, quiet=quiet) as progress:
                results = run(progress)
        except SimulationError as error:
            complain(error)
            self.status, results = FAILED, error.results
        except KeyboardInterrupt as ending:
            with uninterrupted():  # by a second one, which would lose the rest
                results = (
                    now()
                    if now
                    else typing.cast(RunInterrupted, ending).results
                )
                if not isinstance(ending, RunEnded):
                    self.status, self.interrupted = interrupted_status(), True
                    self.save(results)
                    when = f"interrupted at {results.time[-1]:g} s"
                    complain(f"{when}; {self.saved}")
                    return
        with uninterrupted():
            self.save(results)

    def limited(
        self, simulation: Simulation
    ) -> contextlib.AbstractContextManager[None]:
        """Limits the time of the block's steps; saves before it ends the process."""

        def end(error: SimulationError) -> None:
            complain(error)
            self.save(simulation.results())
            self.tell()

        return limited_steps(end if self._args.owns_process else None)

    def save(self, results: Results) -> None:
        """Saves a run; where there is no room left, in a temporary folder."""
        self.results = results
        failed, self.saved = save_somewhere(results.save, self._out)
        self.status = self.status or failed

    def tell(self) -> None:
        """Prints a summary and the folder; a failure to print changes the status."""
        if not self._args.quiet:
            told = say(f"{summary_table(self.results)}\n{self.saved}")
            self.status = self.status or told

    def write_files(self) -> None:
        """Writes the files that the arguments ask for.

        A file that cannot be written, such as on a full disk, is reported and changes
        the exit status; the other files are written all the same.
        """
        args, results = self._args, self.results
        options: dict[str, typing.Any] = {
            "scenario": self._scenario,
            "show": args.show,
        }
        if args.html is not None:
            from webmotor_drake.view.page import write_page

            with self._told():
                write_page(results, args.html, **options)
        if args.plot:
            from webmotor_drake.results.plots import plot_run

            with self._told():
                plot_run(results, self._out / PLOT)
        sound = None
        if args.sound is not None:
            from webmotor_drake.results.sound import write_sound

            with self._told():
                write_sound(results, args.sound)
                sound = args.sound
        if args.video is not None:
            from webmotor_drake.view.video import write_video

            film, silent = self._film_options(), ""
            if film["speed"] != 1 or film["start"] > 0:
                silent = "it does not run as the sound does"
            elif Path(args.video).suffix.lower() == ".gif":
                silent = "only an .mp4 or .webm has sound"
            if sound and silent:
                complain(
                    f"{args.video} stays silent: {silent}; that is in {sound}"
                )
                sound = None
            with self._told():
                write_video(results, args.video, sound=sound, **options, **film)

    @contextlib.contextmanager
    def _told(self) -> Generator[None]:
        """Tells why the block cannot write its file."""
        try:
            yield
        except InputError as error:
            complain(error)
            self.status = self.status or FAILED


def _tell_of_speed() -> None:
    from webmotor_drake.loops import COMPILED, UNCOMPILED, binaries

    if not COMPILED and UNCOMPILED not in os.environ:
        checkout = (binaries.HERE.parents[1] / "hatch_build.py").exists()
        complain(
            "motors are not compiled, and up to 3 times as slow:"
            f" {'python hatch_build.py' if checkout else 'pip install'} compiles"
            " them where there is a C compiler"
        )
