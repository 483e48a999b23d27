"""webmotor run: simulates a scenario and saves its results."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes
from webmotor_drake.cli.one_run import prepare, simulate, tell
from webmotor_drake.cli.run_files import write_files
from webmotor_drake.cli.saving import out_folder
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.errors import InputError
from webmotor_drake.loading import take_end_away
from webmotor_drake.runner import ready
from webmotor_drake.scenario.key_list import load_keys
from webmotor_drake.scenario.robot_controllers import (
    connected_robots,
    make_extern,
)
from webmotor_drake.scenario.scenario import Scenario


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Runs a scenario; returns the exit status."""
    scenario = load(args)
    _choose_controllers(scenario, args)
    out = out_folder(args, scenario)
    if args.model is not None:
        from webmotor_drake.cli import model_run
        from webmotor_drake.comparison.known_models import with_drive_of

        if model_run.is_engine(scenario, args.model):
            return model_run.run_engine(scenario, out, args, notes)
        scenario = with_drive_of(args.model, scenario)
    return _run_diagram(scenario, out, args, notes)


def _run_diagram(
    scenario: Scenario, out: Path, args: argparse.Namespace, notes: Notes
) -> int:
    if args.page:
        from webmotor_drake.cli.live_run import run_live

        return run_live(scenario, out, args, notes)
    for option in ("beside", "no_wait", "realtime", "port", "keep_going"):
        if getattr(args, option) not in (None, False):
            raise InputError(f"--{option} needs --page")
    simulation = ready(
        scenario,
        port=args.extern_port,
        guests=args.extern_from,
        keys=load_keys(args.keys) if args.keys else None,
    )
    if args.show and args.html is None and args.video is None:
        raise InputError("--show needs --page, --html or --video")
    prepare(scenario, out, args, simulation)
    notes.show()
    done = simulate(simulation, out, args)
    tell(done, args)  # before a film, which takes its time
    write_files(done, scenario, out, args)
    return done.status


def _choose_controllers(scenario: Scenario, args: argparse.Namespace) -> None:
    """Gives robots the controllers of the command line."""
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
