"""Motor models with all that a run may have besides."""

import math

import numpy as np
import pytest

from webmotor_drake import load_scenario
from webmotor_drake.robot import RobotSession
from webmotor_drake.scenario.scenario import with_drive
from webmotor_drake.simulation.simulation import Simulation

BESIDES = """
simulation_duration: 0.2
model_drivers:
  arm:
    brakes: {brake: {joint: elbow}}
    battery: [600, 36000, 5]
    delay: 0.003
    motors: {shoulder motor: {friction: {external_load: 0.2}}}
"""


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_reset_run_is_the_same_to_the_bit(drive):
    scenario = load_scenario("package:motor_models", text=BESIDES)
    simulation = Simulation(with_drive(scenario, drive))
    first = simulation.run()
    simulation.reset()
    simulation.advance_to(0.4)
    again = simulation.results()
    rows = len(first.time) - 1
    for signal in ("position", "effort", "friction", "temperature"):
        name = f"arm/shoulder motor/{signal}"
        np.testing.assert_array_equal(again[name][-rows:], first[name][1:])
    assert first["arm/shoulder motor/energy"][-1] > 0


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_session_commands_motor_models_and_starts_them_over(drive):
    text = f"{{model_drivers: {{arm: {{drive: {drive}, commands: []}}}}}}"
    with RobotSession(load_scenario("package:motor_models", text=text)) as s:
        runs = [
            _commanded(s.robot("arm")),
            s.reset(),
            _commanded(s.robot("arm")),
        ]
    first, _, again = runs
    np.testing.assert_array_equal(first, again)
    assert first[-1, 0] == 0.0  # without power
    # Feedback leaves out what setTorque asked for, and what of it there is.
    assert not first[22:, 1].any() and first[15, 1]


def _commanded(robot):
    """Returns the feedback of shoulder and elbow, step by step, N m."""
    shoulder, elbow = (
        robot.getDevice(f"{name} motor") for name in ("shoulder", "elbow")
    )
    rows = []
    for motor in (shoulder, elbow):
        motor.enableTorqueFeedback(8)
    shoulder.setPosition(0.5)
    for step in range(60):
        if step == 20:
            elbow.setTorque(0.8)
        if step == 30:
            elbow.setAvailableTorque(0.5)
        if step == 40:
            shoulder.setPosition(math.inf)
            shoulder.setVelocity(1.0)
        if step == 50:
            shoulder.setAvailableTorque(0.0)
        robot.step(8)
        rows.append([m.getTorqueFeedback() for m in (shoulder, elbow)])
    return np.array(rows)
