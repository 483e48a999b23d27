"""The arguments of `webmotor import`; the command itself is in import_command.py."""

import argparse

from webmotor_drake.cli.scenario_arguments import (
    add_package_argument,
    add_world_arguments,
)


def add(command: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    command.add_argument(
        "file",
        metavar="FILE",
        help="a world (.wbt), or a robot (.urdf, .sdf, .xml of MuJoCo)",
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        help="the folder to write; made if missing",
    )
    add_package_argument(command)
    add_world_arguments(command)
