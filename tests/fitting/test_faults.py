"""Faults of logs are told in a line each, and none of clean logs."""

import numpy as np
import pytest
from drawn import draws
from logged_pendulum import CFM, DELAY, NOISE, TRUE, P, log_of, pendulum

import webmotor_drake as wm
from webmotor_drake.fitting import faults
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.faults import remarks_on
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.logged_motors import fresh
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.solve import FitSettings

TIME = 0.005 * np.arange(800)


def target(shift=0.0):
    """Returns a chirp that goes over into steps, rad."""
    t = np.maximum(TIME - shift, 0.0)
    chirp = 0.6 * np.sin(2 * np.pi * (0.3 * t + 0.3 * t * t))
    return np.where(t < 2.5, chirp, np.where(t % 0.8 > 0.4, 0.5, -0.4))


def remarks(position, told=None, **signals):
    """Returns the remarks on positions that should follow a target."""
    told = target() if told is None else told
    own = {"target": told, "position": position, **signals}
    log = RobotLog(TIME, {("hinge", name): v for name, v in own.items()})
    return remarks_on(
        Experiment(pendulum(), log, [], signals=("position", "velocity"))
    )


def followed(seed=0, noise=NOISE, delay=0.02):
    """Returns how a servo might follow the target, with noise."""
    position = np.convolve(target(delay), np.full(12, 1 / 12))[: len(TIME)]
    return position + noise * np.random.default_rng(seed).normal(size=len(TIME))


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_told_of_a_clean_log(seed):
    rng = np.random.default_rng(seed)
    position = followed(seed, rng.choice([0, 1e-4, 2e-3]), rng.uniform(0, 0.08))
    tick = rng.choice([1e-6, 1e-3, 2 * np.pi / 4096])
    velocity = np.gradient(position, TIME)
    position = tick * np.round(position / tick)
    assert remarks(position, velocity=velocity) == []


def test_a_turned_sign_is_told():
    (line,) = remarks(-followed())
    assert "it goes the other way than its target" in line
    assert "hinge.position -1" in line
    (line,) = remarks(followed(), velocity=-np.gradient(followed(), TIME))
    assert "hinge.velocity: it goes the other way than its position" in line


def test_repeated_values_are_told_and_left_out():
    slow = followed()[np.arange(len(TIME)) // 4 * 4]
    (line,) = remarks(slow)
    assert "each value is there 4 times, it was measured at 50 Hz" in line
    left, times = fresh(slow)
    assert times == 4
    np.testing.assert_array_equal(
        np.flatnonzero(np.isfinite(left)), 4 * np.arange(200)
    )


def test_a_gap_of_one_signal_is_told_where_it_is():
    position = followed()
    position[300:420] = np.nan
    gap, missing = sorted(remarks(position), key=lambda line: "missing" in line)
    assert "hinge.position: 1 gap, the longest 0.605 s from 1.495 s on" in gap
    assert "120 values are missing" in missing


def test_other_units_and_targets_that_hardly_move_are_told():
    (line,) = remarks(np.degrees(0.1 * followed()), 0.1 * target())
    assert "times as far as its target; are both in one unit?" in line
    (line,) = remarks(followed(), velocity=2 * np.gradient(followed(), TIME))
    assert "hinge.velocity: it is 2 times the slope of the position" in line
    still = 0.005 * target()
    (line,) = remarks(
        0.005 * followed(noise=0) + followed() - followed(noise=0), still
    )
    assert "its target hardly moves, by 0.0" in line


def fitted(log, bounds, **options):
    pytest.importorskip("scipy")
    return FitRun(
        pendulum(cfm=TRUE["cfm"]), log, bounds, model="webots", **options
    ).run()


def warped(change):
    """Returns a log whose measurements are from other times than they say."""
    log = log_of(pendulum(**TRUE), noise=1e-4)
    position = np.interp(
        change(log.time), log.time, log.get("hinge", "position")
    )
    return RobotLog(log.time, {**log.signals, ("hinge", "position"): position})


BOUNDS = {P: (2, 20, 7), DELAY: (0, 0.04, 0.01)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: 0.97 * t, "its clock runs 3 % slow beside that of"),
        (lambda t: 1.03 * t, "% fast beside that of"),
        (lambda t: t - 0.06, "at its upper bound 0.04 s, and the data pushes"),
        (lambda t: t + 0.05, "measurements are earlier than that"),
    ],
)
def test_clocks_that_differ_are_told_by_the_fit(change, words):
    # Another start is enough: what a fault leaves would be searched from many places.
    few = FitSettings(starts=2, max_iterations=4)
    (line,) = fitted(warped(change), BOUNDS, validate=0.2, settings=few).faults
    assert words in line


def test_a_bound_is_told_where_errors_elsewhere_are_far_larger(monkeypatch):
    """A rotor may stand for a delay beyond its bound, and nothing pushes then."""
    log, few = warped(lambda t: t - 0.06), FitSettings(max_iterations=2)
    for name in ("_PUSHED", "_EXPLAINED"):
        monkeypatch.setattr(faults, name, np.inf)
    told = []
    for factor in (0.0, np.inf):
        monkeypatch.setattr(faults, "_ELSEWHERE", factor)
        found = fitted(log, {DELAY: (0, 0.04, 0.04)}, settings=few)
        told.append(any("upper bound 0.04 s" in line for line in found.faults))
    assert told == [True, False]


@pytest.mark.slow
def test_nothing_is_told_of_a_fit_to_a_clean_log():
    for seed in range(draws(2, 4)):
        log = log_of(pendulum(**TRUE), seed=seed)
        assert fitted(log, {**BOUNDS, CFM: (1e-3, 0.1, 0.01)}).faults == []


def test_limits_all_the_time_are_told():
    scenario = pendulum(**TRUE)
    motor = scenario.model_drivers["arm"].motors["hinge motor"]
    motor.max_torque = 0.5
    log = log_of(scenario)
    with pytest.warns(wm.MotorWarning, match="hinge: at its limits in"):
        wm.fit(scenario, log, {P: (2, 20, 8)}, model="webots")
