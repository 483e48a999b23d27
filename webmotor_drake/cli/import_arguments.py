"""The arguments of `webmotor import`: a world becomes a scenario and models."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes, say
from webmotor_drake.cli.scenario_arguments import (
    add_world_arguments,
    world_options,
)
from webmotor_drake.errors import InputError
from webmotor_drake.interrupts import uninterrupted


def add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> None:
    """Adds the command to the parser of the command line."""
    command = commands.add_parser(
        "import", help="write a world of Webots' as scenario and models"
    )
    command.set_defaults(command=_import)
    command.add_argument("file", metavar="WORLD.wbt", help="the world")
    command.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        help="the folder to write; made if missing",
    )
    add_world_arguments(command)


def _import(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.worlds.load import is_world
        from webmotor_drake.worlds.project import Options
        from webmotor_drake.worlds.written import write_world
    if not is_world(args.file):
        raise InputError("a world (.wbt) is needed", where=args.file)
    options = world_options(args) or Options()
    imported = write_world(Path(args.file), Path(args.out), options)
    notes.show()
    summary = imported.report.summary() or "nothing is replaced or left out"
    file = Path(args.out, f"{imported.name}.scenario.yaml")
    return say(f"{file}: {summary}")
