"""The command line: webmotor run, webmotor check, webmotor compare."""

import argparse
import atexit
import contextlib
import os
import re
import sys
import threading
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

from webmotor_drake.cli.console import Notes, complain, say, uninterrupted
from webmotor_drake.errors import InputError, SimulationError

if typing.TYPE_CHECKING:
    from webmotor_drake.comparison.comparison import Comparison
    from webmotor_drake.comparison.comparison_run import ComparisonRun
    from webmotor_drake.results.results import Results
    from webmotor_drake.scenario.scenario import Scenario
    from webmotor_drake.simulation.simulation import Simulation

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130

# How Python's names of a thread pool's threads begin.
_POOL = "ThreadPoolExecutor"


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A name that the terminal cannot show is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(arguments)
    try:
        with Notes.shown(quiet=getattr(args, "quiet", True)) as notes:
            return args.command(args, notes)
    except InputError as error:
        complain(error)
        return WRONG_INPUT
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED


def entry() -> typing.NoReturn:
    """Is the command `webmotor`: `main`, and then the end of the process.

    Python would wait for the tasks of a thread pool, and a controller may have
    left an endless one behind.
    """
    status = main()
    if any(t.name.startswith(_POOL) for t in threading.enumerate()):
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(status)
    sys.exit(status)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webmotor", description="Webots motors on Drake."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="simulate a scenario")
    run.set_defaults(command=_run)
    check = commands.add_parser("check", help="say what would run")
    check.set_defaults(command=_check)
    compare = commands.add_parser(
        "compare", help="run a scenario under several motor models"
    )
    compare.set_defaults(command=_compare)
    for command in (run, check, compare):
        command.add_argument("file", metavar="FILE", help="scenario file")
        command.add_argument(
            "--scenario_name",
            metavar="NAME",
            help="which scenario of the file, if it has several",
        )
        command.add_argument(
            "--scenario_text",
            metavar="YAML",
            default="{}",
            help="overrides parts of the scenario,"
            " as in '{simulation_duration: 2}'",
        )
    run.add_argument(
        "--out",
        metavar="DIR",
        help="folder for run.npz and run.json; default: runs/NAME",
    )
    run.add_argument(
        "--controller",
        metavar="FILE",
        action="append",
        default=[],
        help="a Webots controller in Python; MODEL=FILE if there are several"
        " robots, once for each",
    )
    run.add_argument(
        "--plot", action="store_true", help="draw run.png beside them"
    )
    run.add_argument(
        "--html", metavar="FILE", help="write an animation as a web page"
    )
    run.add_argument(
        "--graphviz", metavar="FILE", help="write the diagram as a dot file"
    )
    run.add_argument(
        "--quiet", action="store_true", help="no progress bar, no table"
    )
    _add_compare_options(compare)
    return parser


def _add_compare_options(compare: argparse.ArgumentParser) -> None:
    compare.add_argument(
        "--models",
        metavar="NAMES",
        default="webots,drake_pd",
        help="with commas between them; the first is what the others are"
        " compared with; an unknown name lists the known (default: %(default)s)",
    )
    compare.add_argument(
        "--gains",
        metavar="YAML",
        default="{}",
        help="kp and kd of drake_pd, as in '{arm/elbow motor: [100, 5]}';"
        " default: matched to the motors",
    )
    compare.add_argument(
        "--out",
        metavar="DIR",
        help="folder for report.html, compare.csv and a run folder a model;"
        " default: runs/NAME-compare",
    )
    compare.add_argument(
        "--quiet", action="store_true", help="no progress bar, no table"
    )


def _load(args: argparse.Namespace) -> "Scenario":
    # Drake is imported here and below: it takes a second, --help should not.
    # An interrupted import of it is an ImportError.
    with uninterrupted():
        from webmotor_drake.scenario.scenario import load_scenario

    return load_scenario(
        args.file, name=args.scenario_name, text=args.scenario_text
    )


