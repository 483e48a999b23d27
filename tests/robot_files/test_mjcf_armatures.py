"""Armatures that Drake leaves out are told with their cure."""

import warnings

import pytest

from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.robot_files.import_robot import as_it_loads
from webmotor_drake.simulation.diagram import assemble

mujoco = pytest.importorskip("mujoco")

MJCF = """<mujoco model="arm">
  <default>
    <joint armature="0.1"/>
    <default class="small"><joint armature="0.02"/></default>
    <default class="same"><joint damping="1"/></default>
  </default>
  <worldbody><body name="a">{inertial}<joint name="a"/>
    <body name="b" childclass="small">{inertial}<joint name="b"/>
      <body name="c">{inertial}<joint name="c" class="same"/>
        <body name="d">{inertial}<joint name="d" armature="0"/>
          <body name="e">{inertial}<joint name="e"/></body>
        </body>
      </body>
    </body>
  </body></worldbody>
  <actuator>
    <general joint="a"/><general joint="b"/><position joint="e" kp="1"/>
  </actuator>
</mujoco>
""".replace(
    "{inertial}", '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
)
SCENARIO = """Arm:
  simulation_duration: 1
  plant_config: {time_step: 0.001}
  directives:
  - add_model: {name: arm, file: arm.xml}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        first: !RotationalMotor {joint: a}
        second: !RotationalMotor {joint: b}
        last: !RotationalMotor {joint: e}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "arm.xml").write_text(MJCF)
    (tmp_path / "arm.scenario.yaml").write_text(SCENARIO)
    return tmp_path


def assembled(folder, text="{}"):
    file = folder / "arm.scenario.yaml"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", MotorWarning)
        assemble(load_scenario(str(file), text=text))
    return [str(w.message) for w in said if "armature" in str(w.message)]


def test_armatures_by_class_are_those_of_mujoco(folder):
    model = mujoco.MjModel.from_xml_string(MJCF)
    theirs = {name: model.joint(name).armature[0] for name in "abcde"}
    assert theirs["e"] > 0  # Drake reads it
    found = as_it_loads(folder / "arm.xml").lost_armatures
    assert found == {n: a for n, a in theirs.items() if a and n != "e"}


def test_a_motor_on_a_joint_that_lost_its_armature_is_told_the_cure(folder):
    (told,) = assembled(folder)
    cure = "{a: {reflected_inertia: 0.1}, b: {reflected_inertia: 0.02}}"
    assert told.startswith("arm: ") and told.endswith(f"joints: {cure}")
    text = f"{{model_drivers: {{arm: {{joints: {cure}}}}}}}"
    assert not assembled(folder, text)


def test_a_file_that_is_no_mjcf_has_no_armatures(tmp_path):
    assert as_it_loads(tmp_path / "none.xml").lost_armatures == {}
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody>")
    assert as_it_loads(tmp_path / "bad.xml").lost_armatures == {}
