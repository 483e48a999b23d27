"""Robots of others become scenarios: each number with its line, held to MuJoCo."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from drawn import draws
from mechanisms import warnings_of

import webmotor_drake as wm
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.simulation.diagram import assemble

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/><origin xyz="0 0 -0.2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><origin xyz="0 0 -0.2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="a"/>
    <axis xyz="0 0 1"/>
    <limit lower="0.1" upper="0.5" effort="60" velocity="0.3"/>
  </joint>
  <joint name="turn" type="{kind}"><parent link="a"/><child link="b"/>
    <dynamics damping="0.1" friction="0.7"/>
    {limit}
  </joint>
  {more}
</robot>
"""
LIMIT = '<limit lower="-1" upper="2" effort="5" velocity="4"/>'


def imported(
    folder: Path, text: str, name: str = "arm.urdf", **options
) -> tuple[wm.ImportedRobot, wm.WebotsMotorDriver]:
    """Imports a robot; returns what was written, and its driver as it loads."""
    file = folder / name
    file.write_text(text)
    found = wm.import_robot(file, folder / "out", **options)
    (driver,) = wm.load_scenario(found.file).model_drivers.values()
    return found, driver


def urdf(kind="revolute", limit=LIMIT, more="") -> str:
    return URDF.format(kind=kind, limit=limit, more=more)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_a_urdf_gives_its_limits_each_with_its_line(tmp_path):
    found, driver = imported(tmp_path, urdf())
    assert not found.lost
    assert found.name == "Arm"
    assert found.motors == ["lift", "turn"]
    lift, turn = driver.motors.values()
    assert isinstance(lift, wm.LinearMotor)
    assert (lift.max_force, lift.max_velocity) == (60, 0.3)
    assert (turn.max_torque, turn.max_velocity) == (5, 4)
    assert (turn.min_position, turn.max_position) == (-1, 2)
    assert driver.joints["turn"].static_friction == 0.7
    written = found.file.read_text()
    line = line_of(urdf(), 'effort="60"')
    assert f"max_force: 60.0  # arm.urdf:{line}\n" in written


def test_an_imported_robot_runs_within_its_limits_and_comes_back(tmp_path):
    found, _ = imported(tmp_path, urdf())
    results = wm.run(found.file)
    assert abs(results["arm/turn/velocity"]).max() < 4.01
    assert abs(results["arm/turn/position"]).max() > 0.2
    # Soft limits hold the start, between the stops: 0 is not.
    assert results["arm/lift/position"][0] == pytest.approx(0.3)
    for motor in ("lift", "turn"):
        end = results[f"arm/{motor}/position"][-1]
        start = results[f"arm/{motor}/position"][0]
        assert end == pytest.approx(start, abs=1e-3)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (
            "",
            "joint turn has no limit, or one of 0; Webots' defaults act: max_torque",
        ),
        (
            '<limit effort="0" velocity="0" lower="-1" upper="1"/>',
            "or one of 0; Webots' defaults act: max_torque 10, max_velocity 10",
        ),
        (
            '<limit effort="3" lower="-1" upper="1"/>',
            "or one of 0; Webots' defaults act: max_velocity 10",
        ),
    ],
)
def test_limits_that_are_missing_or_0_are_told(tmp_path, limit, words):
    found, driver = imported(tmp_path, urdf("continuous", limit))
    (lost,) = found.lost
    assert words in lost
    assert driver.motors["turn"].max_velocity == 10


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (
            '<limit effort="-3"/>',
            "effort -3 is not allowed; must be at least 0",
        ),
        ('<limit effort="nan"/>', "effort 'nan'; a number is needed"),
        ('<limit effort="5 N"/>', "effort '5 N'; a number is needed"),
        ('<limit effort="5" velocity="-1"/>', "velocity -1 is not allowed"),
        ('<limit effort="${e}"/>', "`xacro FILE > robot.urdf` makes a URDF"),
    ],
)
def test_limits_that_cannot_be_are_refused_with_their_place(
    tmp_path, limit, words
):
    text = urdf("continuous", limit)
    with pytest.raises(InputError, match=words) as caught:
        imported(tmp_path, text)
    assert f"arm.urdf:{line_of(text, limit)}" in str(caught.value)


