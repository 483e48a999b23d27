"""`webmotor check` says what would run, and where each limit comes from."""

import pytest
from folders import TEST_SCENARIOS

from webmotor_drake.cli.check_command import describe
from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.runner import ready

ARM = SCENARIOS / "two_link_arm.scenario.yaml"
EVERY_FIELD = TEST_SCENARIOS / "every_field.scenario.yaml"


def lines(file, name=None, text="{}"):
    """Returns the lines of a scenario's description."""
    scenario = load_scenario(file, name=name, text=text)
    return describe(ready(scenario)).splitlines()


@pytest.fixture(scope="module")
def every_field():
    # Its camera publishes on a bus that leads nowhere, which is warned of.
    with pytest.warns(MotorWarning, match="camera side"):
        return lines(EVERY_FIELD, "EveryField")


def test_the_first_line_tells_of_time_and_plant():
    first = lines(ARM)[0]
    assert first.startswith("4 s; plant: time step 0.008 s, contact lagged")
    assert first.endswith(" 2 positions, 2 velocities, 2 actuators")
    text = "{plant_config: {time_step: 0}, model_drivers: {arm:"
    text += " {basic_time_step: 0.01}}}"
    assert "plant: continuous (time_step 0), " in lines(ARM, text=text)[0]


def test_a_motor_has_its_joint_law_limits_and_their_sources(every_field):
    start = every_field.index(
        "  shoulder motor: RotationalMotor on joint shoulder"
    )
    assert every_field[start + 1 : start + 6] == [
        "    PID 8 0.1 0.01; velocity up to 3 rad/s; acceleration up to 20"
        " rad/s²",
        "    effort up to 25 N·m (max_torque; the model has 50 N·m)",
        "    targets -1.5 to 1.5 rad (min_position, max_position); stops -2 to"
        " 2 rad (min_stop, max_stop)",
        "    multiplier 1.5",
        "    spring 0.5 N·m/rad, damper 0.1 N·m·s/rad, static friction 0.2 N·m,"
        " reflected inertia 0.01 kg·m²",
    ]


def test_a_linear_motor_has_units_of_its_own(every_field):
    start = every_field.index("  left motor: LinearMotor on joint left")
    assert every_field[start + 2].startswith(
        "    effort up to 15 N (max_force;"
    )
    assert every_field[start + 3].endswith(
        " m (min_position, max_position); stops -0.005 to 0.06 m (the model)"
    )
    assert every_field[start + 5] == "    kinematic"


def test_what_else_the_model_has_is_listed(every_field):
    assert "  elbow sensor: PositionSensor on joint elbow" in every_field
    assert "  shoulder brake: Brake on joint shoulder" in every_field
    assert (
        "  battery: 600 J of 36000 J, recharged with up to 5 W; the computer"
        " draws 20 W"
    ) in every_field


def test_the_drive_is_named_with_its_reason(every_field):
    drives = [line for line in every_field if "motor period" in line]
    assert drives[0] == (
        "arm: motor period 0.008 s, cfm 2e-05, commands 0.004 s late,"
        " drive torque (chosen)"
    )
    assert drives[1].startswith(
        "gripper: motor period 0.008 s, cfm 1e-05, drive implicit (the plant has"
        " constraints"
    )


def test_commands_are_counted():
    def commands(text):
        text = f"{{model_drivers: {{arm: {{commands: [{text}]}}}}}}"
        return lines(ARM, text=text)[-1].strip()

    one = "{motor: elbow motor, set_position: 1, time: %g}"
    assert commands("") == "no commands: each motor holds its position"
    assert commands(one % 1) == "1 command, at 1 s"
    controlled = lines(ARM.with_name("controller_pid.scenario.yaml"))
    assert controlled[-1].strip() == "no commands but the controller's"
    assert commands(f"{one % 2}, {one % 1}") == "2 commands, from 1 s to 2 s"


@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
@pytest.mark.parametrize(
    ("shoulder", "elbow", "coupled"),
    [
        ("grip::a", "grip::b", True),
        ("grip", "grip::b", False),
        ("grip::a::b", "grip::b", False),
    ],
)
def test_coupled_motors_name_each_other(tmp_path, shoulder, elbow, coupled):
    # A name couples if :: parts it in two, as in Webots.
    text = ARM.read_text().replace("shoulder motor", shoulder)
    file = tmp_path / "s.yaml"
    file.write_text(text.replace("elbow motor", elbow))
    told = [line for line in lines(file) if "coupled" in line]
    assert told == coupled * [
        f"    multiplier 1, coupled with {elbow}",
        f"    multiplier 1, coupled with {shoulder}",
    ]


POSITION_ACTUATED = """
<mujoco model="arm">
  <worldbody>
    <body name="upper">
      <inertial pos="0 0 -0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <body name="lower" pos="0 0 -0.5">
        <inertial pos="0 0 -0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
        <joint name="elbow" type="hinge" axis="0 1 0"/>
        <body name="hand" pos="0 0 -0.5">
          <inertial pos="0 0 -0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
          <joint name="wrist" type="hinge" axis="0 1 0" damping="1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="s" joint="shoulder" kp="100"/>
    <position name="e" joint="elbow" kp="50"/>
  </actuator>
</mujoco>
"""
SCENARIO = """
Arms:
  simulation_duration: 0.1
  plant_config: {time_step: 0.004}
  directives:
  - add_model: {name: arm, file: arm.xml}
  - add_model: {name: spare, file: arm.xml}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        m: !RotationalMotor {joint: shoulder}
"""


def test_joints_that_nothing_holds_and_pd_controllers_are_listed(tmp_path):
    (tmp_path / "arm.xml").write_text(POSITION_ACTUATED)
    file = tmp_path / "arms.scenario.yaml"
    file.write_text(SCENARIO)
    with pytest.warns(MotorWarning, match="are off: e; nothing holds"):
        told = lines(file)
    start = told.index("  m: RotationalMotor on joint shoulder")
    assert told[start + 4 :] == [
        "  actuator s: PD controller of the model (p 100, d 0), a motor takes its"
        " place",
        "  actuator e: PD controller of the model (p 50, d 0), off: no motor",
        "  nothing holds joint elbow",
        "  no commands: each motor holds its position",
        "",
        "spare: no driver",
        "  nothing holds joints shoulder, elbow",
    ]


@pytest.mark.parametrize(
    ("scenario", "model", "motor", "units"),
    [
        ("vertical_lift", "lift", "mast motor: !LinearMotor", ("N/m", "N·s/m")),
        ("two_link_arm", "arm", "elbow motor:", ("N·m/rad", "N·m·s/rad")),
    ],
)
def test_a_model_of_a_motor_has_the_units_of_its_joint(
    scenario, model, motor, units
):
    loop = "{motor_model: pd, pd: {kp: 300, kd: 20}}"
    text = f"{{model_drivers: {{{model}: {{motors: {{{motor} {loop}}}}}}}}}"
    told = lines(SCENARIOS / f"{scenario}.scenario.yaml", text=text)
    assert f"    pd: kp 300 {units[0]}, kd 20 {units[1]}" in told
