"""The recorded signals, against what a run shows step by step."""

import math
from pathlib import Path

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    X,
    add_body,
    add_joint,
    log_of,
    new_plant,
)
from mechanisms import (
    Rig,
    driven,
    pendulum,
    slider,
)
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.driver import ApplyDriverConfig, WebotsMotorDriver
from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.commands import Kind, TimedCommand
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.simulation import Simulation

SIGNALS = [
    "effort",
    "effort_limit",
    "energy",
    "feedback",
    "mode",
    "position",
    "saturated",
    "target_position",
    "velocity",
    "velocity_command",
    "velocity_target",
]
STEPS = 30
# Motor periods and plant steps, s.
PERIODS = [(0.008, 0.008), (0.010, 0.001), (0.032, 0.004), (0.0333, 0.00111)]


def two_motors(period: float, time_step: float, sampled: bool = True) -> Rig:
    """Returns a hinge and a rail, with commands of all modes."""
    plant = new_plant(time_step, sampled=sampled)
    add_joint(plant, "hinge", add_body(plant, "link"))
    add_joint(plant, "rail", add_body(plant, "carriage"), axis=X, sliding=True)

    def command(step: int, motor: str, **verb) -> TimedCommand:
        return TimedCommand(time=step * period, motor=motor, **verb)

    driver = WebotsMotorDriver(
        basic_time_step=period,
        motors={
            "a": RotationalMotor(
                "hinge",
                acceleration=30.0,
                consumption_factor=4.0,
                max_torque=1.5,
            ),
            "b": LinearMotor("rail", control_pid=[12.0, 2.0, 0.1]),
        },
        joints={"rail": JointParameters(static_friction=2.0)},
        commands=[
            command(0, "a", set_position=0.3),
            command(3, "b", set_position=0.1),
            command(9, "b", set_position=math.inf),
            command(9, "b", set_velocity=-1.0),
            command(13, "b", set_force=5.0),
            command(17, "a", set_available_torque=0.7),
            command(21, "b", set_position=0.2),
        ],
    )
    return Rig(*driven(plant, driver))


def recorded(rig: Rig, steps: int = STEPS) -> dict[str, np.ndarray]:
    """Returns signals without the model's name, motors side by side."""
    signals = rig.signals(steps)
    motors = rig.motors.devices.names
    assert sorted(signals) == sorted(
        f"{MODEL}/{motor}/{name}" for motor in motors for name in SIGNALS
    )
    return {
        name: np.transpose([signals[f"{MODEL}/{m}/{name}"] for m in motors])
        for name in SIGNALS
    }


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize(("period", "time_step"), PERIODS)
def test_signals_are_those_of_a_run_step_by_step(period, time_step, sampled):
    signals = recorded(two_motors(period, time_step, sampled))
    rig = two_motors(period, time_step, sampled)
    simulator = rig.simulator()
    rows = {name: [] for name in SIGNALS}
    command = servo = None
    for k in range(STEPS + 1):
        rig.advance(simulator, k)
        state = rig.state(simulator)
        rows["position"].append(state[rig.motors.position_indices])
        rows["velocity"].append(state[rig.motors.velocity_indices])
        rows["effort"].append(rig.port(simulator, "effort").copy())
        if k == 0:
            servo = np.zeros((len(LawState), 2))
            command = rig.port(simulator, "command").copy()
        rows["target_position"].append(command[Command.TARGET_POSITION])
        rows["velocity_target"].append(servo[LawState.VELOCITY_TARGET])
        rows["velocity_command"].append(servo[LawState.VELOCITY_COMMAND])
        # What the next row, at the end of this step, is to show.
        command = rig.port(simulator, "command").copy()
        servo = rig.port(simulator, "servo").copy()
    for name, values in rows.items():
        if values:
            np.testing.assert_array_equal(signals[name], values, err_msg=name)


@pytest.mark.parametrize(("period", "time_step"), [*PERIODS, (0.016, 0.0)])
def test_row_0_comes_before_anything_has_moved(period, time_step):
    signals = recorded(two_motors(period, time_step))
    for name in (
        "effort",
        "energy",
        "position",
        "saturated",
        "velocity",
        "velocity_command",
        "velocity_target",
    ):
        np.testing.assert_array_equal(signals[name][0], 0, err_msg=name)
    assert np.isnan(signals["feedback"][0]).all()
    assert not np.isnan(signals["feedback"][1:]).any()
    np.testing.assert_array_equal(signals["target_position"][0], [0.3, 0.0])


