"""Fits: known parameters come back, and what is not known is said."""

import dataclasses as dc
import re

import numpy as np
import pytest
from logged_pendulum import CFM, DELAY, NOISE, TRUE, P, log_of, pendulum
from ode_here import ode_or_skip

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.fitting.estimate import shown
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.fit import fit
from webmotor_drake.fitting.logged_motors import noise_of
from webmotor_drake.fitting.report import save
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.solve import FitSettings
from webmotor_drake.fitting.table import left_out_rows, text

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def fitted():
    return fit(
        pendulum(),
        log_of(pendulum(**TRUE)),
        {P: (2, 20, 5), DELAY: (0, 0.05, 0.02), CFM: (0.001, 0.1, 0.01)},
        settings=FitSettings(max_iterations=8),
    )


def test_known_parameters_come_back_within_their_intervals(fitted):
    true = [8.0, TRUE["delay"], TRUE["cfm"]]
    for estimate, value in zip(fitted.certainty.estimates, true, strict=True):
        # 95 % intervals of three values, and a seed: twice as wide.
        assert abs(estimate.value - value) < 4 * estimate.deviation
        assert estimate.is_determined
    assert fitted.certainty.undetermined == []


def test_what_is_left_is_noise_also_where_the_fit_never_was(fitted):
    for part in (fitted.fitted, fitted.kept_out):
        # Twice 80 samples: the RMS of noise is known to 7 and 10 %.
        assert part.after.rms["hinge.position"] == pytest.approx(NOISE, rel=0.3)
        assert part.before.rms["hinge.position"] > 10 * NOISE


def test_runs_go_on_into_what_is_kept_out_and_windows_start_anew():
    log, delay = log_of(pendulum(**TRUE)), {DELAY: (0, 0.05, 0.02)}
    few = FitSettings(max_iterations=1)
    go_on, anew = (
        fit(pendulum(), log, delay, windows=windows, settings=few)
        for windows in (1, 2)
    )
    experiment = go_on.fitted.after.experiment
    whole = dc.replace(experiment, span=(0, len(log.time) - 1))
    value = np.array([go_on.certainty.estimates[0].value])
    cut, last = go_on.kept_out.after.experiment.span
    there = go_on.kept_out.after.predicted[0][cut : last + 1]
    assert np.array_equal(there, whole.predict(value)[0, cut : last + 1])
    assert anew.kept_out.after.experiment.cuts == [(cut, last)]


def test_the_fit_is_told_and_saved(fitted, tmp_path):
    told = text(fitted)
    assert "95 % interval" in told
    assert "kept out, after" in told
    save({"webots": fitted}, tmp_path)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"fitted.yaml", "estimates.csv", "report.html"}
    again = wm.load_scenario(
        "package:pendulum", name="Lift", overlay=tmp_path / "fitted.yaml"
    )
    own = fitted.scenario.model_drivers["arm"]
    assert again.model_drivers["arm"].delay == pytest.approx(own.delay)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=.?http", page)
    assert page.count("<svg") >= 5


def test_a_fit_shows_itself_in_a_line_and_as_a_table(fitted):
    assert re.fullmatch(
        r"<MotorFit of webots: 3 parameters, mean RMS error \S+ rad on \S+ to \S+ s"
        r" of what was kept out, \d+ runs>",
        repr(fitted),
    )
    page = fitted._repr_html_()
    assert page.count("<tr") == 4
    assert "95 % interval" in page


def test_the_covariance_and_the_residuals_are_arrays(fitted):
    assert fitted.covariance.shape == (3, 3)
    assert fitted.residuals.shape == (1, 160)
    # The last half was kept out.
    assert np.isnan(fitted.residuals[0, 81:]).all()


@pytest.mark.slow
def test_the_same_from_odes_trajectory():
    """Another engine: the torque drive follows it to 2 mrad, so it biases."""
    ode_or_skip()
    found = fit(
        pendulum(),
        log_of(pendulum(delay=0.013), "ode"),
        {P: (2, 20, 5), DELAY: (0, 0.05, 0.02)},
        settings=FitSettings(max_iterations=6),
    )
    estimates = list(found.certainty.estimates)
    assert estimates[0].value == pytest.approx(8.0, rel=0.02)
    assert estimates[1].value == pytest.approx(0.013, abs=1e-3)


