"""Friction by inverse dynamics: a known one comes back, and shows in the report."""

import dataclasses as dc

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.figures import motions_of, series_pictures
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.friction import frictions
from webmotor_drake.fitting.motor_fit import Part
from webmotor_drake.fitting.robot_log import RobotLog

pytest.importorskip("scipy")

COULOMB, VISCOUS, DAMPING = 0.5, 0.3, 0.4
NOISE = 1e-4


def servo() -> wm.Scenario:
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    motor = wm.RotationalMotor(
        joint="hinge",
        max_torque=20.0,
        motor_model="pd",
        pd=wm.Pd(kp=60.0, kd=2.0),
        friction=wm.Friction(coulomb=COULOMB, viscous=VISCOUS),
    )
    joint = wm.JointParameters(reflected_inertia=0.1, damping_constant=DAMPING)
    changed = dc.replace(
        scenario.model_drivers["arm"],
        motors={"hinge motor": motor},
        joints={"hinge": joint},
        commands=[],
    )
    scenario.model_drivers = {"arm": changed}
    return scenario


@pytest.fixture(scope="module")
def log() -> RobotLog:
    time = np.arange(0, 4, 0.005)
    target = 0.6 * np.sin(2 * np.pi * 0.7 * time)
    signals = {
        ("hinge", "target"): target,
        ("hinge", "position"): np.where(time == 0, 0.0, np.nan),
    }
    alone = Experiment(servo(), RobotLog(time, signals), [], "pd")
    clean = alone.predict(np.zeros(0))[0]
    noise = NOISE * np.random.default_rng(0).standard_normal(len(time))
    signals["hinge", "position"] = clean + noise
    return RobotLog(time, signals)


def part_of(log: RobotLog) -> Part:
    experiments = Experiments([Experiment(servo(), log, [], "pd")], servo())
    run = Evaluation(experiments, experiments.predict(np.zeros(0)))
    return Part(run, run, np.zeros(0))


def test_a_known_friction_comes_back_from_what_was_measured(log):
    ((seen, made),) = frictions(part_of(log), 0).values()
    for points in (seen, made):
        assert len(points.speed) > 200
        fast = points.speed > 0.3
        expected = COULOMB + (VISCOUS + DAMPING) * points.speed
        # Of up to 2.3 N m: efforts are those of steps of 8 ms, and 0.1 mrad of noise
        # is some 0.1 N m of acceleration.
        error = (points.friction - expected)[fast]
        assert np.sqrt(np.mean(error**2)) < 0.2
        assert abs(error.mean()) < 0.06


def test_where_a_log_has_a_gap_no_friction_is_said(log):
    position = log.get("hinge", "position").copy()
    position[200:400] = np.nan
    holed = RobotLog(log.time, {**log.signals, ("hinge", "position"): position})
    ((whole, _),) = frictions(part_of(log), 0).values()
    ((seen, _),) = frictions(part_of(holed), 0).values()
    assert 0.6 < len(seen.speed) / len(whole.speed) < 0.8  # 200 of 800 samples
    lone = np.where(np.arange(800) == 100, position, np.nan)
    single = RobotLog(log.time, {**log.signals, ("hinge", "position"): lone})
    assert frictions(part_of(single), 0) == {}


def test_the_report_has_it_by_speed_and_by_load_as_dots(log):
    run = FitRun(
        servo(),
        log,
        {"model_drivers.arm.delay": (0, 0.02, 0.001)},
        settings=wm.FitSettings(max_iterations=1),
    )
    (motion,) = motions_of(run.run()).values()
    assert len(motion.friction) == 2  # of what was fitted, and of the rest
    by_speed, by_load = series_pictures({"pd": motion})[-2:]
    assert by_speed.title == "Friction (N·m) against speed"
    assert by_load.x_label == "load (N·m)"
    for chart in (by_speed, by_load):
        assert [curve.name for curve in chart.curves] == ["measured", "pd"]
        assert all(curve.is_dotted for curve in chart.curves)
        assert all((np.diff(curve.x) >= 0).all() for curve in chart.curves)
