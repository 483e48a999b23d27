"""Motor models with all that a run may have besides."""

import numpy as np
import pytest

from webmotor_drake import load_scenario
from webmotor_drake.scenario.scenario import with_drive
from webmotor_drake.simulation.simulation import Simulation

BESIDES = """
simulation_duration: 0.2
model_drivers:
  arm:
    brakes: {brake: {joint: elbow}}
    battery: [600, 36000, 5]
    delay: 0.003
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