@pytest.mark.parametrize(("period", "time_step"), [*PERIODS, (0.016, 0.0)])
def test_modes_and_limits_change_in_the_row_that_ends_their_step(
    period, time_step
):
    signals = recorded(two_motors(period, time_step))
    mode = np.zeros((STEPS + 1, 2))
    mode[10:14, 1], mode[14:22, 1] = 1, 2
    np.testing.assert_array_equal(signals["mode"], mode)
    limit = np.full((STEPS + 1, 2), [1.5, 10.0])
    limit[18:, 0] = 0.7
    np.testing.assert_array_equal(signals["effort_limit"], limit)
    target = np.zeros(STEPS + 1)
    target[4:], target[10:], target[22:] = 0.1, math.inf, 0.2
    np.testing.assert_array_equal(signals["target_position"][:, 1], target)


@pytest.mark.parametrize(("period", "time_step"), PERIODS)
def test_a_motor_is_saturated_where_its_effort_is_at_the_limit(
    period, time_step
):
    signals = recorded(two_motors(period, time_step))
    effort, limit = np.abs(signals["effort"]), signals["effort_limit"]
    servo_on = signals["mode"] != 2
    np.testing.assert_array_equal(
        signals["saturated"], servo_on & (effort == limit)
    )
    assert 0 < signals["saturated"][:, 0].sum() < STEPS
    assert (effort[servo_on] <= limit[servo_on]).all()


def test_a_saturated_motor_misses_its_command_and_no_other_does():
    signals = recorded(two_motors(0.008, 0.008))
    miss = np.abs(signals["velocity"] - signals["velocity_command"])
    on = (signals["mode"] != 2) & (np.arange(STEPS + 1) > 0)[:, np.newaxis]
    free = on & (signals["saturated"] == 0)
    # Slip: cfm times 10 N.
    assert miss[free].max() <= 1e-4
    assert miss[signals["saturated"] == 1].min() > 1e-3


def test_a_motor_in_effort_control_is_never_saturated():
    driver = WebotsMotorDriver(
        motors={"m": LinearMotor("rail", max_force=4.0)},
        commands=[TimedCommand(motor="m", set_force=4.0)],
    )
    signals = recorded(Rig(*driven(slider(0.008), driver)), 5)
    np.testing.assert_array_equal(signals["effort"][1:], 4)
    np.testing.assert_array_equal(signals["effort_limit"], 4)
    np.testing.assert_array_equal(signals["saturated"], 0)


def test_feedback_leaves_direct_effort_out_and_friction_in():
    # The carriage accelerates against its friction of 2 N.
    signals = recorded(two_motors(0.008, 0.008))
    effort, feedback = signals["effort"], signals["feedback"]
    np.testing.assert_array_equal(feedback[1:, 0], effort[1:, 0])
    np.testing.assert_allclose(effort[18:22, 1], 3.0, rtol=1e-15)
    np.testing.assert_allclose(feedback[18:22, 1], -2.0, rtol=1e-15)


def test_on_a_continuous_plant_too_a_row_has_the_effort_of_its_step():
    # The force is constant within a step, so it is what changes the velocity.
    period = 0.016
    driver = WebotsMotorDriver(
        basic_time_step=period,
        motors={"m": LinearMotor("rail", max_force=1e3)},
        commands=[TimedCommand(time=5 * period, motor="m", set_position=0.3)],
    )
    signals = recorded(Rig(*driven(slider(0.0), driver)), 20)
    force = 2.0 * (9.81 + np.diff(signals["velocity"], axis=0) / period)
    # The integrator's rounding, over the period.
    np.testing.assert_allclose(signals["effort"][1:], force, atol=1e-9)


