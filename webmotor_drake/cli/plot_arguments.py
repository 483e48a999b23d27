"""The arguments of `webmotor plot`; the command itself is in plot_command.py."""

import argparse

from webmotor_drake.cli.console import Notes
from webmotor_drake.interrupts import uninterrupted


def add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> None:
    """Adds the command to the parser of the command line."""
    plot = commands.add_parser("plot", help="draw a saved run")
    plot.set_defaults(command=_plot)
    plot.add_argument(
        "folder", metavar="RUN_FOLDER", help="the folder of a saved run"
    )
    plot.add_argument(
        "--out",
        metavar="FILE",
        help="a picture (.png, .svg), or a page to zoom in (.html, with the"
        " extra plot); default: RUN_FOLDER/run.png",
    )
    plot.add_argument(
        "--motors",
        metavar="NAMES",
        type=_names,
        help="motors and bodies as MODEL/MOTOR, or patterns as 'arm/*', with"
        " commas between them; default: all",
    )
    plot.add_argument(
        "--signals",
        metavar="NAMES",
        type=_names,
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


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _plot(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.cli.plot_command import plot

    return plot(args)
