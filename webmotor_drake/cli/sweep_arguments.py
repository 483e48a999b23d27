"""The arguments of `webmotor sweep`; the command itself is in sweep_command.py."""

import argparse

from webmotor_drake.cli.parser import names
from webmotor_drake.cli.scenario_arguments import add_scenario_arguments


def add(sweep: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    add_scenario_arguments(sweep)
    _add_study_arguments(sweep)
    add_work_arguments(sweep)
    sweep.add_argument(
        "--out",
        metavar="DIR",
        help="folder for runs.csv; only missing runs are done; default:"
        " runs/NAME-sweep",
    )
    sweep.add_argument(
        "--plot",
        action="store_true",
        help="draw the metrics against the parameters: sweep.png, and"
        " traces.png if traces are kept",
    )
    sweep.add_argument(
        "--quiet", action="store_true", help="no progress bar, no table"
    )


def _add_study_arguments(sweep: argparse.ArgumentParser) -> None:
    sweep.add_argument(
        "--study", metavar="FILE", help="a file with the parameters to vary"
    )
    sweep.add_argument(
        "--vary",
        metavar="PATH=VALUES",
        action="append",
        default=[],
        help="path of a value of the scenario, or `model`, and the values to"
        " try:"
        " START:STOP:N, START:STOP:N:log, v1,v2,v3, or START:STOP with --random",
    )
    sweep.add_argument(
        "--random",
        metavar="N",
        type=int,
        help="N random combinations instead of all",
    )
    sweep.add_argument(
        "--repetitions",
        metavar="N",
        type=int,
        help="runs per combination, each with its own seed; default: 1",
    )
    sweep.add_argument(
        "--seed",
        metavar="S",
        type=int,
        help="seed of random combinations and runs; default: the scenario's",
    )
    sweep.add_argument(
        "--metrics",
        metavar="NAMES",
        type=names,
        help="metrics to keep, separated by commas: overshoot for all"
        " motors together, MODEL/MOTOR/overshoot for one; the first ranks"
        " the runs; default: all metrics of all motors together",
    )
    sweep.add_argument(
        "--traces", action="store_true", help="keep the signals of each run"
    )


def add_work_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the options for many runs: --jobs, --timeout and --scheduler."""
    command.add_argument(
        "--jobs",
        metavar="J",
        type=int,
        help="processes; default: one per processor",
    )
    command.add_argument(
        "--timeout",
        metavar="S",
        type=float,
        help="longest time for one run, s; a run that takes longer has failed;"
        " default: no limit",
    )
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask cluster that does the runs, such as tcp://10.0.0.1:8786",
    )