def test_stops_that_are_swapped_are_refused_with_their_place(tmp_path):
    limit = '<limit effort="5" velocity="1" lower="1" upper="-1"/>'
    text = urdf(limit=limit)
    with pytest.raises(InputError, match="lower limit 1 is above") as caught:
        imported(tmp_path, text)
    assert f"arm.urdf:{line_of(text, limit)}" in str(caught.value)


def test_an_inertia_that_no_body_has_is_told(tmp_path, caplog):
    imported(tmp_path, urdf().replace('ixx="0.1"', 'ixx="9"', 1))
    (told,) = [r.getMessage() for r in caplog.records]
    assert "arm.urdf:3: " in told and "triangle inequality" in told


def test_a_gear_of_a_transmission_is_listed_and_drakes_rotor_stays(tmp_path):
    more = """<transmission name="t"><type>SimpleTransmission</type>
      <joint name="turn"/><actuator name="m">
      <mechanicalReduction>50</mechanicalReduction><drake:rotor_inertia value="2e-5"/>
      <drake:gear_ratio value="50"/></actuator></transmission>"""
    text = urdf(more=more).replace("<robot", "<robot xmlns:drake='d'")
    found, driver = imported(tmp_path, text)
    assert [*driver.motors] == ["turn"]
    assert any("mechanicalReduction 50" in lost for lost in found.lost)
    plant = assemble(wm.load_scenario(found.file)).plant
    actuator = plant.GetJointActuatorByName("m")
    reflected = actuator.default_reflected_inertia()
    assert reflected == pytest.approx(2e-5 * 50**2)


def test_ros2_control_says_which_joints_have_motors_and_their_limits(tmp_path):
    more = """<ros2_control name="hw" type="system"><joint name="turn">
      <command_interface name="position"><param name="min">-0.5</param>
      <param name="max">0.5</param></command_interface>
      <command_interface name="velocity"><param name="max">1.5</param>
      </command_interface><command_interface name="current"/>
    </joint></ros2_control>
    <gazebo><plugin><parameters>gains.yaml</parameters></plugin></gazebo>"""
    (tmp_path / "gains.yaml").write_text(
        "arm:\n  ros__parameters:\n    gains:\n      turn: {p: 30, i: 2, d: 3}\n"
    )
    found, driver = imported(tmp_path, urdf(more=more))
    (motor,) = driver.motors.values()
    assert (motor.min_position, motor.max_position) == (-0.5, 0.5)
    assert (motor.max_velocity, motor.max_torque) == (1.5, 5)
    assert (motor.motor_model, motor.pd.kp, motor.pd.kd) == ("pd", 30, 3)
    assert "kp: 30.0  # gains.yaml:4" in found.file.read_text()
    assert [lost.partition(": ")[2] for lost in found.lost] == [
        "command interface current",
        "the integral gain 2 of turn",
    ]


def test_numbers_that_are_only_listed_need_not_be_any(tmp_path):
    more = """<ros2_control name="hw" type="system"><joint name="turn">
      <command_interface name="current"><param name="max">${most}</param>
      </command_interface>
      <command_interface name="velocity"><param name="min">low</param>
      <param name="max">1.5</param></command_interface>
    </joint></ros2_control>
    <transmission name="t"><type>SimpleTransmission</type>
      <joint name="turn"/><actuator name="m"><mechanicalReduction>${ratio}
      </mechanicalReduction></actuator></transmission>"""
    found, driver = imported(tmp_path, urdf(more=more))
    (motor,) = driver.motors.values()
    assert motor.max_velocity == 1.5
    lost = [lost.partition(": ")[2] for lost in found.lost]
    assert lost[0] == "command interface current"
    assert lost[1].startswith("mechanicalReduction ${ratio}: ")
    with pytest.raises(InputError, match="max 'much'; a number is needed"):
        imported(tmp_path, urdf(more=more.replace("1.5", "much")))


@pytest.mark.parametrize(("edge", "collides"), [(0.6, False), (0.1, None)])
def test_a_robot_whose_shapes_overlap_does_not_collide_with_itself(
    tmp_path, edge, collides
):
    box = '<collision><geometry><box size="0.1 0.1 {}"/></geometry></collision>'
    text = urdf()  # "lift" starts at 0.3, the middle of its stops
    text = text.replace('"base"/>', f'"base">{box.format(0.1)}</link>', 1)
    text = text.replace('"b">', f'"b">{box.format(edge)}', 1)
    found, driver = imported(tmp_path, text)
    assert driver.self_collision is collides
    told = "do not collide: some overlap at the start: base and b by "
    assert any(told in lost for lost in found.lost) == (collides is False)


