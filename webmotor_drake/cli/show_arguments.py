"""The arguments for marks beside the robot, and for the camera."""

import argparse

from webmotor_drake.cli.parser import names


def add_show_arguments(command: argparse.ArgumentParser) -> None:
    """Adds --show and --follow."""
    command.add_argument(
        "--show",
        metavar="WHAT",
        type=_names,
        default=[],
        help="draw over the robot, separated by commas: efforts (arcs by"
        " their share of the limit, red where saturated), limits (soft limits"
        " and stops), targets (a ghost of the robot that has reached them)",
    )
    command.add_argument(
        "--follow",
        action="store_true",
        help="the camera follows the robot, as it does in the page",
    )


def _names(text: str) -> list[str]:
    return list(filter(None, names(text)))
