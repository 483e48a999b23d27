"""The arguments of `webmotor check`; the command itself is in check_command.py."""

import argparse

from webmotor_drake.cli.console import Notes
from webmotor_drake.cli.scenario_arguments import add_scenario_arguments, load
from webmotor_drake.interrupts import uninterrupted


def add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> None:
    """Adds the command to the parser of the command line."""
    check = commands.add_parser("check", help="list motors, limits and drives")
    check.set_defaults(command=_check)
    add_scenario_arguments(check)


def _check(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.cli.check_command import check

    return check(load(args), notes)