def test_what_mimics_another_joint_has_no_motor(tmp_path):
    more = """<transmission name="t"><type>SimpleTransmission</type>
      <joint name="lift"/><actuator name="m"/></transmission>"""
    limit = LIMIT + '<mimic joint="lift" multiplier="2"/>'
    found, driver = imported(tmp_path, urdf(limit=limit, more=more))
    assert [motor.joint for motor in driver.motors.values()] == ["lift"]
    assert "joint turn follows lift (mimic)" in found.lost[0]


def test_names_of_strangers_write_nothing_elsewhere(tmp_path):
    text = urdf(limit="").replace('"arm"', '"../../up"')
    text = text.replace('name="turn"', 'name="t&#10;X: {y: 1}"')
    text = text.replace('name="lift"', 'name="lift/off"')
    found, _ = imported(tmp_path, text)
    assert found.file == tmp_path / "out" / "up.scenario.yaml"
    assert "\nX: " not in found.file.read_text()
    assert "joint t X: {y: 1} has no limit" in found.file.read_text()
    ((name, driver),) = wm.load_scenario(found.file).model_drivers.items()
    assert (name, [*driver.motors]) == ("up", ["lift_off", "t_X: {y: 1}"])
    assert driver.motors["lift_off"].joint == "lift/off"


def test_a_robot_in_a_package_is_named_by_it(tmp_path):
    package = tmp_path / "my_robot"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>mine</name></package>")
    (package / "urdf" / "arm.urdf").write_text(urdf())
    found = wm.import_robot(package / "urdf" / "arm.urdf", tmp_path / "out")
    text = found.file.read_text()
    assert "package://mine/urdf/arm.urdf" in text
    assert assemble(wm.load_scenario(found.file)).motors


LINK = '<inertial pos="0 0 -0.2" mass="1" diaginertia="0.03 0.03 0.03"/>'
LEGS = f"""<mujoco model="two legs">
  <compiler angle="degree"/>
  <default><joint damping="0.2"/><position kp="10"/>
    <default class="strong"><joint armature="0.05"/><position kp="80" kv="4"/></default>
  </default>
  <worldbody><body name="trunk" pos="0 0 1"><freejoint/>
    <inertial pos="0 0 0" mass="3" diaginertia="0.1 0.1 0.1"/>
    <geom type="box" size="0.1 0.1 0.05"/>
    <body childclass="strong"><joint name="left" axis="0 1 0" range="-90 90"/>{LINK}
      <geom type="sphere" size="0.03" pos="0 0 -0.4"/></body>
    <body><joint name="right" axis="0 1 0" range="-90 90" frictionloss="0.3"/>{LINK}
      <geom type="sphere" size="0.03" pos="0 0 -0.4"/></body>
  </body></worldbody>
  <include file="acts.xml"/>
  <keyframe><key qpos="0 0 1 1 0 0 0 0.2 -0.1"/></keyframe>
</mujoco>"""
ACTS = """<mujocoinclude><actuator>
  <position name="L" joint="left" class="strong" gear="2" forcerange="-9 9"
    ctrlrange="-1 1"/>
  <position name="R" joint="right" inheritrange="1"/>
  <damper name="D" joint="right" kv="3" ctrlrange="0 1"/>
</actuator></mujocoinclude>"""


