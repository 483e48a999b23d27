"""A run from the middle of a log goes on as the log does."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.fitting.replay import Script, replay
from webmotor_drake.motor.commands import Kind

DRIVER = "model_drivers: {arm: {commands: [], motors: {hinge motor: %s}}}"
MOTOR = "{acceleration: 4, max_torque: 50}"


@pytest.mark.parametrize("model", ["webots_torque", "webots_implicit", "ideal"])
def test_a_motor_in_motion_ramps_on_from_its_velocity(model):
    # Its acceleration limit starts from the last command; a run that started it at
    # 0 would lag by v²/(2 a), 0.1 rad here.
    text = "{simulation_duration: 1.2, %s}" % (DRIVER % MOTOR)
    scenario = wm.load_scenario("package:pendulum", name="Lift", text=text)
    told = {"arm": {0: [(0, Kind.POSITION, 1.5)]}}
    whole = replay(scenario, model, None, Script(100, told))
    position, velocity = (
        whole[f"arm/hinge motor/{signal}"]
        for signal in ("position", "velocity")
    )
    start = 50  # 0.4 s: on its way
    assert velocity[start] > 0.8
    rest = replay(
        scenario,
        model,
        None,
        Script(
            50,
            told,
            {"arm": {"hinge": position[start]}},
            {"arm/hinge motor": velocity[start]},
        ),
    )
    # The servo's softness: the velocity is within 1e-5 of the command per N m.
    np.testing.assert_allclose(
        rest["arm/hinge motor/position"], position[start:], atol=1e-3
    )
