"""The command line: its arguments, its exit status, its end."""

import argparse
import atexit
import contextlib
import os
import sys
import threading
import traceback
import typing

from webmotor_drake.cli.console import Notes, complain, open_closed_streams
from webmotor_drake.cli.exit_status import FAILED, WRONG_INPUT
from webmotor_drake.errors import InputError
from webmotor_drake.interrupts import ENDING, interruptible, uninterrupted

if typing.TYPE_CHECKING:
    from webmotor_drake.scenario.scenario import Scenario


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A name that the terminal cannot show is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(arguments)
    with interruptible(ENDING) as interrupts:
        try:
            with Notes.shown(quiet=getattr(args, "quiet", True)) as notes:
                return args.command(args, notes)
        except InputError as error:
            complain(error)
            return WRONG_INPUT
        except KeyboardInterrupt:
            complain("interrupted")
            return interrupts.status


def entry() -> typing.NoReturn:
    """Is the command `webmotor`: `main`, and then the end of the process.

    Python's own end would wait for threads, of which a controller may have left an
    endless one behind, and after a Ctrl-C that came in code which was given to
    `exec`, as numba does, it would not leave our exit status.
    """
    open_closed_streams()
    try:
        status = main()
    except Exception:  # a fault of ours: shown, and no reason to hang
        traceback.print_exc()
        status = FAILED
    if threading.active_count() > 1 or status >= 128:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
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
        command.add_argument(
            "file",
            metavar="FILE",
            help="scenario file; package:NAME is one of `webmotor scenarios`",
        )
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
    _add_run_options(run)
    _add_compare_options(compare)
    scenarios = commands.add_parser(
        "scenarios", help="list the scenarios that come with the package"
    )
    scenarios.set_defaults(command=_scenarios)
    return parser


def _add_run_options(run: argparse.ArgumentParser) -> None:
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
        help="folder for report.html, compare.csv and one run folder per model;"
        " default: runs/NAME-compare",
    )
    compare.add_argument(
        "--quiet", action="store_true", help="no progress bar, no table"
    )


def _load(args: argparse.Namespace) -> "Scenario":
    # Drake is imported here and below: it takes a second, --help should not.
    # An interrupted import of it is an ImportError.
    with uninterrupted():
        from webmotor_drake.scenario.load import load_scenario

    return load_scenario(
        args.file, name=args.scenario_name, text=args.scenario_text
    )


def _run(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.cli.run_command import run

    return run(_load(args), args, notes)


def _check(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.cli.check_command import check

    return check(_load(args), notes)


def _compare(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.cli.compare_command import compare

    return compare(_load(args), args, notes)


def _scenarios(args: argparse.Namespace, notes: Notes) -> int:
    from webmotor_drake.cli.scenarios_command import scenarios

    return scenarios()
