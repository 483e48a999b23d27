"""Rotors of data sheets in fits: each model starts from them, none says them twice."""

import pytest
from three_joints import JOINTS, ROTOR, log_of_arm, write_arm

import webmotor_drake as wm
from webmotor_drake.fitting.model_parameters import DISTINCT
from webmotor_drake.fitting.ranking import rank_models
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.solve import FitSettings

pytest.importorskip("scipy")

INERTIA = "model_drivers.arm.joints.waist.reflected_inertia"
LOOK = FitSettings(max_iterations=1)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return write_arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def fits(arm):
    """A look of each model at three joints with data sheets."""
    scenario, log = wm.load_scenario(arm), log_of_arm()
    return {
        model: wm.fit(scenario, log, model=model, validate=0, settings=LOOK)
        for model in DISTINCT
    }


@pytest.mark.slow
def test_all_models_are_ranked_on_three_joints_with_data_sheets(fits):
    assert {rank.model for rank in rank_models(fits)} == set(DISTINCT)
    assert not any(fit.failed_runs for fit in fits.values())


@pytest.mark.slow
def test_the_search_starts_from_the_rotors_of_the_data_sheets(fits):
    for model, fit in fits.items():
        elastic = model == "series_elastic"
        field = "elastic.motor_inertia" if elastic else "reflected_inertia"
        for joint in JOINTS:
            start = fit.estimates[f"{joint}.{field}"].parameter.start
            assert start == pytest.approx(ROTOR)


@pytest.mark.slow
def test_an_overlay_says_a_rotor_once(fits, arm, tmp_path):
    file = tmp_path / "fitted.yaml"
    for model, fit in fits.items():
        file.write_text(fit.overlay)
        scenario = wm.load_scenario(arm, overlay=file)
        driver = scenario.model_drivers["arm"]
        wm.run(scenario)
        for joint in JOINTS:
            rotor = driver.motors[joint].dc_motor.rotor_inertia
            assert bool(rotor) == (model == "series_elastic")


def test_an_inertia_that_is_asked_for_stands_instead_of_the_data_sheet(arm):
    scenario = wm.load_scenario(arm)
    asked = f"{INERTIA}=0:0.1:0.02"
    found = wm.fit(scenario, log_of_arm(), [asked], validate=0, settings=LOOK)
    (estimate,) = found.estimates.values()
    assert estimate.parameter.start == 0.02
    # The scenario that was given stays as it is.
    assert scenario.model_drivers["arm"].motors["waist"].dc_motor.rotor_inertia


def test_a_misspelt_joint_of_a_log_is_answered_with_the_nearest(arm):
    log = log_of_arm()
    signals = {
        ("elbwo" if joint == "elbow" else joint, signal): values
        for (joint, signal), values in log.signals.items()
    }
    with pytest.warns(wm.MotorWarning, match="left out; did you mean elbow"):
        wm.fit(
            wm.load_scenario(arm),
            RobotLog(log.time, signals),
            [f"{INERTIA}=0:0.1:0.02"],
            validate=0,
            settings=LOOK,
        )
