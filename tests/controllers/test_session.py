"""A program of one's own commands robots."""

import contextlib
import gc

import numpy as np
import pytest
from robots import scenario, with_driver

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError, MotorWarning, SimulationError
from webmotor_drake.runner import run
from webmotor_drake.simulation.simulation import Simulation


def test_results_have_all_steps_so_far_at_any_time(session, robot, motor):
    feedback = []
    motor.enableTorqueFeedback(8)
    assert session.results().time.tolist() == [0]
    for k in range(1, 6):
        if k == 3:
            motor.setTorque(1.5)
        robot.step(8)
        feedback.append(motor.getTorqueFeedback())
        results = session.results()
        assert results.time == pytest.approx(np.arange(k + 1) * 0.008)
        assert results["arm/hinge motor/feedback"][1:].tolist() == feedback
    assert results["arm/hinge motor/mode"].tolist() == [0, 0, 0, 2, 2, 2]
    assert results["arm/hinge motor/effort"][3:].tolist() == [1.5] * 3


def test_meshcat_is_for_a_scenario_and_not_for_what_is_built_already(meshcat):
    with pytest.raises(InputError, match="drawn where it was made"):
        RobotSession(Simulation(scenario()), meshcat=meshcat)


def test_a_reset_measures_the_efforts_of_the_start(session, robot, motor):
    motor.enableTorqueFeedback(8)
    motor.setPosition(1.0)
    robot.step(8)
    assert motor.getTorqueFeedback() != 0
    session.reset()
    assert motor.getTorqueFeedback() == 0


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_all_motors_commanded_at_once_do_what_one_by_one_they_do(drive):
    def signals(whole):
        text = f"{{model_drivers: {{arm: {{drive: {drive}}}}}}}"
        with RobotSession(scenario(text=text)) as session:
            robot = session.robot("arm")
            motor = robot.getDevice("hinge motor")
            motor._client._in_rows = whole
            for k in range(40):
                motor.setPosition([0.3, 90.0, float("inf")][k // 4 % 3])
                motor.setVelocity(2.0 - 0.1 * k)
                if k % 7 == 0:
                    motor.setTorque(0.4)
                robot.step(8)
            return session.results().signals

    one_by_one = signals(whole=False)
    for name, values in signals(whole=True).items():
        np.testing.assert_array_equal(values, one_by_one[name], err_msg=name)


def test_looking_at_the_results_changes_nothing():
    def signals(look):
        with RobotSession(scenario()) as session:
            robot = session.robot("arm")
            robot.getDevice("hinge motor").setPosition(1.0)
            for _ in range(50):
                robot.step(8)
                if look:
                    session.results()
            return session.results().signals

    for name, values in signals(look=True).items():
        np.testing.assert_array_equal(values, signals(look=False)[name])


def test_a_session_without_commands_is_a_run():
    text = "{simulation_duration: 0.2}"
    with RobotSession(scenario(text=text)) as session:
        while session.step(8) != -1:
            pass
        results = session.results()
    expected = run(scenario(text=text))
    assert results.time.tolist() == expected.time.tolist()
    for name, values in expected.signals.items():
        np.testing.assert_array_equal(results[name], values, err_msg=name)


@pytest.mark.filterwarnings("ignore:hinge motor.max_torque")
def test_a_simulation_that_fails_says_so_as_a_run_does():
    # Squares of 1e300 are infinite: the step cannot be computed. To step on
    # tells the same, and to close with a command left is no other failure.
    strong = "motors: {hinge motor: !RotationalMotor {max_torque: 1.0e+305}}"
    messages = []
    with RobotSession(with_driver(strong)) as session:
        robot = session.robot("arm")
        robot.step(80)
        robot.getDevice("hinge motor").setTorque(1e300)
        for _ in range(2):
            with pytest.raises(SimulationError) as caught:
                robot.step(800)
            messages.append(str(caught.value))
        robot.getDevice("hinge motor").setTorque(0.0)
    assert messages[0] == messages[1]
    assert "joint hinge" in messages[0]
    assert caught.value.results.time[-1] < 0.2
    assert session.results().time[-1] < 0.2


def test_closing_sends_what_is_queued_for_whoever_goes_on():
    with RobotSession(scenario()) as session:
        session.step(80)
        session.robot("arm").getDevice("hinge motor").setPosition(1.0)
        before = session.results().signals
    for name, values in session.results().signals.items():
        np.testing.assert_array_equal(values, before[name], err_msg=name)
    session.simulation.advance_to(0.2)
    targets = session.results()["arm/hinge motor/target_position"]
    assert targets[10] != 1
    assert (targets[11:] == 1).all()


@pytest.mark.parametrize("failed", [False, True])
def test_a_session_that_is_closed_steps_no_more(failed):
    left = pytest.raises(ZeroDivisionError)
    with (
        left if failed else contextlib.nullcontext(),
        RobotSession(scenario()) as session,
    ):
        robot = session.robot("arm")
        robot.step(16)
        if failed:
            raise ZeroDivisionError
    assert robot.step(8) == session.step() == -1
    assert session.time == pytest.approx(0.016)


def test_warnings_are_shown_at_once_and_counted_in_the_metadata(session, robot):
    motor = robot.getDevice("hinge motor")
    with pytest.warns(MotorWarning, match="exceeds max_velocity"):
        motor.setVelocity(100)
        robot.step(8)
    for velocity in 200, 300:
        motor.setVelocity(velocity)
        with pytest.warns(MotorWarning):
            robot.step(8)
    metadata = session.results().metadata
    ((text, count),) = metadata["warnings"].items()
    assert text.startswith("hinge motor: requested velocity 100 exceeds")
    assert count == 3
    assert metadata["wall_time"] > 0


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_mass_that_changes_between_two_steps_acts_in_the_next(drive):
    text = scenario()
    text.model_drivers["arm"].drive = drive
    with RobotSession(text) as session:
        robot = session.robot("arm")
        robot.getDevice("hinge motor").setPosition(0.5)
        robot.step(4000)
        plant = session.simulation.plant
        context = plant.GetMyMutableContextFromRoot(
            session.simulation.simulator.get_mutable_context()
        )
        body = plant.GetJointByName("hinge").child_body()
        body.SetMass(context, 1.2 * body.get_mass(context))
        before = plant.GetPositions(context).copy()
        robot.step(8)
        # It holds; by the old mass's torque it would fall 1e-5 rad and more.
        assert plant.GetPositions(context) == pytest.approx(before, abs=1e-7)


def test_a_closed_session_that_nobody_has_any_more_gives_back_what_it_held():
    session = RobotSession(scenario())
    motors = next(iter(session.simulation.motors.values()))
    with session:
        session.step()
    gc.collect()
    assert session.results()["arm/hinge motor/position"].size == 2
    assert vars(motors)
    del session
    gc.collect()
    assert not vars(motors)


def test_a_session_leaves_a_simulation_that_it_was_given_alone():
    simulation = Simulation(scenario())
    motors = next(iter(simulation.motors.values()))
    with RobotSession(simulation) as session:
        session.step()
    del simulation, session
    gc.collect()
    assert vars(motors)
