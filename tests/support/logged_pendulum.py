"""A pendulum, and the log of one whose motor is known."""

import dataclasses as dc
import functools
from pathlib import Path

import numpy as np

import webmotor_drake as wm
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.fitting.robot_log import RobotLog

NOISE = 1e-3
P = 'model_drivers.arm.motors."hinge motor".control_pid[0]'
DELAY = "model_drivers.arm.delay"
CFM = "model_drivers.arm.cfm"


def pendulum(**driver):
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    own = scenario.model_drivers["arm"]
    motor = wm.RotationalMotor(
        joint="hinge", control_pid=[8, 0, 0], max_torque=60
    )
    changed = dc.replace(
        own, motors={"hinge motor": motor}, commands=[], **driver
    )
    scenario.model_drivers = {"arm": changed}
    return scenario


def log_of(
    scenario, model="webots", noise=NOISE, seed=0, still=False
) -> RobotLog:
    """Returns a log of 1.6 s of what a scenario does."""
    time = np.arange(0, 1.6, 0.01)
    knots = [0, 0.2, 0.4, 0.7, 1.0, 1.3, 1.6]
    target = np.interp(time, knots, [0, 0.8, 0.8, -0.6, 0.9, -0.2, 0.4])
    start = np.where(time == 0, 0.0, np.nan)
    signals = {
        ("hinge", "target"): target * (not still),
        ("hinge", "position"): start,
    }
    truth = Experiment(scenario, RobotLog(time, signals), [], model)
    random = np.random.default_rng(seed)
    signals["hinge", "position"] = truth.predict(np.zeros(0))[
        0
    ] + noise * random.standard_normal(len(time))
    return RobotLog(time, signals)


TRUE = {"cfm": 0.02, "delay": 0.013}


@functools.cache
def fitted(model: str, *extra: str, iterations: int = 6) -> MotorFit:
    """Returns a fit of a model, and of more, to the log of the true motor."""
    own = {P: (2, 20, 5), DELAY: (0, 0.05, 0.02), CFM: (0.001, 0.1, 0.01)}
    more = dict.fromkeys(extra, (0, 3, 0.1))
    # Another start is enough: what is left of a model that is far off would be searched
    # from many places.
    few = wm.FitSettings(max_iterations=iterations, starts=2)
    log = log_of(pendulum(**TRUE))
    return wm.fit(pendulum(), log, own | more, model=model, settings=few)


def write_log(log: RobotLog, file: Path) -> None:
    """Writes targets and positions of the pendulum as a table."""
    signals = [log.signals["hinge", s] for s in ("target", "position")]
    head = "time,hinge.target,hinge.position"
    rows = np.column_stack([log.time, *signals])
    np.savetxt(file, rows, delimiter=",", header=head, comments="")