def _check(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.cli.check_command import describe
        from webmotor_drake.simulation.simulation import Simulation

    simulation = Simulation(_load(args))
    notes.show()
    say(describe(simulation))
    return DONE


def _run(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.results.results import check_writable
        from webmotor_drake.results.whole_file import (
            check_writable as check_file,
        )
        from webmotor_drake.results.whole_file import write_whole
        from webmotor_drake.simulation.animation import animation
        from webmotor_drake.simulation.simulation import Simulation

    scenario = _load(args)
    for controller in args.controller:
        from webmotor_drake.robot import set_controller

        set_controller(scenario, controller)
    out = Path(args.out or Path("runs", _file_name(scenario.origin.name)))
    plot = out / "run.png" if args.plot else None
    with animation(args.html) as meshcat:
        simulation = Simulation(scenario, meshcat=meshcat)
        for file in (args.html, args.graphviz, plot):
            if file is not None:
                check_file(file)
        check_writable(out)
        notes.show()
        if args.graphviz is not None:
            diagram = simulation.simulator.get_system()
            write_whole(args.graphviz, diagram.GetGraphvizString().encode())
        status, results = _simulate(simulation, out, quiet=args.quiet)
    if plot is not None:
        from webmotor_drake.results.plots import plot_run

        plot_run(results, plot)
    if not args.quiet:
        _report(results, out)
    return status


def _compare(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.comparison.comparison_run import ComparisonRun
        from webmotor_drake.comparison.report import load_template
        from webmotor_drake.engines.drake_controllers import parse_gains
        from webmotor_drake.results.whole_file import check_writable

    scenario = _load(args)
    name = f"{_file_name(scenario.origin.name)}-compare"
    out = Path(args.out or Path("runs", name))
    models = [model.strip() for model in args.models.split(",")]
    ready = ComparisonRun(scenario, models, gains=parse_gains(args.gains))
    load_template()
    for file in ("report.html", "compare.csv"):
        check_writable(out / file)
    notes.show()
    status, comparison = _run_models(ready, quiet=args.quiet)
    with uninterrupted():
        comparison.save(out)
    for text in comparison.warnings:
        notes.add(f"warning: {text}")
    for model, error in comparison.errors.items():
        complain(f"{model} failed: {error}")
    if not args.quiet:
        say(f"{comparison.table()}\nsaved in {out}")
    return status


def _run_models(
    ready: "ComparisonRun", *, quiet: bool
) -> tuple[int, "Comparison"]:
    """Runs all models, or as many as there is time for.

    Returns:
        The exit status and the comparison.
    """
    try:
        with _progress_of_models(quiet) as progress:
            comparison = ready.run(progress=progress)
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED, ready.comparison()
    return FAILED if comparison.errors else DONE, comparison


@contextlib.contextmanager
def _progress_of_models(
    quiet: bool,
) -> Iterator[Callable[[str, float, float], None] | None]:
    """Gives what shows how far which model is, on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(
        total=0,
        leave=False,
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {n:.4g}/{total:.4g} s",
    ) as bar:

        def show(model: str, now: float, end: float) -> None:
            if bar.desc != model:
                bar.reset(total=end)
                bar.set_description_str(model)
            bar.update(now - bar.n)

        yield show


def _file_name(scenario_name: str) -> str:
    """Returns the name as that of a file, neither hidden nor elsewhere."""
    return re.sub(r"[^\w .+-]", "_", scenario_name).lstrip(". ") or "_"


def _simulate(
    simulation: "Simulation", out: Path, *, quiet: bool
) -> tuple[int, "Results"]:
    """Runs to the end, or as far as it goes, and saves what there is.

    Returns:
        The exit status and the results.
    """
    if not quiet:
        _tell_of_compiling(simulation)
    try:
        with _progress_bar(simulation, quiet) as progress:
            status, results = DONE, simulation.run(progress=progress)
    except SimulationError as error:
        complain(error)
        status, results = FAILED, error.results
    except KeyboardInterrupt:
        with uninterrupted():  # by a second one, which would lose the rest
            results = simulation.results()
            results.save(out)
            complain(f"interrupted at {results.time[-1]:g} s; saved in {out}")
        return INTERRUPTED, results
    with uninterrupted():
        results.save(out)
    return status, results


def _tell_of_compiling(simulation: "Simulation") -> None:
    from webmotor_drake.compiled import is_ready
    from webmotor_drake.drive.torque_solve import solve_trees

    drives = {motors.drive for motors in simulation.motors.values()}
    if "torque" in drives and not is_ready(solve_trees):
        complain("compiling the motors, this once; it takes some 15 s")


@contextlib.contextmanager
def _progress_bar(
    simulation: "Simulation", quiet: bool
) -> Iterator[Callable[[float, float], None] | None]:
    """Gives what shows the progress, on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(
        total=simulation.scenario.simulation_duration,
        leave=False,
        bar_format="{percentage:3.0f}%|{bar}| {n:.4g}/{total:.4g} s"
        " [{elapsed}<{remaining}]",
    ) as bar:
        yield lambda now, _: bar.update(now - bar.n)


def _report(results: "Results", out: Path) -> None:
    from webmotor_drake.results.summary import summary_table

    say(f"{summary_table(results)}\nsaved in {out}")


if __name__ == "__main__":
    entry()
