"""A run from the middle of a log goes on as the log does."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.fitting.logged_motors import LoggedMotor, logged_motors
from webmotor_drake.fitting.replay import Script, motor_commands, replay
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.motor.commands import Kind

DRIVER = "model_drivers: {arm: {commands: [], motors: {hinge motor: %s}}}"
MOTOR = "{acceleration: 4, max_torque: 50}"


@pytest.mark.parametrize("model", ["webots_torque", "webots_implicit", "ideal"])
def test_a_motor_in_motion_ramps_on_from_its_velocity(model):
    # Its acceleration limit starts from the last command; a run that started it at
    # 0 would lag by v²/(2 a), 0.1 rad here.
    text = "{simulation_duration: 1.2, %s}" % (DRIVER % MOTOR)
    scenario = wm.load_scenario("package:pendulum", name="Lift", text=text)
    told = {"arm": {0: [(0, Kind.POSITION, 1.5)]}}
    whole = replay(scenario, model, None, Script(100, told, {}, {}))
    position, velocity = (
        whole[f"arm/hinge motor/{signal}"]
        for signal in ("position", "velocity")
    )
    start = 50  # 0.4 s: on its way
    assert velocity[start] > 0.8
    rest = replay(
        scenario,
        model,
        None,
        Script(
            50,
            told,
            {"arm": {"hinge": position[start]}},
            {"arm/hinge motor": velocity[start]},
        ),
    )
    # The servo's softness: the velocity is within 1e-5 of the command per N m.
    np.testing.assert_allclose(
        rest["arm/hinge motor/position"], position[start:], atol=1e-3
    )


def logged(**signals) -> tuple[RobotLog, LoggedMotor]:
    """Returns a log of 3 s at 10 ms, and its motor."""
    time = 0.01 * np.arange(300)
    named = {("hinge", name): value(time) for name, value in signals.items()}
    log = RobotLog(time, named | {("hinge", "position"): 0 * time})
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    return log, logged_motors(scenario, log)[0]


def test_what_is_held_is_one_command_however_steps_fall():
    log, motor = logged(target=lambda t: np.where(t < 1, 0.1 * t, 0.3))
    for edges in (np.arange(0, 3, 0.007), 1e-3 / 3 + 0.008 * np.arange(370)):
        for between in ("hold", "interpolate"):
            commands = motor_commands(log, motor, edges, between)
            assert max(commands) <= np.searchsorted(edges, 1.01)
            assert commands[max(commands)] == [(0, Kind.POSITION, 0.3)]


def test_torque_is_off_where_effort_is_0_and_targets_come_back():
    """A target that is the same as before the pause acts again, too."""

    def off(t):
        return (t >= 1) & (t < 2)

    log, motor = logged(
        target=lambda t: np.where(off(t), np.nan, 0.5),
        target_effort=lambda t: np.where(off(t), 0.0, np.nan),
    )
    commands = motor_commands(log, motor, 0.01 * np.arange(300), "hold")
    assert commands == {
        0: [(0, Kind.POSITION, 0.5)],
        100: [(0, Kind.EFFORT, 0.0)],
        200: [(0, Kind.POSITION, 0.5)],
    }