def test_an_mjcf_has_classes_includes_keyframes_and_degrees(tmp_path):
    (tmp_path / "acts.xml").write_text(ACTS)
    found, driver = imported(tmp_path, LEGS, "legs.xml")
    assert found.base_is_free
    left, right = driver.motors["L"], driver.motors["R"]
    assert (left.motor_model, left.pd.kp, left.pd.kd) == ("pd", 320, 16)
    assert left.max_torque == 18  # 9 N m with a gear of 2
    assert (left.min_position, left.max_position) == (-0.5, 0.5)
    assert (right.pd.kp, right.pd.kd) == (10, 0)
    assert right.max_position == pytest.approx(math.pi / 2)
    assert right.friction.coulomb == 0.3
    assert driver.joints["left"].reflected_inertia == 0.05
    assert driver.brakes["D"].joint == "right"
    scenario = wm.load_scenario(found.file)
    start = scenario.initial_position["two_legs"]
    assert (start["left"], start["right"]) == ([0.2], [-0.1])
    # It stands on the ground, with 1 mm below the box around the lower foot.
    assembly, said = warnings_of(assemble, scenario)
    assert not said
    context = assembly.plant.CreateDefaultContext()
    body = assembly.plant.GetBodyByName("trunk")
    height = assembly.plant.GetFreeBodyPose(context, body).translation()[2]
    assert 0 <= height - (0.4 * math.cos(0.1) + 0.031) < 8e-3


def test_actuators_of_a_class_share_attributes_whatever_their_kind(tmp_path):
    """MuJoCo keeps one general actuator per class, whichever element names it."""
    shared = '<motor gear="3" forcerange="-2 2"/>'
    text = LEGS.replace("<default><joint", f"<default>{shared}<joint", 1)
    (tmp_path / "acts.xml").write_text(ACTS)
    _, driver = imported(tmp_path, text, "legs.xml")
    assert driver.motors["R"].max_torque == 6


def test_a_free_robot_is_turned_as_its_keyframe_has_it(tmp_path):
    (tmp_path / "acts.xml").write_text(ACTS)
    text = LEGS.replace("0 0 1 1 0 0 0", "0 0 1 0.6 0 0 0.8")
    found, _ = imported(tmp_path, text, "legs.xml")
    plant = assemble(wm.load_scenario(found.file)).plant
    X_WB = plant.GetFreeBodyPose(
        plant.CreateDefaultContext(), plant.GetBodyByName("trunk")
    )
    turned = X_WB.rotation().ToQuaternion().wxyz()
    assert turned == pytest.approx([0.6, 0, 0, 0.8])


def test_an_mjcf_with_a_floor_of_its_own_gets_no_other(tmp_path):
    (tmp_path / "acts.xml").write_text(ACTS)
    floor = '<worldbody><geom type="plane" size="9 9 0.1" pos="0 0 0"/>'
    found, _ = imported(
        tmp_path, LEGS.replace("<worldbody>", floor), "legs.xml"
    )
    assert found.base_is_free
    (directive,) = wm.load_scenario(found.file).directives
    assert directive.add_model.name == "two_legs"


BALLS = f"""<mujoco><option gravity="0 0 -1.6" density="5"><flag contact="disable"/>
  </option><default><geom conaffinity="0"/></default><worldbody><body>
  <joint name="j" axis="0 1 0" range="-90 0"/>{LINK}<geom size="0.1"/>
  <body><joint name="k" axis="0 1 0"/>{LINK}<geom size="0.1"/></body></body>
  </worldbody><actuator><motor joint="j"/><intvelocity joint="k" kp="7" kv="2"/>
  </actuator></mujoco>"""


def test_gravity_and_whether_a_robot_meets_itself_are_those_of_the_mjcf(
    tmp_path,
):
    found, driver = imported(tmp_path, BALLS, "m.xml")
    assert driver.self_collision is False
    assert (driver.motors["k"].pd.kp, driver.motors["k"].pd.kd) == (7, 2)
    scenario = wm.load_scenario(found.file)
    assert scenario.gravity == [0, 0, -1.6]
    # What it shows stays within the stops.
    assert {c.set_position for c in driver.commands if c.motor == "j"} == {
        -0.3,
        0,
    }
    listed = " | ".join(found.lost)
    assert "the density of what is around it" in listed
    assert "no contact: here shapes touch" in listed
    assert "its ctrl is the speed of its target" in listed
    text = BALLS.replace('conaffinity="0"', 'conaffinity="2" contype="2"')
    _, driver = imported(tmp_path, text, "m.xml")
    assert driver.self_collision is None
    floor = '<worldbody><geom type="plane" size="9 9 1" contype="0"/>'
    text = BALLS.replace("<worldbody>", floor)
    found, _ = imported(tmp_path, text, "m.xml")
    assert "no shape meets those of the world" in " | ".join(found.lost)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name="j"', 'name="j" class="bal"', "unknown class 'bal'"),
        ('range="-90 0"', 'range="-90"', "range '-90'; 2 numbers are needed"),
        (
            '<motor joint="j"/>',
            '<motor joint="j" gear=""/>',
            "gear ''; a number",
        ),
    ],
)
def test_what_an_mjcf_cannot_mean_is_refused_with_its_place(
    tmp_path, old, new, words
):
    text = BALLS.replace(old, new)
    with pytest.raises(InputError, match=words) as caught:
        imported(tmp_path, text, "m.xml")
    assert str(caught.value).startswith(f"m.xml:{line_of(text, new)}: ")


