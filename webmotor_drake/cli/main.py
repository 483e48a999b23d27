"""The command line: its arguments, its exit status, its end."""

import argparse
import contextlib
import importlib
import io
import os
import sys
import threading
import traceback
import types
import typing

from webmotor_drake.cli.console import (
    Notes,
    complain,
    leave,
    open_closed_streams,
    window_width,
)
from webmotor_drake.cli.exit_status import FAILED, WRONG_INPUT
from webmotor_drake.cli.loading_time import limited_loading
from webmotor_drake.cli.options import add_options, commands
from webmotor_drake.cli.parser import Parser, Version
from webmotor_drake.errors import InputError
from webmotor_drake.interrupts import (
    ENDING,
    interrupted_status,
    interruptible,
    uninterrupted,
)
from webmotor_drake.limits import unlimited
from webmotor_drake.results.text import window

# Commands that only load a file, and show their notes once it is loaded.
_LIMITED = ("run", "check", "compare", "view", "import")
_COMPLETION = """\
Tab completes commands and options, with the extra `completion`, after
  eval "$(register-python-argcomplete webmotor)"                      bash, zsh
  register-python-argcomplete --shell fish webmotor | source          fish
"""


def main(
    arguments: list[str] | None = None, *, owns_process: bool = False
) -> int:
    """Runs the command line; returns its exit status.

    Args:
        arguments: arguments of the command line; None: the process's.
        owns_process: True if it may end the process where a file takes too long.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the terminal cannot show is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks, and gets an answer
        with contextlib.suppress(ImportError):
            importlib.import_module("argcomplete").autocomplete(parser)
    args = parser.parse_args(arguments)
    args.owns_process = owns_process
    lifted = getattr(args, "unlimited", False)
    width = None if getattr(args, "wide", False) else window_width()
    with interruptible(ENDING), unlimited(lifted), window(width):
        try:
            with Notes.shown(quiet=getattr(args, "quiet", True)) as notes:
                command = _module(args.command).command
                if args.command not in _LIMITED:
                    return command(args, notes)
                with limited_loading(str(args.file), owns_process=owns_process):
                    return command(args, notes)
        except InputError as error:
            complain(error)
            return WRONG_INPUT
        except KeyboardInterrupt:
            complain("interrupted")
            return interrupted_status()


def entry() -> typing.NoReturn:
    """Runs the command `webmotor`: `main`, then the end of the process.

    Python's own end would wait for threads, and a controller may have left an endless
    one. It would also lose our exit status after a Ctrl-C in code given to `exec`.
    """
    open_closed_streams()
    try:
        status = main(owns_process=True)
    except Exception:  # a fault of ours: shown, and no reason to hang
        traceback.print_exc()
        status = FAILED
    if threading.active_count() > 1 or status >= 128:
        leave(status)
    sys.exit(status)


def _parser() -> Parser:
    parser = Parser(
        prog="webmotor",
        description="Webots motors on Drake.",
        epilog=_COMPLETION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version",
        action=Version,
        nargs=0,
        help="print the versions, and exit",
    )
    parsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, about in commands().items():
        command = parsers.add_parser(name, help=about["about"])
        command.set_defaults(command=name)
        add_options(command, name)
    return parser


def _module(command: str) -> types.ModuleType:
    """Returns a command's module, which imports Drake: that takes a second.

    Interrupted midway the import would fail with an ImportError.
    """
    with uninterrupted():
        return importlib.import_module(f"webmotor_drake.cli.{command}_command")