@pytest.mark.parametrize("period", [0.008, 0.0333, 0.1])
def test_commands_between_steps_leave_the_rows_of_a_continuous_plant(period):
    # Controllers command a little before the step begins: rows of the step
    # before must not show it. Multiples of most periods are rounded one way in
    # one event and another way in the next.
    steps = 60
    driver = WebotsMotorDriver(
        basic_time_step=period,
        motors={"m": LinearMotor("rail", max_force=1e3)},
    )
    rig = Rig(*driven(slider(0.0), driver))
    log = log_of(rig.builder, rig.plant, {MODEL: rig.motors})
    simulator = rig.simulator()
    own = rig.motors.GetMyMutableContextFromRoot(
        simulator.get_mutable_context()
    )
    feedback = []
    for k in range(steps):
        if k:
            simulator.AdvanceTo(rig.motors.next_step_time(k))
            feedback.append(rig.motors.feedback_reader(own)()[0])
        kind, value = (Kind.EFFORT, 15 + k) if k % 3 else (Kind.POSITION, 0.1)
        rig.motors.apply_all(own, [(0, kind, value)])
    _, signals, _ = log.signals(simulator.get_context())
    rows = {
        name.rpartition("/")[2]: values[1:] for name, values in signals.items()
    }
    direct = np.arange(steps - 1) % 3 != 0
    np.testing.assert_array_equal(rows["feedback"], feedback)
    np.testing.assert_array_equal(rows["mode"], np.where(direct, 2, 0))
    np.testing.assert_array_equal(
        rows["effort"][direct], 15 + np.flatnonzero(direct)
    )
    np.testing.assert_array_equal(rows["feedback"][direct], 0)


@pytest.mark.parametrize(("period", "time_step"), PERIODS)
def test_a_step_that_is_over_has_its_row_before_the_next_begins(
    period, time_step
):
    # A controller looks there, and may have given its commands already.
    whole = two_motors(period, time_step)
    log = log_of(whole.builder, whole.plant, {MODEL: whole.motors})
    simulator = whole.simulator()
    for k in (1, 2, 10, 14, 18):
        simulator.AdvanceTo(whole.motors.next_step_time(k))
        time, signals, _ = log.signals(simulator.get_context())
        assert time == pytest.approx(np.arange(k + 1) * period)
        expected = two_motors(period, time_step).signals(k)
        for name, values in expected.items():
            np.testing.assert_array_equal(signals[name], values, err_msg=name)


def test_a_look_before_the_start_changes_no_row():
    rig = two_motors(0.008, 0.008)
    log = log_of(rig.builder, rig.plant, {MODEL: rig.motors})
    simulator = rig.simulator()
    assert len(log.signals(simulator.get_context())[0]) == 1
    simulator.AdvanceTo(5.5 * 0.008)
    _, signals, _ = log.signals(simulator.get_context())
    expected = two_motors(0.008, 0.008).signals(5)
    for name, values in expected.items():
        np.testing.assert_array_equal(signals[name], values, err_msg=name)


def test_energy_is_the_feedback_summed():
    signals = recorded(two_motors(0.010, 0.001))
    power = np.abs(signals["feedback"][1:]) * [4.0, 10.0]
    np.testing.assert_allclose(
        signals["energy"][1:], np.cumsum(power, axis=0) * 0.010, rtol=1e-12
    )
    assert (signals["energy"][-1] > 0).all()


@pytest.mark.parametrize(("period", "time_step"), [*PERIODS, (0.016, 0.0)])
def test_there_is_a_row_for_the_start_and_the_end_of_each_step(
    period, time_step
):
    rig = two_motors(period, time_step)
    log = log_of(rig.builder, rig.plant, {MODEL: rig.motors})
    simulator = rig.simulator()
    for end in (0, 3, 7.4):
        simulator.AdvanceTo(end * period) if end else simulator.Initialize()
        time, signals, _ = log.signals(simulator.get_context())
        np.testing.assert_allclose(
            time, np.arange(math.floor(end) + 1) * period, rtol=1e-15
        )
        assert {len(values) for values in signals.values()} == {len(time)}


def test_reading_the_log_changes_nothing():
    rig = two_motors(0.008, 0.008)
    log = log_of(rig.builder, rig.plant, {MODEL: rig.motors})
    simulator = rig.simulator()
    simulator.AdvanceTo(0.1)
    _, first, _ = log.signals(simulator.get_context())
    _, second, _ = log.signals(simulator.get_context())
    for name, values in first.items():
        np.testing.assert_array_equal(values, second[name], err_msg=name)


