"""The arguments of `webmotor fit`; the command itself is in fit_command.py."""

import argparse

from webmotor_drake.cli.parser import names
from webmotor_drake.cli.scenario_arguments import add_scenario_arguments
from webmotor_drake.cli.sweep_arguments import add_work_arguments


def add(fit: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    add_scenario_arguments(fit)
    _add_data_arguments(fit)
    _add_search_arguments(fit)
    add_work_arguments(fit)
    fit.add_argument(
        "--out",
        metavar="DIR",
        help="folder for fitted.yaml, report.html and estimates.csv; default:"
        " runs/NAME-fit",
    )
    fit.add_argument(
        "--quiet", action="store_true", help="no progress, no table"
    )


def _add_data_arguments(fit: argparse.ArgumentParser) -> None:
    fit.add_argument(
        "--log",
        metavar="FILE",
        action="append",
        default=[],
        help="CSV or parquet with columns time and JOINT.target, JOINT.position and so"
        " on; a ROS bag; or a run.npz; several are fitted together",
    )
    fit.add_argument(
        "--experiment",
        metavar="FILE",
        action="append",
        default=[],
        help="YAML with one of the `experiments` or several: each one's log, and"
        " what was different then, such as its load; may be given several times",
    )
    fit.add_argument(
        "--evaluate",
        metavar="FILE",
        help="another log, or YAML of experiments: print the errors on it, of the"
        " fitted motors or, without --log, of the scenario's own; nothing is fitted"
        " to it",
    )
    fit.add_argument(
        "--columns",
        metavar="YAML",
        default="{}",
        help="meaning and units of other columns, as in"
        " '{enc1: hinge.position deg}'",
    )
    fit.add_argument(
        "--parameters",
        metavar="FILE",
        help="a file with the `parameters` to fit, and `gains` of drake_pd;"
        " default: all of the model, within bounds from the motors' limits",
    )
    fit.add_argument(
        "--gains",
        metavar="YAML",
        default="{}",
        help="kp and kd of drake_pd, as in '{arm/elbow motor: [100, 5]}'; default:"
        " those of the file, or matched to the motors",
    )
    fit.add_argument(
        "--parameter",
        metavar="PATH=LOW:HIGH[:START]",
        action="append",
        default=[],
        help="a value to fit; * for a name means one per name, {*} or"
        " {NAME,NAME} one value for all; may be given several times",
    )
    fit.add_argument(
        "--models",
        metavar="NAMES",
        default="",
        help="motor models to fit, with commas between them, such as"
        " webots,pd; all: rank those that differ; default: the scenario's own",
    )
    fit.add_argument(
        "--signals",
        metavar="NAMES",
        type=names,
        default="position",
        help="the signals to fit: position, velocity, effort (default:"
        " %(default)s)",
    )
    fit.add_argument(
        "--scales",
        metavar="YAML",
        default="{}",
        help="divisors of the residuals, as in '{position: 0.001}';"
        " default: the signal's noise",
    )
    fit.add_argument(
        "--validate",
        metavar="SHARE",
        type=float,
        help="the share of each log's end to keep out of the fit; models are judged"
        " by the faster of its last two thirds (default: 0.5, or 0 if a whole"
        " experiment is held out)",
    )
    fit.add_argument(
        "--windows",
        metavar="N",
        type=int,
        default=1,
        help="cut the log into parts, each started from the measurements",
    )
    fit.add_argument(
        "--fit_start",
        action="store_true",
        help="fit the state at the first sample, too; for noisy logs",
    )
    fit.add_argument(
        "--between",
        metavar="HOW",
        default="hold",
        help="commands between samples: hold or interpolate (default:"
        " %(default)s)",
    )


def _add_search_arguments(fit: argparse.ArgumentParser) -> None:
    fit.add_argument(
        "--method",
        metavar="NAME",
        default="least_squares",
        help="least_squares, or cma for rugged problems (default: %(default)s)",
    )
    fit.add_argument(
        "--loss",
        metavar="NAME",
        default="linear",
        help="linear, or a robust one such as soft_l1 (default: %(default)s)",
    )
    fit.add_argument(
        "--starts",
        metavar="N",
        type=int,
        default=1,
        help="number of start points of the search (default: %(default)s)",
    )
    fit.add_argument(
        "--iterations",
        metavar="N",
        type=int,
        default=30,
        help="most iterations per start (default: %(default)s)",
    )
    fit.add_argument(
        "--seed",
        metavar="S",
        type=int,
        default=0,
        help="seed of random start points (default: %(default)s)",
    )
