"""A run that is drawn is the same run, to the last bit."""

import re

import numpy as np
import pytest
from drawn import FULL
from scenarios_here import scenario_files

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

# The torque drive's, of which Drake 1.58 drew five differently: its mouse could pull.
FEW = ["pan_tilt", "vertical_lift", "hinge_with_stops", "torso"]
ALL = [file.name.partition(".")[0] for file in scenario_files()]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", ALL if FULL else FEW)
def test_drawing_changes_no_bit(file, meshcat):
    path = SCENARIOS / f"{file}.scenario.yaml"
    for name in re.findall(r"^(\w+):", path.read_text(), re.MULTILINE):
        runs = []
        for where in (None, meshcat):
            text = "{simulation_duration: 0.4}"
            scenario = load_scenario(path, name=name, text=text)
            try:
                runs.append(Simulation(scenario, meshcat=where).run())
            except InputError as error:
                if "example-robot-data" not in str(error):
                    raise
                pytest.skip(str(error))
        for signal, values in runs[0].signals.items():
            np.testing.assert_array_equal(
                values, runs[1][signal], err_msg=f"{name}: {signal}"
            )
