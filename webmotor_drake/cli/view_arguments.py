"""The arguments of `webmotor view`; the command itself is in view_command.py."""

import argparse

from webmotor_drake.cli.scenario_arguments import add_scenario_arguments
from webmotor_drake.cli.show_arguments import add_show_arguments


def add(view: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    view.description = (
        "Shows robots in a browser until Ctrl-C. FILE is a scenario or a model"
        " (URDF, SDF), shown with a slider per joint; or the folder of a run, which"
        " is replayed with plots of its motors."
    )
    add_scenario_arguments(view)
    view.add_argument(
        "--port",
        metavar="N",
        type=int,
        help="port of the page; default: the first free one from 7000 on",
    )
    view.add_argument(
        "--beside",
        metavar="MODEL",
        help="with the folder of a run: a ghost: a motor model of compare, such as"
        " drake_pd, or the folder of another run",
    )
    view.add_argument(
        "--html",
        metavar="FILE",
        help="with the folder of a run: write its page as one file instead",
    )
    add_show_arguments(view)
