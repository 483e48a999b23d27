"""webmotor view: robots that stand still, or a run again, in a browser."""

import argparse
import time
from pathlib import Path

from webmotor_drake.cli.console import Notes
from webmotor_drake.cli.exit_status import DONE
from webmotor_drake.cli.meshcat_address import tell_address
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.data import PREFIX
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.joint_sliders import JointSliders
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.model_scenario import model_scenario
from webmotor_drake.view.replay import replay
from webmotor_drake.view.server import start_meshcat

# How often the sliders are looked at, s.
_LOOK = 1 / 30


def view(args: argparse.Namespace, notes: Notes) -> int:
    """Shows what the arguments name until Ctrl-C; returns the exit status."""
    checked_marks(args.show)
    if Path(args.file).is_dir():
        results = Results.load(args.file)
        meshcat = start_meshcat()
        replay(results, meshcat, show=args.show, follow=args.follow)
        update = _nothing
    else:
        scenario = _scenario(args)
        meshcat = start_meshcat()
        update = JointSliders(scenario, meshcat, show=args.show).update
    notes.show()
    tell_address(meshcat)
    try:
        while True:
            update()
            time.sleep(_LOOK)
    except KeyboardInterrupt:  # there is nothing else to wait for
        return DONE


def _scenario(args: argparse.Namespace) -> Scenario:
    """Returns the scenario to show; a model file is one by itself."""
    is_scenario = Path(args.file).suffix.lower() in (".yaml", ".yml", "")
    if is_scenario or args.file.startswith(PREFIX):
        return load(args)
    return model_scenario(args.file)


def _nothing() -> None:
    """Updates what changes by itself."""
