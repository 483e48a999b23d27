"""webmotor run --model: a run with another motor model than the scenario's."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes, complain
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.cli.one_run import PLOT, Done, save, save_interrupted, tell
from webmotor_drake.cli.progress import progress_bar
from webmotor_drake.cli.run_files import write_files
from webmotor_drake.comparison.known_models import (
    NAMES,
    Run,
    engine_of,
    prepare,
)
from webmotor_drake.errors import InputError, SimulationError, unknown_name
from webmotor_drake.interrupts import RunInterrupted, uninterrupted
from webmotor_drake.results.results import check_writable
from webmotor_drake.results.whole_file import check_writable as check_files
from webmotor_drake.scenario.robot_controllers import connected_robots
from webmotor_drake.scenario.scenario import Scenario

# What only a diagram of motor systems can do.
_ON_MOTOR_SYSTEMS = (
    *("page", "video", "graphviz"),
    *("extern", "controller", "show", "follow"),
)


def is_engine(scenario: Scenario, model: str) -> bool:
    """Returns whether a model's motors are no motor systems of a diagram.

    Raises:
        InputError: there is no such model.
    """
    if model not in NAMES:
        raise InputError(unknown_name("model", model, NAMES))
    return engine_of(model, scenario, None) is not None


def run_engine(
    scenario: Scenario, out: Path, args: argparse.Namespace, notes: Notes
) -> int:
    """Runs a scenario on an engine of `compare`; returns the exit status."""
    for option in _ON_MOTOR_SYSTEMS:
        if getattr(args, option, None):
            raise InputError(
                f"--{option} works with webots and its like, not with --model"
                f" {args.model}"
            )
    for robot in connected_robots(scenario):
        raise InputError(
            f"--model {args.model} runs commands, not programs",
            path=("model_drivers", robot, "controller"),
        )
    run = prepare(args.model, scenario, None)
    files = args.html, args.sound, out / PLOT if args.plot else None
    check_files(*(file for file in files if file is not None))
    check_writable(out)
    notes.show()
    done = _run(run, scenario.simulation_duration, out, quiet=args.quiet)
    tell(done, args)
    write_files(done, scenario, out, args)
    return done.status


def _run(run: Run, duration: float, out: Path, *, quiet: bool) -> Done:
    """Runs to the end, or as far as it goes, and saves the results."""
    try:
        with progress_bar(duration, quiet=quiet) as progress:
            results = run(progress)
        status = DONE
    except SimulationError as error:
        complain(error)
        status, results = FAILED, error.results
    except RunInterrupted as interrupt:
        with uninterrupted():
            return save_interrupted(interrupt.results, out)
    with uninterrupted():
        return save(status, results, out)