@pytest.mark.slow
def test_what_cannot_be_told_apart_is_named():
    """Twice the gain at twice the softness and no damper: the same effort."""
    found = fit(
        pendulum(cfm=1.0),
        log_of(pendulum(cfm=1.0)),
        {
            P: (2, 20, 8),
            CFM: (0.1, 3, 1.0),
            "model_drivers.arm.joints.hinge.damping_constant": (0, 2, 0.5),
        },
        settings=FitSettings(max_iterations=1),
    )
    words = " ".join(found.certainty.undetermined)
    assert "cannot be told apart" in words
    assert "not determined" in text(found)


@pytest.mark.slow
def test_what_changes_by_rounding_alone_is_not_seen():
    """Inverse dynamics knows the rotor: what it feels cancels it but for rounding."""
    rotor = "model_drivers.arm.joints.hinge.reflected_inertia"
    found = fit(
        pendulum(),
        log_of(pendulum(), "inverse_dynamics"),
        {P: (2, 20, 5), rotor: (0, 0.8, 0.04)},
        model="inverse_dynamics",
    )
    gain, inertia = found.certainty.estimates
    assert gain.value == pytest.approx(8, rel=0.01)  # its interval: 0.3 %
    assert inertia.value == 0.04
    (words,) = found.certainty.undetermined
    assert "nothing that was measured depends on it" in words


def test_a_log_without_movement_determines_nothing():
    with pytest.warns(wm.MotorWarning, match="no movement"):
        found = fit(pendulum(), log_of(pendulum(), still=True), {P: (2, 20, 5)})
    (estimate,) = found.certainty.estimates
    assert estimate.at_bound or not estimate.is_determined


def test_runs_that_fail_are_counted_and_the_fit_goes_on():
    """A time step that is no divisor of the period is refused in every run."""
    scenario = pendulum(basic_time_step=0.008)
    found = fit(
        scenario,
        log_of(scenario),
        {P: (2, 20, 5), "plant_config.time_step": (0.008, 0.01, 0.008)},
        settings=FitSettings(max_iterations=3),
    )
    assert found.failed_runs > 0
    assert "multiple" in found.problem
    assert "failed" in text(found)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"names": "hing"}, "did you mean hinge"),
        ({"validate": 1.5}, "validate 1.5"),
        ({"model": "drake"}, "unknown model 'drake'"),
        ({"signals": ("position", "speed")}, "unknown signal 'speed'"),
        ({"windows": 1000}, "1000 windows"),
        ({"between": "guess"}, "unknown way"),
        ({"scales": {"position": 0}}, "scale 0"),
        ({"parameters": {}}, "no parameter"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(change, problem):
    time = np.linspace(0, 1, 20)
    change = dict(change)
    name = change.pop("names", "hinge")
    log = RobotLog(
        time, {(name, s): np.sin(time) for s in ("target", "position")}
    )
    parameters = change.pop("parameters", {P: (2, 20, 5)})
    with pytest.raises(InputError, match=problem):
        fit(pendulum(), log, parameters, **change)


def test_windows_start_from_what_was_measured():
    scenario = pendulum(**TRUE)
    log = log_of(scenario, noise=0.0)
    for windows in (1, 4):
        experiment = Experiment(scenario, log, [], windows=windows)
        found = Evaluation(
            Experiments([experiment], scenario), experiment.predict(np.zeros(0))
        )
        # A start in motion is found from 9 samples, 80 ms of a triangle.
        assert found.rms["hinge.position"] < 4e-3


def test_noise_is_estimated_and_not_misled_by_motion_or_jumps():
    time = np.linspace(0, 4, 4000)
    noise = 0.01 * np.random.default_rng(0).standard_normal(4000)
    signal = np.sin(time) + (time > 2) + noise
    assert noise_of(signal) == pytest.approx(0.01, rel=0.1)


def test_samples_that_are_left_out_are_counted_by_their_reason():
    scenario = pendulum()
    log = log_of(scenario)
    log.get("hinge", "position")[50:54] = np.nan
    spec = wm.ExperimentSpec(log=log, begin=0.095, end=1.405)
    few = FitSettings(max_iterations=1)
    with pytest.warns(wm.MotorWarning, match="4 values are missing"):
        found = fit(scenario, spec, {P: (2, 20, 8)}, settings=few)
    head, row = left_out_rows(found)
    assert dict(zip(head, row, strict=True)) == {
        "samples": "hinge.position",
        "fitted": "62",
        "kept out": "65",
        "not measured": "4",
        "repeated": "0",
        "other times": "29",
    }


def test_a_value_has_the_digits_that_its_deviation_leaves():
    assert shown(3.14159, 0.01) == "3.142"
    assert shown(1234.5, 30) == "1234"
    assert shown(0.0123456, 0.0004) == "0.01235"
