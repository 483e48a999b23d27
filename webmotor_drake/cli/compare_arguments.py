"""The arguments of `webmotor compare`; the command itself is in compare_command.py."""

import argparse

from webmotor_drake.cli.parser import names
from webmotor_drake.cli.scenario_arguments import add_scenario_arguments


def add(compare: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    add_scenario_arguments(compare)
    compare.add_argument(
        "--models",
        metavar="NAMES",
        type=names,
        default="webots,drake_pd",
        help="motor models, separated by commas; the first is the reference; an"
        " unknown name lists the models (default: %(default)s)",
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
        help="folder of a sweep, whose pictures and best runs the report shows,"
        " too",
    )
    compare.add_argument(
        "--quiet", action="store_true", help="no progress bar, no table"
    )
