"""webmotor run: simulates a scenario and saves its results."""

import argparse
import functools

from webmotor_drake.cli.console import Notes
from webmotor_drake.cli.one_run import OneRun
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.loading import take_end_away
from webmotor_drake.runner import ready
from webmotor_drake.scenario.key_list import load_keys
from webmotor_drake.scenario.robot_controllers import (
    connected_robots,
    make_extern,
)
from webmotor_drake.scenario.scenario import Scenario

# Options that only a diagram of motor systems has.
_ON_MOTOR_SYSTEMS = (
    *("page", "video", "graphviz"),
    *("extern", "controller", "show", "follow"),
)


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Runs a scenario; returns the exit status."""
    scenario = load(args)
    _choose_controllers(scenario, args)
    if args.model is not None:
        from webmotor_drake.comparison import known_models

        if args.model not in known_models.NAMES:
            raise InputError(
                unknown_name("model", args.model, known_models.NAMES)
            )
        if known_models.engine_of(args.model, scenario, None) is not None:
            return _run_engine(scenario, args, notes)
        scenario = known_models.with_drive_of(args.model, scenario)
    return _run_diagram(scenario, args, notes)


def _run_engine(
    scenario: Scenario, args: argparse.Namespace, notes: Notes
) -> int:
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
    from webmotor_drake.comparison import known_models

    run = OneRun(scenario, args)
    simulated = known_models.prepare(args.model, scenario, None)
    run.prepare()
    notes.show()
    run.run(simulated)
    run.tell()
    run.write_files()
    return run.status


def _run_diagram(
    scenario: Scenario, args: argparse.Namespace, notes: Notes
) -> int:
    make = functools.partial(
        ready,
        scenario,
        by_hand=args.page,
        port=args.extern_port,
        guests=args.extern_from,
        keys=load_keys(args.keys) if args.keys else None,
    )
    if args.page:
        from webmotor_drake.cli.live_run import run_live

        return run_live(make, scenario, args, notes)
    for option in ("beside", "no_wait", "realtime", "port", "keep_going"):
        if getattr(args, option) not in (None, False):
            raise InputError(f"--{option} needs --page")
    simulation = make()
    if args.show and args.html is None and args.video is None:
        raise InputError("--show needs --page, --html or --video")
    run = OneRun(scenario, args)
    run.prepare(simulation)
    notes.show()
    run.simulate(simulation)
    run.tell()  # before a film, which takes its time
    run.write_files()
    return run.status


def _choose_controllers(scenario: Scenario, args: argparse.Namespace) -> None:
    for controller in args.controller:
        from webmotor_drake.robot import set_controller

        set_controller(scenario, controller)
    if args.extern:
        make_extern(scenario, besides=args.controller)
        take_end_away(scenario)
    for option in ("extern_port", "extern_from"):
        if getattr(args, option) not in (None, []) and not connected_robots(
            scenario
        ):
            raise InputError(
                f"--{option} needs --extern, or an <extern> controller"
            )