def test_a_motor_of_a_tenth_with_a_gear_of_50_has_5_newton_metres(tmp_path):
    text = f"""<mujoco model="m"><worldbody><body><joint name="j" axis="0 1 0"
      actuatorfrcrange="-20 20"/>{LINK}</body></worldbody><actuator>
      <motor name="a" joint="j" gear="50" ctrlrange="-0.1 0.1"/></actuator></mujoco>"""
    _, driver = imported(tmp_path, text, "m.xml")
    assert driver.motors["a"].max_torque == 5
    _, driver = imported(tmp_path, text.replace("-0.1 0.1", "-2 2"), "m.xml")
    assert driver.motors["a"].max_torque == 20


@pytest.mark.parametrize(
    ("actuator", "ends"),
    [
        # Of the joint: what is commanded, over the gear.
        ('<position kp="50" kv="4" gear="2" ctrlrange="-0.5 2"', (-0.25, 1.0)),
        # The target is (60 ctrl + 5) / 50 there.
        (
            '<general gainprm="60" biastype="affine" biasprm="5 -50 -4" gear="2"'
            ' ctrlrange="-1.2 0.8"',
            (-0.67, 0.53),
        ),
        (
            '<general gainprm="60" biastype="affine" biasprm="5 -50 -4" gear="-2"'
            ' ctrlrange="-1.2 0.8"',
            (-0.53, 0.67),
        ),
    ],
)
def test_soft_limits_are_where_the_ends_of_a_control_lead(
    actuator, ends, tmp_path
):
    text = f"""<mujoco model="m"><worldbody><body><joint name="j" axis="0 1 0"/>
      {LINK}</body></worldbody><actuator>{actuator} name="a" joint="j"/></actuator>
      </mujoco>"""
    found, driver = imported(tmp_path, text, "m.xml")
    motor = driver.motors["a"]
    assert (motor.min_position, motor.max_position) == pytest.approx(ends)
    said = "its target is (60 ctrl + 5) / 50" in " | ".join(found.lost)
    assert said is ("general" in actuator)


def test_a_motor_that_seeks_no_position_is_told_none(tmp_path):
    text = f"""<mujoco model="m"><worldbody><body><joint name="j"/>{LINK}</body>
      </worldbody><actuator><velocity name="a" joint="j" kv="3"/></actuator>
      </mujoco>"""
    _, driver = imported(tmp_path, text, "m.xml")
    assert driver.motors["a"].pd.kp == 0
    assert not driver.commands


def test_a_joint_that_follows_another_is_coupled_with_its_motor(tmp_path):
    text = f"""<mujoco model="m"><worldbody>
      <body><joint name="one" type="slide" axis="1 0 0"/>{LINK}</body>
      <body><joint name="two" type="slide" axis="1 0 0"/>{LINK}</body></worldbody>
      <actuator><position name="grip" joint="one" kp="90" kv="20"/></actuator>
      <equality><joint joint1="two" joint2="one" polycoef="0 -1 0 0 0"/></equality>
      </mujoco>"""
    found, driver = imported(tmp_path, text, "m.xml")
    assert found.motors == ["grip::one", "grip::two"]
    assert {command.motor for command in driver.commands} == {"grip::one"}
    results = wm.run(found.file)
    one, two = (results[f"m/grip::{n}/position"] for n in ("one", "two"))
    assert one.max() > 0.04
    np.testing.assert_allclose(two, -one, atol=1e-9)


