"""webmotor run --model: a run with another motor model than the scenario's."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes
from webmotor_drake.cli.one_run import finished, prepare, tell
from webmotor_drake.cli.run_files import write_files
from webmotor_drake.comparison import known_models
from webmotor_drake.errors import InputError, unknown_name
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
    if model not in known_models.NAMES:
        raise InputError(unknown_name("model", model, known_models.NAMES))
    return known_models.engine_of(model, scenario, None) is not None


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
    run = known_models.prepare(args.model, scenario, None)
    prepare(scenario, out, args)
    notes.show()
    done = finished(run, scenario.simulation_duration, out, args)
    tell(done, args)
    write_files(done, scenario, out, args)
    return done.status
