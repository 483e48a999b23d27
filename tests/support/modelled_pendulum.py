"""Logs of a pendulum under each motor model, its parameters drawn at random."""

import dataclasses as dc

import numpy as np

import webmotor_drake as wm
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.model_parameters import parameters_for
from webmotor_drake.fitting.parameter import parameters_of
from webmotor_drake.fitting.robot_log import RobotLog

NOISE = 3e-4  # rad
LENGTH = 3.2  # s
PERIOD = 0.024  # of the motors, s: what is held for it is seen
# Where in its bounds a parameter is drawn: what is seen in a log of these motions.
_SHARES = {
    "delay": (0.1, 0.6),
    "reflected_inertia": (0.02, 0.1),
    "cfm": (0.1, 0.3),
    "damping_constant": (0.02, 0.2),
    "viscous": (0.02, 0.2),
    "control_pid[0]": (0.1, 0.25),
    "coulomb": (0.05, 0.2),
    "kp": (0.05, 0.2),
    "kd": (0.02, 0.06),
    "stall_torque": (0.05, 0.12),
    "no_load_speed": (0.04, 0.08),
    "stiffness": (0.0, 0.02),
    "motor_inertia": (0.02, 0.1),
}
# What a model is as long as something of it does not bind, and by how much a log of
# it has to be off that, over the noise: otherwise nothing of the model is in the log.
_PLAINER = {"dc_motor": "pd"}
_OFF = 10.0


def pendulum() -> wm.Scenario:
    """Returns a pendulum with a motor that is limited in all it can."""
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    motor = wm.RotationalMotor(joint="hinge", max_torque=20, max_velocity=2.5)
    own = scenario.model_drivers["arm"]
    changed = dc.replace(
        own,
        basic_time_step=PERIOD,
        motors={"hinge motor": motor},
        commands=[],
    )
    scenario.model_drivers = {"arm": changed}
    return scenario


def log_of(model: str, seed: int) -> RobotLog:
    """Returns a log of a motor of that model: ramps, the later the faster."""
    return made(model, seed, NOISE)[1]


def made(
    model: str, seed: int, noise: float = 0.0
) -> tuple[dict[str, float], RobotLog]:
    """Returns the values of a motor of that model, by name, and its log."""
    random = np.random.default_rng(seed)
    time = np.arange(0, LENGTH, 0.01)
    knots = np.cumsum(np.linspace(0.35, 0.15, 15)) - 0.35
    signs = (-1) ** np.arange(len(knots))
    heights = signs * random.uniform(0.2, 0.6, len(knots))
    heights[0] = 0.0  # from rest: a step says little of a delay
    target = np.interp(time, knots, heights)
    signals = {
        ("hinge", "target"): target,
        ("hinge", "position"): np.where(time == 0, 0.0, np.nan),
    }
    log = RobotLog(time, signals)
    while not _is_seen(model, log, values := _values(model, log, random)):
        pass
    position = _motion(model, log, values)
    position = position + noise * random.standard_normal(len(time))
    return values, RobotLog(time, {**signals, ("hinge", "position"): position})


def _values(model: str, log: RobotLog, random) -> dict[str, float]:
    """Returns values of what is fitted of a model, drawn at random."""
    return {
        p.name: _drawn(p, random) for p in _experiment(model, log).parameters
    }


def _is_seen(model: str, log: RobotLog, values: dict[str, float]) -> bool:
    """Returns whether the half that is fitted is not that of a plainer motor."""
    plainer = _PLAINER.get(model)
    if plainer is None:
        return True
    difference = _motion(model, log, values) - _motion(plainer, log, values)
    fitted = difference[: len(difference) // 2]
    return np.sqrt(np.mean(fitted**2)) > _OFF * NOISE


def _motion(model: str, log: RobotLog, values: dict[str, float]) -> np.ndarray:
    """Returns the positions with those values that the model has, shape (N,)."""
    truth = _experiment(model, log)
    found = [values[p.name] for p in truth.parameters]
    return truth.predict(np.array(found))[0]


def _experiment(model: str, log: RobotLog) -> Experiment:
    scenario = pendulum()
    specs, gains = parameters_for(scenario, [log], model, {})
    found = parameters_of(specs, scenario, model, gains)
    return Experiment(scenario, log, found, model, gains)


def _drawn(parameter, random) -> float:
    text = "".join(
        f"[{k}]" if isinstance(k, int) else f".{k}"
        for k in parameter.paths[0][-2:]
    )
    low, high = next(
        (share for end, share in _SHARES.items() if text.endswith(end)),
        (0.1, 0.5),
    )
    return parameter.low + (parameter.high - parameter.low) * random.uniform(
        low, high
    )