def test_what_cannot_be_carried_over_is_listed(tmp_path):
    text = f"""<mujoco model="m"><worldbody><body>
      <joint name="j" axis="0 1 0" stiffness="2" springref="0.5"/>{LINK}</body>
      </worldbody><tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
      <actuator><position name="p" joint="j" kp="5" timeconst="0.1"/>
      <motor name="again" joint="j"/><motor name="pull" tendon="t"/>
      <intvelocity name="i" joint="j"/></actuator></mujoco>"""
    found, _ = imported(tmp_path, text, "m.xml")
    said = " | ".join(found.lost)
    for words in (
        "the spring of joint j rests at springref 0.5",
        "actuator p: its timeconst 0.1",
        "actuator again: joint j has a motor already",
        "actuator pull: it acts on no hinge or slide",
        "actuator i: joint j has a motor already",
        "the tendon t",
    ):
        assert words in said
    assert f"# Not carried over: {found.lost[0]}" in found.file.read_text()


def test_integrals_uneven_ranges_and_what_makes_others_are_listed(tmp_path):
    text = f"""<mujoco model="m"><worldbody>
      <body name="a"><joint name="j" axis="0 1 0" springdamper="1 1"/>{LINK}</body>
      <body name="b"><joint name="k" axis="0 1 0"/>{LINK}</body>
      <replicate count="3"><body><joint name="r"/>{LINK}</body></replicate>
      </worldbody><actuator>
      <pid name="p" joint="j" kp="5" kv="1" ki="2" forcerange="-3 4"/>
      <general name="again" joint="r"/></actuator><equality>
      <joint joint1="k" joint2="j" polycoef="0.1 2 0 0 0"/></equality></mujoco>"""
    found, driver = imported(tmp_path, text, "m.xml")
    assert driver.motors["p"].max_torque == 4
    said = " | ".join(found.lost)
    for words in (
        "springdamper of joint j",
        "actuator p: its integral gain 2",
        "actuator p: its forcerange is not symmetric; the larger side bounds both",
        "what <replicate> makes is not looked into",
        "again: Drake has no joint r that moves",
        "the equality of joint k is not a factor",
    ):
        assert words in said


def test_a_file_that_is_no_robot_is_refused(tmp_path):
    for text, words in (
        ("<html></html>", "<html> is no robot"),
        ("<robot", "it is not XML to its end"),
    ):
        with pytest.raises(InputError, match=words):
            imported(tmp_path, text)
    loop = '<mujoco><include file="loop.xml"/></mujoco>'
    with pytest.raises(InputError, match="includes itself"):
        imported(tmp_path, loop, "loop.xml")
    homeless = urdf().replace('child link="b"', 'child link="ghost"')
    with pytest.raises(InputError, match="Drake refuses it: .* named 'ghost'"):
        imported(tmp_path, homeless)


def test_an_sdf_gives_its_limits(tmp_path):
    text = """<sdf version="1.9"><model name="m">
      <link name="base"/><link name="a"><inertial><mass>1</mass></inertial></link>
      <joint name="w" type="fixed"><parent>world</parent><child>base</child></joint>
      <joint name="j" type="revolute"><parent>base</parent><child>a</child>
      <axis><xyz>0 1 0</xyz><limit><effort>7</effort><velocity>3</velocity>
      <lower>-1</lower><upper>1</upper></limit>
      <dynamics><friction>0.2</friction></dynamics></axis></joint></model></sdf>"""
    found, driver = imported(tmp_path, text, "m.sdf")
    motor = driver.motors["j"]
    assert (motor.max_torque, motor.max_velocity) == (7, 3)
    assert (motor.min_position, motor.max_position) == (-1, 1)
    assert driver.joints["j"].static_friction == 0.2
    assert not found.base_is_free


SCENARIO = """Arm:
  simulation_duration: 0.4
  plant_config: {time_step: 0.004}
  directives:
  - add_model: {name: arm, file: arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  initial_position: {arm: {lift: [0.3]}}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {m: !RotationalMotor {joint: turn}}
      commands: [{time: 0, motor: m, set_position: 2.5}]
"""