def test_two_models_with_motors_of_the_same_name_are_told_apart():
    plant = new_plant(0.008)
    plant.AddModelInstance("other")
    add_joint(plant, "hinge", add_body(plant, "link"))
    add_joint(plant, "hinge", add_body(plant, "link", model="other"))
    plant.Finalize()
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    motors = {}
    for model, target in ((MODEL, 0.3), ("other", -0.4)):
        driver = WebotsMotorDriver(
            motors={"m": RotationalMotor("hinge")},
            commands=[TimedCommand(motor="m", set_position=target)],
        )
        motors[model] = ApplyDriverConfig(driver, model, plant, builder=builder)
    log = log_of(builder, plant, motors)
    simulator = Rig(builder, plant, motors[MODEL]).simulator()
    simulator.AdvanceTo(2.0)
    _, signals, _ = log.signals(simulator.get_context())
    for model, target in ((MODEL, 0.3), ("other", -0.4)):
        # Droop: cfm times 2.5 N m over P; the approach has decayed to 1e-7.
        assert signals[f"{model}/m/position"][-1] == pytest.approx(
            target, abs=3e-6
        )


@pytest.mark.parametrize("build", [pendulum, slider])
def test_a_plant_on_its_stop_still_has_finite_signals(build):
    plant = build(0.008)
    name = "hinge" if build is pendulum else "rail"
    motor = RotationalMotor if build is pendulum else LinearMotor
    driver = WebotsMotorDriver(
        motors={"m": motor(name)},
        joints={name: JointParameters(min_stop=-0.1, max_stop=0.1)},
        commands=[
            TimedCommand(motor="m", set_position=math.inf, set_velocity=1.0)
        ],
    )
    signals = recorded(Rig(*driven(plant, driver)), 100)
    assert np.isfinite(signals["position"]).all()
    assert np.isfinite(signals["energy"]).all()


PASSIVE = """
Swing:
  simulation_duration: 0.4
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {MOTOR: !RotationalMotor {joint: shoulder}}
      joints: {elbow: {spring_constant: 3, min_stop: -1, max_stop: 2}}
      commands: [{time: 0, motor: MOTOR, set_position: 1}]
"""


def swing(folder: Path, motor: str) -> Simulation:
    file = folder / "swing.scenario.yaml"
    file.write_text(PASSIVE.replace("MOTOR", motor))
    return Simulation(load_scenario(file))


def test_the_first_state_that_is_not_finite_is_the_present_one_if_none_is(
    tmp_path,
):
    simulation = swing(tmp_path, "m")
    simulation.run()
    root = simulation.simulator.get_mutable_context()
    plant = simulation.plant
    context = plant.GetMyMutableContextFromRoot(root)
    now = plant.GetPositionsAndVelocities(context).copy()
    time, state, _ = simulation.log.first_not_finite(root)
    assert time == root.get_time()
    np.testing.assert_array_equal(state, now)
    # The sample before is the last of the run, where it was finite.
    context.get_mutable_discrete_state_vector().SetAtIndex(0, np.nan)
    time, state, before = simulation.log.first_not_finite(root)
    assert time == root.get_time()
    assert np.isnan(state[0])
    np.testing.assert_array_equal(before, now)


def test_a_joint_without_a_motor_that_a_driver_names_is_recorded(tmp_path):
    simulation = swing(tmp_path, "m")
    results = simulation.run()
    assert (results.motors, results.joints) == (["arm/m"], ["arm/elbow"])
    assert results.metadata["joints"]["arm/elbow"] == {
        "unit": "rad",
        "min_stop": -1.0,
        "max_stop": 2.0,
    }
    context = simulation.plant.GetMyContextFromRoot(
        simulation.simulator.get_context()
    )
    elbow = simulation.plant.GetJointByName("elbow")
    # The last row is at the end.
    for signal, now in (
        ("position", elbow.get_angle(context)),
        ("velocity", elbow.get_angular_rate(context)),
    ):
        values = results[f"arm/elbow/{signal}"]
        assert values.shape == results.time.shape
        assert values[-1] == now != 0
        assert values[0] == 0
    results.save(tmp_path)
    assert Results.load(tmp_path).joints == ["arm/elbow"]


def test_a_motor_that_is_called_like_the_joint_keeps_its_signals(tmp_path):
    with pytest.warns(MotorWarning, match="^arm/elbow: a joint of this name"):
        results = swing(tmp_path, "elbow").run()
    assert (results.motors, results.joints) == (["arm/elbow"], [])
