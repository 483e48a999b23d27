"""Robot: stepping, devices, and what Webots' Robot has besides."""

import math
import threading

import pytest
from robots import FILE, scenario

from webmotor_drake.errors import InputError
from webmotor_drake.robot import (
    Device,
    Motor,
    Node,
    PositionSensor,
    Robot,
    RobotSession,
)


def test_time_is_that_of_the_last_answer(robot):
    assert robot.getTime() == robot.time == 0
    robot.step(8)
    assert robot.getTime() == 0.008
    robot.stepBegin(16)
    assert robot.getTime() == 0.008
    robot.stepEnd()
    assert robot.getTime() == 0.024


def test_a_step_that_is_no_multiple_ends_with_the_next_basic_step(robot):
    assert robot.step(20) == 0
    assert robot.getTime() == 0.024
    # Late by what has passed since the step before began (WbController.cpp).
    assert robot.step(8) == 24 - 8
    assert robot.getTime() == 0.032


def test_without_an_argument_it_is_the_basic_step(robot):
    assert robot.step() == 0
    assert robot.getTime() == 0.008


def test_step_0_sends_but_no_time_passes(robot, motor, capsys):
    motor.setControlPID(5, 0, 0)
    motor.setPosition(100)
    with pytest.warns(UserWarning):
        assert robot.step(0) == 0
    assert robot.getTime() == 0
    assert motor.getTargetPosition() == 2  # the answer told it


def test_step_0_over_and_over_says_that_no_time_passes(robot, capsys):
    for _ in range(10_100):
        robot.step(0)
    assert capsys.readouterr().err.count("no time passes") == 1


def test_a_negative_step_waits_for_the_end(robot, capsys):
    assert robot.step(-5) == -1
    assert "a negative time never passes" in capsys.readouterr().err
    assert robot.getTime() == 4.0


@pytest.mark.parametrize("time_step", [33.7, 32.0, "32", [32]])
def test_a_step_is_an_integer_as_with_webots(robot, time_step):
    for step in (robot.step, robot.stepBegin):
        with pytest.raises(TypeError, match="whole number of milliseconds"):
            step(time_step)
    assert robot.getTime() == 0


def test_after_the_end_step_returns_minus_one(robot, session):
    assert robot.step(3992) == 0
    assert robot.step(8) == 3992 - 8
    assert robot.getTime() == 4.0
    assert robot.step(8) == -1
    assert robot.step(8) == -1
    assert session.results().time[-1] == pytest.approx(4.0)


def test_a_step_across_the_end_goes_to_the_end(robot, session):
    assert robot.step(100_000) == -1
    assert session.results().time[-1] == pytest.approx(4.0)


def test_step_in_two_halves_does_what_step_does(robot, motor):
    motor.setPosition(1.0)
    assert robot.stepBegin(8) == 0
    motor.setPosition(-1.0)  # too late for this step
    assert robot.stepEnd() == 0
    robot.step(8)
    results = robot._client.host.stepped.simulation.results()
    targets = results["arm/hinge motor/target_position"]
    assert targets[1:].tolist() == [1.0, -1.0]


def test_halves_that_do_not_match_are_complained_of(robot, motor, capsys):
    assert robot.stepEnd() == -1
    assert "stepBegin() is missing" in capsys.readouterr().err
    robot.stepBegin(8)
    assert motor.getBrake() is None
    assert "between stepBegin() and stepEnd()" in capsys.readouterr().err
    assert robot.step(8) == 0
    assert "stepEnd() is missing" in capsys.readouterr().err


def test_a_second_thread_may_step_too(robot):
    thread = threading.Thread(target=robot.step, args=[8])
    thread.start()
    thread.join()
    assert robot.step(8) == 0
    assert robot.getTime() == 0.016


def test_devices_are_found_by_name_and_index(robot):
    assert robot.getNumberOfDevices() == robot.number_of_devices == 3
    names = ["hinge motor", "hinge sensor", "hinge brake"]
    assert list(robot.devices) == names
    for i, name in enumerate(names):
        assert robot.getDeviceByIndex(i) is robot.getDevice(name)
        assert robot.getDevice(name) is robot.getDevice(name)
        assert robot.getDevice(name).getName() == name


