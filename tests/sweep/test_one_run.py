"""One run of a scenario with some of its values replaced."""

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.parameter_path import parse_path
from webmotor_drake.sweep.one_run import MODEL, one_run

GAIN = parse_path('model_drivers.arm.motors."hinge motor".control_pid[0]')


@pytest.fixture(scope="module")
def lift():
    text = "{simulation_duration: 0.2}"
    return load_scenario("package:pendulum", name="Lift", text=text)


def test_a_run_is_that_of_the_scenario_with_the_value_in_its_file(lift):
    text = (
        "{simulation_duration: 0.2, model_drivers: {arm: !WebotsMotorDriver"
        " {motors: {hinge motor: !RotationalMotor {control_pid: [3, 0, 0]}}}}}"
    )
    same = load_scenario("package:pendulum", name="Lift", text=text)
    ours, others = one_run(lift, {GAIN: 3.0}), one_run(same, {})
    for name, values in others.signals.items():
        np.testing.assert_array_equal(ours[name], values)
    assert not np.array_equal(
        ours["arm/hinge motor/position"],
        one_run(lift, {})["arm/hinge motor/position"],
    )


def test_the_results_say_what_was_varied(lift):
    results = one_run(lift, {GAIN: 3.0}, seed=5)
    path = 'model_drivers.arm.motors."hinge motor".control_pid[0]'
    assert results.metadata["parameters"] == {path: 3.0}
    assert results.metadata["random_seed"] == 5


def test_the_motor_model_is_a_parameter(lift):
    results = one_run(lift, {MODEL: "drake_pd"})
    assert results.motor_metadata("arm/hinge motor")["drive"] == "drake_pd"
    with pytest.raises(InputError, match="did you mean drake_pd"):
        one_run(lift, {MODEL: "drake_pdd"})
