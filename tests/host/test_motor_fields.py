"""A supervisor changes what a motor can do, as in Webots' field editor."""

import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.errors import MotorWarning
from webmotor_drake.robot import RobotSession

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"


@pytest.fixture(params=["torque", "implicit"])
def supervisor(request):
    text = f"{{model_drivers: {{arm: {{drive: {request.param}}}}}}}"
    with RobotSession(loaded(FILE, "World", text)) as session:
        yield session.supervisor("arm")


@pytest.fixture
def motor(supervisor):
    return supervisor.getDevice("hinge motor")


@pytest.fixture
def node(supervisor, motor):
    return supervisor.getFromDevice(motor)


def test_a_lower_max_velocity_bounds_what_is_commanded_next(
    supervisor, motor, node
):
    motor.setPosition(1.9)
    field = node.getField("maxVelocity")
    field.setSFFloat(0.5)
    supervisor.step(8)
    assert (field.getSFFloat(), motor.getMaxVelocity()) == (0.5, 0.5)
    # WbMotor.cpp: the target velocity of before stays.
    assert motor.getVelocity() == 8
    with pytest.warns(MotorWarning, match="exceeds max_velocity 0.5"):
        motor.setVelocity(2)
        supervisor.step(8)
    supervisor.step(320)
    assert motor.joint_velocity == pytest.approx(0.5, abs=1e-3)
    supervisor.simulationReset()
    supervisor.step(8)
    assert field.getSFFloat() == 8
    supervisor.step(8)
    assert motor.getMaxVelocity() == 8


def test_soft_limits_bound_the_targets_that_follow(supervisor, motor, node):
    node.getField("maxPosition").setSFFloat(1.0)
    supervisor.step(8)
    assert motor.getMaxPosition() == 1.0
    with pytest.warns(MotorWarning, match="outside its soft limits; target 1"):
        motor.setPosition(1.8)
        supervisor.step(800)
    position = supervisor.getFromDef("HINGE").getField("jointParameters")
    angle = position.getSFNode().getField("position").getSFFloat()
    assert angle == pytest.approx(1.0, abs=1e-3)
    # A limit beyond the position is the position, as in Webots.
    node.getField("maxPosition").setSFFloat(0.2)
    supervisor.step(8)
    limit = node.getField("maxPosition").getSFFloat()
    assert limit == pytest.approx(angle, abs=1e-6)


def test_a_lower_max_torque_bounds_the_available_torque(
    supervisor, motor, node, capsys
):
    node.getField("maxTorque").setSFFloat(2)
    supervisor.step(8)
    assert motor.getMaxTorque() == 2
    with pytest.warns(MotorWarning, match="exceeds the available 2"):
        motor.setAvailableTorque(5)
        supervisor.step(8)
    motor.enableTorqueFeedback(8)
    motor.setPosition(1.5)
    supervisor.step(400)
    assert abs(motor.getTorqueFeedback()) <= 2 + 1e-9
    node.getField("maxVelocity").setSFFloat(-3)  # as in a file: 3
    supervisor.step(8)
    assert node.getField("maxVelocity").getSFFloat() == 3


def test_more_torque_is_there_where_the_drive_can(capsys):
    for drive, limit in (("torque", 50.0), ("implicit", 10.0)):
        text = f"{{model_drivers: {{arm: {{drive: {drive}}}}}}}"
        with RobotSession(loaded(FILE, "World", text)) as session:
            supervisor = session.supervisor("arm")
            motor = supervisor.getDevice("hinge motor")
            node = supervisor.getFromDevice(motor)
            node.getField("maxTorque").setSFFloat(50)
            supervisor.step(8)
            assert node.getField("maxTorque").getSFFloat() == limit
    assert "it can only sink" in capsys.readouterr().err


def test_a_field_of_view_that_is_set_is_the_cameras():
    eye = "{model_drivers: {arm: {devices: {eye: !Camera {frame: base}}}}}"
    with RobotSession(loaded(FILE, "World", eye)) as session:
        supervisor = session.supervisor("arm")
        camera = supervisor.getDevice("eye")
        field = supervisor.getFromDevice(camera).getField("fieldOfView")
        assert field.getSFFloat() == pytest.approx(0.785398)
        field.setSFFloat(1.2)
        supervisor.step(8)
        assert (field.getSFFloat(), camera.getFov()) == (1.2, 1.2)
        supervisor.simulationReset()
        supervisor.step(8)
        assert camera.getFov() == pytest.approx(0.785398)