def test_an_unknown_device_is_none_and_the_known_are_listed(robot, capsys):
    assert robot.getDevice("hinge moter") is None
    error = capsys.readouterr().err
    assert "did you mean hinge motor?" in error
    assert "hinge sensor, hinge brake" in error
    assert robot.getDeviceByIndex(3) is None
    assert robot.getDeviceByIndex(-1) is None
    assert "3 devices" in capsys.readouterr().err


def test_a_device_can_be_had_by_its_class(robot):
    motor = robot.getDevice("hinge motor")
    assert robot.getDevice("hinge motor", Motor) is motor
    with pytest.raises(InputError, match="is a Motor, not a PositionSensor"):
        robot.getDevice("hinge motor", PositionSensor)
    with pytest.raises(InputError, match="unknown device 'hinge moter'"):
        robot.getDevice("hinge moter", Motor)


def test_old_getters_still_work_and_say_that_they_are_old(robot, capsys):
    motor = robot.getDevice("hinge motor")
    assert robot.getMotor("hinge motor") is motor
    assert robot.createMotor("hinge motor") is motor
    assert robot.getPositionSensor("hinge sensor").name == "hinge sensor"
    assert robot.getBrake("hinge brake").name == "hinge brake"
    assert robot.getCamera("camera") is None
    error = capsys.readouterr().err
    assert error.count("DEPRECATION") == 5
    assert "known: hinge motor" in error
    assert not hasattr(robot, "getNothing")


def test_a_device_tells_its_node(robot, motor, sensor, brake):
    assert motor.getNodeType() == motor.node_type == Node.ROTATIONAL_MOTOR
    assert sensor.getNodeType() == Node.POSITION_SENSOR == 52
    assert brake.getNodeType() == Node.BRAKE == 37
    assert motor.getModel() == motor.model == ""


def test_devices_can_be_made_by_name_or_tag(robot, motor):
    for made in (Motor("hinge motor"), Motor(1), Device("hinge motor")):
        assert made.getName() == "hinge motor"
    Motor("hinge motor").setPosition(1.0)
    assert motor.getTargetPosition() == 1.0  # one device, several objects


@pytest.mark.parametrize("name", ["elbow", "hinge sensor", 9, 0])
def test_a_device_that_is_none_complains_at_every_use(robot, capsys, name):
    motor = Motor(name)
    capsys.readouterr()
    motor.setPosition(1.0)
    motor.setTorque(1.0)
    motor.enableTorqueFeedback(8)
    error = capsys.readouterr().err
    assert error.count("the robot has no such device") >= 3
    assert math.isnan(motor.getVelocity())
    assert math.isnan(motor.getMaxPosition())
    assert math.isnan(motor.getTorqueFeedback())
    assert math.isnan(motor.joint_velocity)
    assert motor.getBrake() is None
    assert robot.step(8) == 0


def test_an_unknown_name_lists_the_known_ones(robot, capsys):
    PositionSensor("hinge sensr", 0)
    assert "did you mean hinge sensor?" in capsys.readouterr().err


def test_what_the_robot_is_called(robot):
    assert robot.getName() == robot.name == "arm"
    assert robot.getModel() == robot.model == ""
    assert robot.getBasicTimeStep() == robot.basic_time_step == 8.0
    assert robot.getWorldPath() == robot.world_path == str(FILE)
    assert robot.getProjectPath() == robot.project_path == str(FILE.parent)
    assert robot.getSupervisor() is robot.supervisor is False
    assert robot.getSynchronization() is robot.synchronization is True
    assert robot.getMode() == robot.mode == Robot.MODE_SIMULATION


def test_custom_data_is_kept(robot):
    assert robot.getCustomData() == ""
    robot.setCustomData("red")
    assert robot.custom_data == "red"
    robot.custom_data = "blue"
    assert robot.getCustomData() == "blue"