def test_limits_that_a_driver_leaves_out_are_told_with_what_to_write(tmp_path):
    # Without a transmission Drake has no actuator, and no effort limit.
    (tmp_path / "arm.urdf").write_text(urdf())
    (tmp_path / "s.yaml").write_text(SCENARIO)
    scenario = wm.load_scenario(tmp_path / "s.yaml")
    _, said = warnings_of(assemble, scenario)
    assert said == [
        "m: Webots' defaults act, above the model's limits: max_torque 10 N·m,"
        " max_velocity 10 rad/s; to keep the model's, give the motor max_torque: 5,"
        " max_velocity: 4"
    ]
    text = "{model_drivers: {arm: {motors: {m: {max_torque: 5, max_velocity: 4}}}}}"
    scenario = wm.load_scenario(tmp_path / "s.yaml", text=text)
    assert warnings_of(assemble, scenario)[1] == []
    comparison = wm.compare(scenario, models=["webots", "drake_pd"])
    for model in ("webots", "drake_pd"):
        effort = comparison[model]["arm/m/effort"]
        assert abs(effort).max() == pytest.approx(5)


def test_a_velocity_of_0_limits_nothing(tmp_path):
    limit = LIMIT.replace('velocity="4"', 'velocity="0"')
    (tmp_path / "arm.urdf").write_text(urdf(limit=limit))
    (tmp_path / "s.yaml").write_text(SCENARIO)
    (said,) = warnings_of(assemble, wm.load_scenario(tmp_path / "s.yaml"))[1]
    assert said.endswith("to keep the model's, give the motor max_torque: 5")


# --- against MuJoCo ---

KINDS = (
    *("position", "velocity", "motor", "pid", "dcmotor", "dampratio", "damper"),
    *("general position", "general velocity", "general motor"),
)


# Where a joint starts that does not start at 0; in MuJoCo's numbers and in Drake's.
STARTS = ' ref="0.1"'


