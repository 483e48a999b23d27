"""The arguments of `webmotor view`; the command itself is in view_command.py."""

import argparse

from webmotor_drake.cli.scenario_arguments import add_scenario_arguments
from webmotor_drake.cli.show_arguments import add_show_arguments


def add(view: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    view.description = (
        "Shows robots in a browser until Ctrl-C: those of a scenario or of a model"
        " file (URDF, SDF), with a slider per joint, or a run again whose folder"
        " FILE is, with plots of its motors."
    )
    add_scenario_arguments(view)
    view.add_argument(
        "--meshcat",
        action="store_true",
        help="show it in Drake's Meshcat instead of a page of ours",
    )
    view.add_argument(
        "--port",
        metavar="N",
        type=int,
        help="where the page is; default: the first free one from 7000 on",
    )
    add_show_arguments(view)
