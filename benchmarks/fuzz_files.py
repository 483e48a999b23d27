"""The files of a scenario, a study, a fit and a motion, damaged at random.

    python benchmarks/fuzz_files.py [--calls N] [--seed S]

Whatever was done to a file, what reads it ends soon: it does its work, or says in one
line what is wrong. Anything else is shown, and the exit status is 1.
"""

import faulthandler
import shutil
import sys
import typing
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from _lib.odd_files import damage
from _lib.random_calls import show
from fuzz_folders import soon

from webmotor_drake.data import MODELS, SCENARIOS
from webmotor_drake.errors import WebmotorError
from webmotor_drake.fitting.log_file import load_log
from webmotor_drake.fitting.parameter import load_parameters
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.motion_file import load_motion
from webmotor_drake.robot import run_with_controllers
from webmotor_drake.sweep.study import load_study

SCENARIO = """
Arm:
  simulation_duration: 0.02
  plant_config: {time_step: 0.004}
  directives:
  - add_model: {name: arm, file: arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  - add_model: {name: other, file: other.sdf}
  - add_directives: {file: more.dmd.yaml}
  initial_position: {arm: {hinge: [0.25]}}
  model_drivers:
    arm: !WebotsMotorDriver
      controller: controller_a.py
      motors:
        hinge motor: !RotationalMotor
          joint: hinge
          max_velocity: 8
          control_pid: [10, 0, 0]
"""
MORE = """
directives:
- add_model: {name: crate, file: package://webmotor_models/crate.urdf}
- add_weld: {parent: world, child: crate::crate}
"""
CONTROLLER = """
from controller import Robot
robot = Robot()
robot.getDevice("hinge motor").setPosition(1)
while robot.step(4) != -1:
    pass
"""
OBJ = """
v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""
MESH = '<mesh filename="shape.obj"/>'


def prepare(folder: Path) -> None:
    """Writes all files, undamaged."""
    folder.mkdir()
    arm = (MODELS / "pendulum.urdf").read_text()
    box = '<box size="0.1 0.1 0.1"/>'
    crate = (MODELS / "crate.urdf").read_text()
    name = crate.partition('<link name="')[2].partition('"')[0]
    files = {
        "arm.scenario.yaml": SCENARIO,
        "more.dmd.yaml": MORE.replace("crate::crate", f"crate::{name}"),
        "controller_a.py": CONTROLLER,
        "shape.obj": OBJ,
        "arm.urdf": arm.replace(box, MESH),
        "other.sdf": (MODELS / "pendulum.sdf").read_text(),
        "over.yaml": "simulation_duration: 0.01\n",
        "some.study.yaml": (
            SCENARIOS / "rover_robustness.study.yaml"
        ).read_text(),
        "some.motion": "#WEBOTS_MOTION,V1.0,hinge\n00:00:000,Pose1,0.5\n",
        "log.csv": "time,hinge.position,hinge.target\n0,0,1\n0.1,0.5,1\n",
        "fit.yaml": "parameters:\n- {path: a.b, bounds: [0, 1]}\n",
    }
    for file, text in files.items():
        (folder / file).write_text(text)


def use(folder: Path) -> None:
    """Runs the scenario."""
    scenario = load_scenario(
        folder / "arm.scenario.yaml", overlay=folder / "over.yaml"
    )
    end = min(scenario.simulation_duration, 0.02)
    scenario.simulation_duration = end
    run_with_controllers(scenario)


# What reads a file, by its name; all others are the scenario's.
READERS: dict[str, typing.Callable[[Path], object]] = {
    "some.study.yaml": load_study,
    "some.motion": load_motion,
    "log.csv": load_log,
    "fit.yaml": load_parameters,
}


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Damages files and reads them.

    Args:
        number: how often.
        seed: of what is done to them.
        folder: where they may be.

    Returns:
        What came of it, and what was wrong.
    """
    random = np.random.default_rng(seed)
    whole = folder / "whole"
    prepare(whole)
    found: Counter[str] = Counter()
    wrong = []
    for i in range(number):
        copy = folder / "copy"
        shutil.copytree(whole, copy)
        files = sorted(copy.iterdir())
        file = files[random.integers(len(files))]
        done = damage(file, random)
        told = _outcome(file)
        found[told.partition(":")[0]] += 1
        if told.startswith("wrong"):
            wrong.append(f"{i} {done}: {told}")
        shutil.rmtree(copy)
    return found, wrong


def _outcome(file: Path) -> str:
    """Returns what came of reading a file, or of running what it belongs to."""
    try:
        with soon(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if file.name in READERS:
                READERS[file.name](file)
            else:
                use(file.parent)
    except WebmotorError as error:
        return "refused" if "\n" not in str(error) else f"wrong: {error}"
    except Exception as error:
        return f"wrong: {type(error).__name__}: {error}"[:300]
    return "done"


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(show(fuzz, __doc__))
