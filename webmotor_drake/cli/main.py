"""The command line: its arguments, its exit status, its end."""

import argparse
import atexit
import contextlib
import os
import sys
import threading
import traceback
import typing

from webmotor_drake.cli import (
    check_arguments,
    compare_arguments,
    fit_arguments,
    import_arguments,
    plot_arguments,
    run_arguments,
    sweep_arguments,
    view_arguments,
)
from webmotor_drake.cli.console import Notes, complain, open_closed_streams
from webmotor_drake.cli.exit_status import FAILED, WRONG_INPUT
from webmotor_drake.cli.parser import Parser, Version
from webmotor_drake.errors import InputError
from webmotor_drake.interrupts import ENDING, interruptible


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


def _parser() -> Parser:
    parser = Parser(prog="webmotor", description="Webots motors on Drake.")
    parser.add_argument(
        "--version",
        action=Version,
        nargs=0,
        help="print the versions, and exit",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run_arguments.add(commands)
    check_arguments.add(commands)
    compare_arguments.add(commands)
    view_arguments.add(commands)
    plot_arguments.add(commands)
    sweep_arguments.add(commands)
    fit_arguments.add(commands)
    import_arguments.add(commands)
    scenarios = commands.add_parser(
        "scenarios", help="list the scenarios that come with the package"
    )
    scenarios.set_defaults(command=_scenarios)
    schema = commands.add_parser(
        "schema", help="print a JSON Schema of scenario files, for editors"
    )
    schema.set_defaults(command=_schema)
    return parser


def _scenarios(args: argparse.Namespace, notes: Notes) -> int:
    from webmotor_drake.cli.scenarios_command import scenarios

    return scenarios()


def _schema(args: argparse.Namespace, notes: Notes) -> int:
    from webmotor_drake.cli.schema_command import schema

    return schema()
