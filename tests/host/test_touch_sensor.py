"""TouchSensor: an arm that presses its pad on the ground."""

import math

import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError, MotorWarning

FILE = TEST_SCENARIOS / "devices.scenario.yaml"


def press(text: str = "{}"):
    return RobotSession(loaded(FILE, "Press", text))


@pytest.fixture(scope="module")
def pressed():
    """The robot whose arm has come down with 2 N m and lies still."""
    with press() as session:
        robot = session.robot("arm")
        for name in ("bumper", "skin", "push", "pull", "force"):
            robot.getDevice(name).enable(8)
        robot.getDevice("motor").setTorque(2)
        robot.step(1600)
        yield robot


def test_a_bumper_is_1_while_something_touches(pressed):
    assert pressed.getDevice("bumper").getValue() == 1
    assert pressed.getDevice("skin").getValue() == 1
    assert pressed.getDevice("bumper").getType() == 0


@pytest.mark.closed_form("TouchSensor")
def test_the_forces_are_those_of_the_weld(pressed):
    # About the hinge: torque and weights hold the ground's force on the pad. What
    # the pad hands on to the arm is that less the pad's own weight.
    sine = (0.2 - 0.03) / 0.5
    cosine = math.sqrt(1 - sine**2)
    force = 2 / (0.5 * cosine) + 9.81 / 2
    # The ground gives way by less than 0.1 mm, the arm is still to 1e-3.
    assert pressed.getDevice("push").getValue() == pytest.approx(
        10 * force * cosine, rel=2e-3
    )
    assert pressed.getDevice("pull").getValue() == 0
    x, y, z = pressed.getDevice("force").getValues()
    # Turned by a quarter about y the device's x is the arm's -z, its z the arm's x.
    assert x == pytest.approx(-force * cosine, rel=2e-3)
    assert (y, z) == (
        pytest.approx(0, abs=1e-3),
        pytest.approx(-force * sine, rel=2e-3),
    )
    assert [pressed.getDevice(n).getType() for n in ("push", "force")] == [1, 2]


def test_the_wrong_getter_says_so(pressed, capsys):
    assert math.isnan(pressed.getDevice("force").getValue())
    assert all(map(math.isnan, pressed.getDevice("push").getValues()))
    error = capsys.readouterr().err
    assert "it is of type force-3d: getValues()" in error
    assert "it is not of type force-3d: getValue()" in error
    assert pressed.getDevice("push").getLookupTable()[3:] == [5000, 50000, 0]


def test_a_bumper_tells_of_a_touch_since_the_last_measurement():
    with press() as session:
        robot = session.robot("arm")
        bumper, motor = robot.getDevice("bumper"), robot.getDevice("motor")
        fast = robot.getDevice("skin")
        bumper.enable(400)
        fast.enable(8)
        assert math.isnan(bumper.getValue())
        motor.setTorque(2)
        robot.step(120)
        assert fast.getValue() == 1
        motor.setPosition(0)
        robot.step(272)
        assert fast.getValue() == 0
        robot.step(8)
        assert bumper.getValue() == 1
        robot.step(400)
        assert bumper.getValue() == 0


def test_a_bumper_that_is_off_watches_no_more():
    with press() as session:
        robot = session.robot("arm")
        robot.getDevice("bumper").enable(8)
        robot.step(8)
        samplers = robot._client.host.stepped.samplers
        assert len(samplers) == 2
        robot.getDevice("bumper").disable()
        robot.step(8)
        assert samplers == []


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("type: bump", "type", "did you mean bumper?"),
        ("frame: arm, type: force", "frame", "body arm hangs on no weld"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(text, place, problem):
    frame = "" if "frame" in text else "frame: pad, "
    text = f"{{devices: {{skin: !TouchSensor {{{frame}{text}}}}}}}"
    with pytest.raises(InputError) as raised:
        press(f"{{model_drivers: {{arm: {text}}}}}")
    assert f"devices.skin.{place}: " in str(raised.value)
    assert problem in str(raised.value)


def test_a_bumper_without_a_shape_feels_nothing_and_is_told():
    text = (
        "{model_drivers: {arm: {devices: {skin: !TouchSensor {frame: arm}}}}}"
    )
    with pytest.warns(MotorWarning, match="arm of a TouchSensor has no coll"):
        session = press(text)
    with session:
        robot = session.robot("arm")
        robot.getDevice("skin").enable(8)
        robot.step(80)
        assert robot.getDevice("skin").getValue() == 0


@pytest.mark.parametrize(
    ("plant", "problem"),
    [
        ("time_step: 0", "cenic gives wrong reaction forces"),
        ("use_sampled_output_ports: false", "sampled output ports"),
    ],
)
def test_a_plant_that_knows_no_forces_is_refused(plant, problem):
    text = (
        f"{{plant_config: {{{plant}}}, simulator_config: {{integration_scheme:"
        " cenic}, model_drivers: {arm: {basic_time_step: 0.008}}}"
    )
    with pytest.raises(InputError, match=problem) as refused:
        press(text)
    assert "Press.model_drivers.arm.devices." in str(refused.value)
