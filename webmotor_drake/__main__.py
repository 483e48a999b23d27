"""The command line: webmotor run, webmotor check."""

import argparse
import contextlib
import sys
import typing
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from webmotor_drake.errors import InputError, MotorWarning, SimulationError

if typing.TYPE_CHECKING:
    from webmotor_drake.results import Results
    from webmotor_drake.scenario import Scenario
    from webmotor_drake.simulation import Simulation

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns its exit status."""
    warnings.simplefilter("always", MotorWarning)
    warnings.showwarning = _show_warning
    args = _parser().parse_args(arguments)
    try:
        return args.command(args)
    except InputError as error:
        _complain(error)
        return WRONG_INPUT
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webmotor", description="Webots motors on Drake."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="simulate a scenario")
    run.set_defaults(command=_run)
    check = commands.add_parser("check", help="say what would run")
    check.set_defaults(command=_check)
    for command in (run, check):
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
    return parser


def _load(args: argparse.Namespace) -> "Scenario":
    # Drake is imported here and below: it takes a second, --help should not.
    from webmotor_drake.scenario import load_scenario

    return load_scenario(
        args.file, name=args.scenario_name, text=args.scenario_text
    )


def _check(args: argparse.Namespace) -> int:
    from webmotor_drake.check import describe
    from webmotor_drake.simulation import Simulation

    print(describe(Simulation(_load(args))))
    return DONE


def _run(args: argparse.Namespace) -> int:
    from webmotor_drake.animation import animation
    from webmotor_drake.results import check_writable
    from webmotor_drake.simulation import Simulation
    from webmotor_drake.whole_file import check_writable as check_file
    from webmotor_drake.whole_file import write_whole

    scenario = _load(args)
    out = Path(args.out or Path("runs", scenario.origin.name))
    with animation(args.html) as meshcat:
        simulation = Simulation(scenario, meshcat=meshcat)
        check_writable(out)
        for file in filter(None, (args.html, args.graphviz)):
            check_file(file)
        if args.graphviz:
            diagram = simulation.simulator.get_system()
            write_whole(args.graphviz, diagram.GetGraphvizString().encode())
        status, results = _simulate(simulation, quiet=args.quiet)
        results.save(out)
    if args.plot:
        from webmotor_drake.plots import plot_run

        plot_run(results, out / "run.png")
    if not args.quiet:
        _report(results, out)
    return status


def _simulate(
    simulation: "Simulation", *, quiet: bool
) -> tuple[int, "Results"]:
    """Runs to the end, or as far as it goes; returns the exit status, too."""
    try:
        with _progress_bar(quiet) as progress:
            return DONE, simulation.run(progress=progress)
    except SimulationError as error:
        _complain(error)
        return FAILED, simulation.results()
    except KeyboardInterrupt:
        results = simulation.results()
        _complain(f"interrupted at {results.time[-1]:g} s")
        return INTERRUPTED, results


@contextlib.contextmanager
def _progress_bar(
    quiet: bool,
) -> Iterator[Callable[[float, float], None] | None]:
    """Gives what shows the progress, on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(
        unit="s",
        leave=False,
        bar_format="{percentage:3.0f}%|{bar}| {n:.3g}/{total:.3g} s"
        " [{elapsed}<{remaining}]",
    ) as bar:

        def show(now: float, end: float) -> None:
            bar.total = end
            bar.update(now - bar.n)

        yield show


def _report(results: "Results", out: Path) -> None:
    from webmotor_drake.summary import summary_table

    print(summary_table(results))
    print(f"saved in {out}")


def _show_warning(message, category, filename, lineno, file=None, line=None):
    _complain(f"warning: {message}")


def _complain(what: object) -> None:
    print(f"webmotor: {what}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
