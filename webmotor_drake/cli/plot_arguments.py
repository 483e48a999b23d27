"""The arguments of `webmotor plot`; the command itself is in plot_command.py."""

import argparse

from webmotor_drake.cli.parser import names


def add(plot: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    plot.add_argument(
        "folder", metavar="RUN_FOLDER", help="the folder of a saved run"
    )
    plot.add_argument(
        "--out",
        metavar="FILE",
        help="a picture (.png, .svg); default: RUN_FOLDER/run.png. `webmotor view"
        " RUN_FOLDER` has plots to zoom in",
    )
    plot.add_argument(
        "--motors",
        metavar="NAMES",
        type=names,
        help="motors and bodies as MODEL/MOTOR, or patterns as 'arm/*', with"
        " commas between them; default: all",
    )
    plot.add_argument(
        "--signals",
        metavar="NAMES",
        type=names,
        help="signals to draw, separated by commas: position, velocity,"
        " effort, energy, feedback and so on; default: the first three",
    )
    plot.add_argument(
        "--times",
        metavar=("START", "END"),
        nargs=2,
        type=float,
        help="draw this part of the run, s",
    )
