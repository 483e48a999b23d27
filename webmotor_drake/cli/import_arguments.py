"""The arguments of `webmotor import`; the command itself is in import_command.py."""

import argparse

from webmotor_drake.cli.scenario_arguments import add_world_arguments


def add(command: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    command.add_argument("file", metavar="WORLD.wbt", help="the world")
    command.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        help="the folder to write; made if missing",
    )
    add_world_arguments(command)