class Drawn:
    """A random MJCF: a chain of hinges and slides, an actuator of any kind on each.

    Attributes:
        text: with a gap for the time step.
        ctrl: what each actuator is told.
        names: whose position it is in ours, a motor's or a joint's.
        commands: the same for our motors.
    """

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        self.ctrl: list[float] = []
        self.names: list[str] = []
        self.commands: list[wm.TimedCommand] = []
        bodies, actuators, n = "", "", rng.integers(1, 4)
        for i in range(n):
            slides = rng.random() < 0.3
            bodies += self._body(rng, i, slides=slides)
            actuators += self._actuator(rng, i, slides=slides)
        angle = rng.choice(["degree", "radian"])
        self.text = (
            f'<mujoco model="m"><compiler angle="{angle}"/>'
            '<option integrator="implicitfast" timestep="{h}"/>'
            f"<worldbody>{bodies}{'</body>' * n}</worldbody>"
            f"<actuator>{actuators}</actuator></mujoco>"
        )

    def _body(self, rng, i: int, *, slides: bool) -> str:
        kind = "slide" if slides else "hinge"
        axis = " ".join(map(repr, rng.normal(size=3).tolist()))
        at = " ".join(map(repr, rng.uniform(-0.3, 0.1, 3).tolist()))
        limit = float(rng.uniform(3, 30))
        bound = f' actuatorfrcrange="{-limit} {limit}"' if i % 2 else ""
        return (
            f'<body pos="{at}"><joint name="j{i}" type="{kind}" axis="{axis}"'
            f' damping="{rng.choice([0, 0.3])}" armature="{rng.choice([0, 0.05])}"'
            f' stiffness="{rng.choice([0, 0, 9])}"{rng.choice(["", STARTS])}'
            f' frictionloss="{rng.choice([0, 0, 0.4])}"'
            f'{bound}/><inertial mass="{rng.uniform(0.5, 2)}"'
            f' pos="0 0 {rng.uniform(-0.3, -0.1)}" diaginertia="0.03 0.032 0.025"/>'
        )

    def _actuator(self, rng, i: int, *, slides: bool) -> str:
        kind = KINDS[rng.integers(len(KINDS))]
        g = float(rng.choice([1.0, rng.uniform(0.3, 4)]))
        kp, kv = rng.uniform(10, 200) / g**2, rng.uniform(1, 10) / g**2
        force = rng.uniform(5, 40) / g
        bound = f' forcerange="{-force} {force}"' if rng.random() < 0.5 else ""
        base = f'name="a{i}" joint="j{i}" gear="{g}"'
        q = float(rng.uniform(-0.6, 0.6)) * (
            0.3 if slides else 1
        )  # or velocity
        effort, factor = float(rng.uniform(-5, 5)), 2.5
        told = {"motor": effort / g, "general motor": effort / g / factor}
        told["damper"] = abs(q)
        self.ctrl.append(told.get(kind, q * g))
        if kind == "damper":
            damping = abs(q) * kv * g**2
            self.commands.append(
                wm.TimedCommand(brake=f"a{i}", set_damping_constant=damping)
            )
        else:
            self._command(f"a{i}", kind, q, effort, slides=slides)
        self.names.append(f"j{i}" if kind == "damper" else f"a{i}")
        affine = f'biastype="affine" gainprm="{kp}" biasprm="0 {-kp} {-kv}"'
        turning = f'biastype="affine" gainprm="{kv}" biasprm="0 0 {-kv}"'
        supply = f'nominal="24 {20 / g} {rng.uniform(5, 20) * g}"'
        return {
            "position": f'<position {base}{bound} kp="{kp}" kv="{kv}"/>',
            "dampratio": f'<position {base}{bound} kp="{kp}" dampratio="0.8"/>',
            "damper": f'<damper {base} kv="{kv}" ctrlrange="0 9"/>',
            "velocity": f'<velocity {base}{bound} kv="{kv}"/>',
            "motor": f'<motor {base}{bound} ctrlrange="{-10 / g} {10 / g}"/>',
            "pid": f'<pid {base}{bound} kp="{kp}" kv="{kv}" input="pos"/>',
            "dcmotor": f'<dcmotor {base} {supply} controller="{kp} 0 {kv} 0 0 24"'
            ' input="pos"/>',
            "general position": f"<general {base}{bound} {affine}/>",
            "general velocity": f"<general {base}{bound} {turning}/>",
            "general motor": f'<general {base}{bound} gainprm="{factor}"/>',
        }[kind]

    def _command(self, motor, kind, q, effort, *, slides) -> None:
        if kind.endswith("motor") and kind != "dcmotor":
            verb = "set_force" if slides else "set_torque"
            given = [{verb: effort}]
        elif kind.endswith("velocity"):
            given = [{"set_position": math.inf}, {"set_velocity": q}]
        else:
            given = [{"set_position": q}]
        self.commands += [wm.TimedCommand(motor=motor, **one) for one in given]

    def theirs(self, h: float, steps: int) -> np.ndarray:
        mujoco = pytest.importorskip("mujoco", minversion="3.12")
        text = self.text.replace("{h}", repr(h))
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        for i, value in enumerate(self.ctrl):
            data.actuator(f"a{i}").ctrl[:] = value
        rows = []
        for _ in range(steps):
            mujoco.mj_step(model, data)
            rows.append(data.qpos.copy())
        return np.array(rows)

    def ours(
        self, h: float, steps: int, folder: Path, drive: str
    ) -> np.ndarray:
        file = folder / f"m{drive}{h}.xml"
        file.write_text(self.text.replace("{h}", repr(h)))
        found = wm.import_robot(file, folder)
        assert not found.lost
        changes = f"{{plant_config: {{time_step: {h}}}}}"
        scenario = wm.load_scenario(found.file, text=changes)
        scenario.simulation_duration = h * steps
        scenario.model_drivers["m"].commands = self.commands
        scenario.model_drivers["m"].drive = drive
        with warnings.catch_warnings():
            warnings.simplefilter("error", MotorWarning)
            results = wm.run(scenario)
        return np.transpose(
            [results[f"m/{name}/position"][1:] for name in self.names]
        )


@pytest.mark.parametrize("seed", range(draws(6, 40)))
def test_random_robots_move_as_mujocos_do(seed, tmp_path):
    # Both take a step's forces where it begins, MuJoCo kp as well, which we take at its
    # end: what is left is of first order in the step.
    drawn, errors = Drawn(seed), []
    drive = ("torque", "implicit")[seed % 2]
    for h in (1e-3, 5e-4):
        steps = round(0.2 / h)
        found = drawn.ours(h, steps, tmp_path, drive)
        errors.append(abs(found - drawn.theirs(h, steps)).max())
    assert errors[0] < 0.05
    if 'frictionloss="0.4"' in drawn.text:
        return  # MuJoCo's dry friction is soft in time, whatever the step
    # Below that, cfm and rounding are what is left.
    assert errors[1] < max(0.6 * errors[0], 5e-6)
