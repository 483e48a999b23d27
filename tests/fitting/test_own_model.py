"""The motor model of a fit: the motors' own, unless another is asked for."""

import dataclasses as dc

import pytest
from logged_pendulum import log_of, pendulum

import webmotor_drake as wm
from webmotor_drake.fitting.own_model import OWN, own_model
from webmotor_drake.scenario.scenario import with_model


def with_own(model, *, of_driver="webots"):
    """Returns a pendulum whose motor says its model itself."""
    scenario = pendulum(motor_model=of_driver)
    driver = scenario.model_drivers["arm"]
    motor = dc.replace(driver.motors["hinge motor"], motor_model=model)
    scenario.model_drivers = {
        "arm": dc.replace(driver, motors={"hinge motor": motor})
    }
    return scenario


@pytest.mark.parametrize(
    ("own", "driver", "model"),
    [("pd", "webots", "pd"), ("", "pd", "pd"), ("webots", "pd", "webots")],
)
def test_a_motors_own_model_goes_before_its_drivers(own, driver, model):
    scenario = with_own(own, of_driver=driver)
    assert own_model(scenario) == model
    log = log_of(with_model(scenario, model), model, noise=0.0)
    # Equal inputs, equal bits.
    assert wm.evaluate(scenario, log).rms["hinge.position"] == 0.0


def test_motors_of_several_models_keep_their_own():
    scenario = with_own("pd")
    driver = scenario.model_drivers["arm"]
    both = {
        **driver.motors,
        "second motor": dc.replace(
            driver.motors["hinge motor"], joint="elbow", motor_model=""
        ),
    }
    scenario.model_drivers = {"arm": dc.replace(driver, motors=both)}
    assert own_model(scenario) == OWN


@pytest.mark.parametrize("model", ["webots", "pd"])
def test_an_overlay_gives_motors_the_fitted_model(model):
    pytest.importorskip("scipy")
    scenario = with_own("dc_motor", of_driver="webots")
    log = log_of(pendulum())
    damping = "model_drivers.arm.joints.hinge.damping_constant"
    found = wm.fit(
        scenario,
        log,
        {damping: (0, 2, 0.1)},
        model=model,
        settings=wm.FitSettings(max_iterations=1),
    )
    # Of the motor; of the driver, too, unless it says so already.
    assert found.overlay.count(f"motor_model: {model}") == 1 + (model == "pd")
