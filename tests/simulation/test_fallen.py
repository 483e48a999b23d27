"""Bodies that have fallen out of the world are named at the end of a run."""

import warnings

import pytest

from webmotor_drake.data import MODELS
from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

TEXT = f"""
Drop:
  simulation_duration: 0.96
  plant_config: {{time_step: 0.032}}
  directives:
  - add_model: {{name: ground, file: {MODELS}/ground.urdf}}
  - add_weld: {{parent: world, child: ground::ground}}
  - add_model:
      name: box
      file: {MODELS}/small_box.urdf
      default_free_body_pose: {{box: {{translation: [X, 0, 0.03]}}}}
  - add_model: {{name: arm, file: {MODELS}/pendulum.urdf}}
  - add_weld: {{parent: world, child: arm::base, X_PC: {{translation: [0, 3, 1]}}}}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {{m: !RotationalMotor {{joint: hinge}}}}
"""


def results_of(x: float, tmp_path):
    file = tmp_path / "drop.yaml"
    file.write_text(TEXT.replace("X,", f"{x},"))
    return Simulation(load_scenario(file)).run()


def test_a_box_beside_the_floor_is_told(tmp_path):
    with pytest.warns(MotorWarning, match="box::box: fallen to 4.5. m below"):
        results = results_of(6.0, tmp_path)
    assert any("fallen" in text for text in results.metadata["warnings"])


def test_a_box_on_the_floor_is_not(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results_of(0.0, tmp_path)
