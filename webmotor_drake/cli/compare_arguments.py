"""The arguments of `webmotor compare`; the command itself is in compare_command.py."""

import argparse

from webmotor_drake.cli.console import Notes
from webmotor_drake.cli.scenario_arguments import add_scenario_arguments, load
from webmotor_drake.interrupts import uninterrupted


def add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
) -> None:
    """Adds the command to the parser of the command line."""
    compare = commands.add_parser(
        "compare", help="run a scenario under several motor models"
    )
    compare.set_defaults(command=_compare)
    add_scenario_arguments(compare)
    compare.add_argument(
        "--models",
        metavar="NAMES",
        default="webots,drake_pd",
        help="separated by commas; the others are compared with the first;"
        " an unknown name lists the known ones (default: %(default)s)",
    )
    compare.add_argument(
        "--gains",
        metavar="YAML",
        default="{}",
        help="kp and kd of drake_pd, as in '{arm/elbow motor: [100, 5]}';"
        " default: matched to the motors",
    )
    compare.add_argument(
        "--out",
        metavar="DIR",
        help="folder for report.html, compare.csv and one run folder per model;"
        " default: runs/NAME-compare",
    )
    compare.add_argument(
        "--sweep",
        metavar="DIR",
        help="folder of a sweep that the report shows, too: its pictures and its"
        " best runs",
    )
    compare.add_argument(
        "--quiet", action="store_true", help="no progress bar, no table"
    )


def _compare(args: argparse.Namespace, notes: Notes) -> int:
    with uninterrupted():
        from webmotor_drake.cli.compare_command import compare

    return compare(load(args), args, notes)