def test_constants_have_webots_values():
    events = [getattr(Robot, n) for n in dir(Robot) if n.startswith("EVENT_")]
    assert sorted(events) == [-1, 0, 1, 2, 4, 8, 16, 32]
    assert Robot.MODE_CROSS_COMPILATION == 1
    assert Robot.MODE_REMOTE_CONTROL == 2
    assert (Motor.ROTATIONAL, Motor.LINEAR) == (0, 1)


def test_there_is_no_user(robot, capsys):
    keyboard = robot.getKeyboard()
    keyboard.enable(8)
    assert keyboard.getSamplingPeriod() == 8
    assert keyboard.getKey() == -1
    keyboard.disable()
    assert keyboard.sampling_period == 0
    assert robot.waitForUserInputEvent(Robot.EVENT_KEYBOARD, 1000) == 0
    assert robot.wwiReceiveText() is None
    assert not robot.getJoystick()._told and not robot.getMouse()._told
    # Nobody could press anything: it says so, and does not wait.
    assert capsys.readouterr().err.count("the keyboard is off") == 1
    for _ in range(3):  # it is said once, not with every step
        robot.wwiSendText("hello")
    assert capsys.readouterr().err.count("there is no robot window") == 1
    assert not robot.getMouse().getState().left
    assert not robot.getJoystick().isConnected()
    robot.setMode(Robot.MODE_REMOTE_CONTROL, "")
    error = capsys.readouterr().err
    assert error.count("Error: ") == 1 and error.count("Warning: ") == 2


def test_a_second_robot_is_the_first_one(robot, motor, capsys):
    other = Robot()
    assert "has one already" in capsys.readouterr().err
    other.getDevice("hinge motor").setPosition(1.0)
    assert motor.getTargetPosition() == 1.0


def test_without_a_simulation_there_is_no_robot():
    with pytest.raises(RuntimeError, match="no simulation runs here"):
        Robot()


def test_a_session_lists_its_robots(session):
    with pytest.raises(InputError, match=r"did you mean arm\?"):
        session.robot("arn")


def test_a_step_of_one_robot_is_a_step_of_all():
    with RobotSession(scenario("TwoArms")) as session:
        first, second = session.robot("first"), session.robot("second")
        first.getDevice("hinge motor").setPosition(0.5)
        second.getDevice("hinge motor").setPosition(-0.5)
        sensor = second.getDevice("hinge sensor")
        sensor.enable(8)
        assert first.step(800) == 0
        assert second.getTime() == session.time == 0.8
        assert sensor.getValue() == pytest.approx(-0.5, abs=1e-2)
        assert session.step(8) == 800 - 8
        assert first.getTime() == pytest.approx(0.808)
        with pytest.raises(RuntimeError, match="first, second"):
            Motor("hinge motor")
        assert Motor("hinge motor", robot=first).getTargetPosition() == 0.5


def test_commands_of_the_scenario_stand_beside_the_controllers():
    config = scenario(
        text="{model_drivers: {arm: {commands: [{time: 0.1, motor: hinge motor,"
        " set_velocity: 0.5}]}}}"
    )
    with RobotSession(config) as session:
        robot = session.robot("arm")
        robot.getDevice("hinge motor").setPosition(2.0)
        while robot.step(32) != -1:
            pass
        results = session.results()
        speed = results["arm/hinge motor/velocity_target"]
        assert speed[results.time < 0.1].max() == 8
        assert speed[results.time > 0.11].max() == 0.5


def test_slow_basic_steps_below_a_millisecond_still_pass():
    config = scenario(
        text="{simulation_duration: 0.02, plant_config: {time_step: 0.0005}}"
    )
    with RobotSession(config) as session:
        robot = session.robot("arm")
        assert robot.getBasicTimeStep() == 0.5
        assert robot.step() == 0
        assert robot.getTime() == 0.001
        assert PositionSensor("hinge sensor").getSamplingPeriod() == 1
