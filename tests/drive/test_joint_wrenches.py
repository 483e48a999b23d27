"""The wrench of a joint on its child, against Newton's and Euler's equations."""

import math

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    Z,
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
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

import webmotor_drake as wm
from webmotor_drake.cli.check_command import describe
from webmotor_drake.data import SCENARIOS
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.joint_wrenches import COMPONENTS, JointWrenches
from webmotor_drake.drive.multi_axis_joints import add_hinge2_joint
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor
from webmotor_drake.runner import run
from webmotor_drake.simulation.simulation import Simulation

DRIVES = ["torque", "implicit"]
STEP = 0.008
# The pendulum of mechanisms.py.
MASS, LEVER, GRAVITY = 1.0, 0.25, 9.81
INERTIA = 0.0202 + MASS * LEVER**2  # about the hinge, kg m^2


def recorded(plant, driver, *, steps=20, q=0.0, v=0.0):
    """Returns signals of the motor "m" by name, each of shape (steps+1,)."""
    driver.reaction_forces = True
    rig = Rig(*driven(plant, driver))
    wrenches = rig.builder.GetSubsystemByName(f"{MODEL}.joint_wrenches")
    log = log_of(rig.builder, plant, {MODEL: rig.motors}, {MODEL: wrenches})
    simulator = rig.started(np.array([q, v]))
    simulator.AdvanceTo((steps + 0.5) * rig.motors.period)
    signals = log.signals(simulator.get_context())[1]
    return {
        name.rpartition("/")[2]: values[: steps + 1]
        for name, values in signals.items()
    }


def driver_of(drive="torque", *commands, **fields):
    fields.setdefault("motors", {"m": RotationalMotor("hinge")})
    return WebotsMotorDriver(
        drive=drive,
        commands=[TimedCommand(motor="m", **verbs) for verbs in commands],
        **fields,
    )


def forces(signals):
    return np.transpose([signals[f"reaction_force_{axis}"] for axis in "xyz"])


def torques(signals):
    return np.transpose([signals[f"reaction_torque_{axis}"] for axis in "xyz"])


@pytest.mark.parametrize("drive", DRIVES)
def test_a_link_that_hangs_is_held_up_by_its_weight(drive):
    signals = recorded(pendulum(STEP), driver_of(drive))
    # Nothing moves: only the solver's rounding.
    np.testing.assert_allclose(
        forces(signals)[1:],
        np.tile([0, 0, MASS * GRAVITY], (20, 1)),
        atol=1e-12,
    )
    np.testing.assert_allclose(torques(signals)[1:], 0, atol=1e-12)


@pytest.mark.parametrize("drive", DRIVES)
def test_a_link_that_spins_is_pulled_to_the_axis(drive):
    plant = pendulum(STEP, gravity=0.0)
    driver = driver_of(drive, {"set_position": math.inf, "set_velocity": 5.0})
    signals = recorded(plant, driver, v=5.0)
    # In the child's own frame the pull keeps its direction. The velocity stays
    # what it is, but for rounding.
    expected = np.tile([0, 0, MASS * LEVER * 5.0**2], (20, 1))
    np.testing.assert_allclose(forces(signals)[1:], expected, atol=1e-9)


@pytest.mark.parametrize("drive", DRIVES)
def test_a_link_held_level_needs_the_motors_torque(drive):
    signals = recorded(pendulum(STEP), driver_of(drive), q=-math.pi / 2)
    # About the axis it is the effort, to rounding.
    np.testing.assert_allclose(
        torques(signals)[1:, 1], signals["effort"][1:], atol=1e-12
    )
    # After ten steps the link still creeps down by cfm m g l / P: 2.5e-6 rad.
    np.testing.assert_allclose(
        torques(signals)[10:, 1], -MASS * GRAVITY * LEVER, atol=1e-4
    )
    # Up is -x of the link.
    np.testing.assert_allclose(
        forces(signals)[10:, 0], MASS * GRAVITY, atol=1e-3
    )


@pytest.mark.parametrize("drive", [*DRIVES, "kinematic"])
def test_a_link_in_motion_obeys_newton_and_euler(drive):
    commands = {"set_position": 1.3, "set_velocity": 4.0}
    signals = recorded(pendulum(STEP), driver_of(drive, commands), q=0.4)
    q, v = signals["position"], signals["velocity"]
    acceleration = np.diff(v) / STEP
    q, v = q[:-1], v[:-1]  # the configuration is that at the start of the step
    zero = np.zeros_like(q)
    # In the link's frame its centre is at (0, 0, -l).
    expected = MASS * np.transpose(
        [
            -LEVER * acceleration - GRAVITY * np.sin(q),
            zero,
            LEVER * v**2 + GRAVITY * np.cos(q),
        ]
    )
    about = INERTIA * acceleration + MASS * GRAVITY * LEVER * np.sin(q)
    assert np.ptp(signals["position"]) > 0.1  # it does move
    # Velocities are of the order of 1 rad/s, their differences by dt exact to
    # 1e-13 rad/s^2.
    np.testing.assert_allclose(forces(signals)[1:], expected, atol=1e-10)
    np.testing.assert_allclose(
        torques(signals)[1:], np.transpose([zero, about, zero]), atol=1e-10
    )


@pytest.mark.parametrize("drive", DRIVES)
def test_along_the_axis_is_all_that_acts_there(drive):
    spring, damping = 20.0, 0.5
    signals = recorded(
        pendulum(STEP, gravity=0.0),
        driver_of(
            drive,
            {"set_torque": 0.7},
            joints={
                "hinge": JointParameters(
                    spring_constant=spring, damping_constant=damping
                )
            },
        ),
        q=0.3,
    )
    passive = spring * signals["position"] + damping * signals["velocity"]
    np.testing.assert_allclose(signals["effort"][1:], 0.7, rtol=1e-15)
    # Spring and damper act on the state at the end of the step.
    np.testing.assert_allclose(
        torques(signals)[1:, 1], (0.7 - passive)[1:], atol=1e-10
    )


@pytest.mark.parametrize("drive", DRIVES)
def test_a_stop_is_in_it(drive):
    signals = recorded(
        pendulum(STEP, gravity=0.0),
        driver_of(
            drive,
            {"set_torque": 5.0},
            joints={"hinge": JointParameters(min_stop=-0.3, max_stop=0.3)},
        ),
        steps=100,
    )
    assert signals["position"][-1] == pytest.approx(0.3, abs=1e-3)
    # The stop takes the torque of 5 N m; what is left settles.
    assert torques(signals)[-1, 1] == pytest.approx(0, abs=1e-6)


def test_a_rail_carries_its_load_along_and_across():
    # 2 kg on a rail that leans by 30 degrees in effect: gravity has a part
    # along the axis.
    plant = new_plant(STEP)
    plant.mutable_gravity_field().set_gravity_vector([0, -3.0, -9.0])
    add_joint(
        plant, "rail", add_body(plant, "load", mass=2.0), axis=Z, sliding=True
    )
    driver = driver_of(motors={"m": LinearMotor("rail", max_force=100)})
    signals = recorded(plant, driver)
    np.testing.assert_allclose(forces(signals)[1:, 1], 6.0, atol=1e-12)
    np.testing.assert_allclose(
        forces(signals)[1:, 2], signals["effort"][1:], atol=1e-11
    )
    # The centre of mass is 0.25 m below the frame: (0, 0, -l) x F.
    np.testing.assert_allclose(torques(signals)[1:, 0], 0.25 * 6.0, atol=1e-12)


def test_on_a_continuous_plant_it_is_that_of_the_moment():
    driver = driver_of("torque", {"set_torque": 0.5}, basic_time_step=STEP)
    signals = recorded(pendulum(0.0), driver, q=0.4)
    q, v = signals["position"][1:], signals["velocity"][1:]
    acceleration = (0.5 - MASS * GRAVITY * LEVER * np.sin(q)) / INERTIA
    expected = np.transpose(
        [
            -LEVER * acceleration - GRAVITY * np.sin(q),
            np.zeros_like(q),
            LEVER * v**2 + GRAVITY * np.cos(q),
        ]
    )
    # The equations of motion at that state: rounding.
    np.testing.assert_allclose(forces(signals)[1:], expected, atol=1e-10)
    np.testing.assert_allclose(torques(signals)[1:, 1], 0.5, atol=1e-10)


def test_a_motor_period_of_many_plant_steps_has_the_last_ones_wrench():
    period = 4 * STEP
    plant, fine = pendulum(STEP), pendulum(STEP)
    command = {"set_torque": 1.0}
    coarse = recorded(
        plant, driver_of("torque", command, basic_time_step=period), q=0.4
    )
    every = recorded(fine, driver_of("torque", command), q=0.4, steps=80)
    for name in COMPONENTS:
        np.testing.assert_array_equal(coarse[name][1:], every[name][4::4])


def test_axes_at_one_anchor_each_carry_what_hangs_on_them():
    builder = DiagramBuilder()
    plant = builder.AddSystem(new_plant(STEP))
    instance = plant.GetModelInstanceByName(MODEL)
    head = plant.AddRigidBody(
        "head", instance, SpatialInertia.SolidBoxWithMass(3.0, 0.1, 0.1, 0.2)
    )
    pan, tilt = add_hinge2_joint(
        plant, "neck", plant.world_frame(), head.body_frame(), axis=Z
    )
    plant.Finalize()
    middle = plant.CalcTotalMass(plant.CreateDefaultContext()) - 3.0
    driver = WebotsMotorDriver(
        motors={
            "pan": RotationalMotor(pan.name()),
            "tilt": RotationalMotor(tilt.name()),
        },
        reaction_forces=True,
    )
    wm.ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    wrenches = builder.GetSubsystemByName(f"{MODEL}.joint_wrenches")
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(0.1)
    context = wrenches.GetMyContextFromRoot(simulator.get_context())
    found = wrenches.get_wrenches_output_port().Eval(context).reshape(2, 6)
    assert found[0, 5] == pytest.approx((3.0 + middle) * GRAVITY)
    assert found[1, 5] == pytest.approx(3.0 * GRAVITY)


def test_a_removed_joint_leaves_the_others_their_wrenches():
    # Its index is gone, the plant's list is shorter.
    plant = new_plant(STEP)
    light, heavy = (
        add_body(plant, name, mass=mass)
        for name, mass in (("light", 1.0), ("heavy", 2.0))
    )
    gone = add_joint(plant, "gone", light, effort_limit=None)
    kept = add_joint(plant, "kept", heavy, effort_limit=None)
    plant.RemoveJoint(gone)
    plant.Finalize()
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    wrenches = builder.AddSystem(JointWrenches(plant, [kept]))
    builder.Connect(
        plant.get_reaction_forces_output_port(),
        wrenches.get_reaction_forces_input_port(),
    )
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(3 * STEP)
    context = wrenches.GetMyContextFromRoot(simulator.get_context())
    np.testing.assert_allclose(
        wrenches.get_wrenches_output_port().Eval(context),
        [0, 0, 0, 0, 0, 2 * GRAVITY],
        atol=1e-12,
    )


def test_ports_that_are_not_sampled_are_refused():
    # They would tell of the step to come.
    plant = slider(STEP, sampled=False)
    driver = driver_of(motors={"m": LinearMotor("rail")}, reaction_forces=True)
    with pytest.raises(InputError, match=r"^reaction_forces: .*sampled"):
        driven(plant, driver)


def lift(text="", **overrides):
    text = ", ".join(
        ["simulation_duration: 0.2", *filter(None, [text])]
        + [f"{name}: {value}" for name, value in overrides.items()]
    )
    return load_scenario(
        SCENARIOS / "pendulum.scenario.yaml",
        name="Lift",
        text=f"{{{text}}}",
    )


WANTED = "model_drivers: {arm: {reaction_forces: true}}"


def test_a_scenario_records_them_where_it_wants_them():
    with_them, without = run(lift(WANTED)), run(lift())
    extra = set(with_them.signals) - set(without.signals)
    assert extra == {f"arm/hinge motor/{name}" for name in COMPONENTS}
    for name, values in without.signals.items():
        np.testing.assert_array_equal(with_them[name], values, err_msg=name)
    torque = with_them["arm/hinge motor/reaction_torque_y"]
    assert np.isnan(torque[0])  # before the first step there is none
    assert np.isfinite(torque[1:]).all()
    told = with_them.metadata["reaction_forces"]
    assert "on its child body" in told
    assert "N m" in told
    assert "reaction_forces" not in without.metadata


def test_a_scenario_that_wants_them_keeps_the_ports_sampled():
    told = describe(Simulation(lift(WANTED)))
    assert ", output ports sampled" in told
    assert "reaction wrenches of the motors' joints are recorded" in told
    told = describe(Simulation(lift()))
    assert ", output ports not sampled" in told
    assert "wrenches" not in told


def test_a_scenario_that_cannot_have_them_is_refused_before_the_run():
    unsampled = "{time_step: 0.008, use_sampled_output_ports: false}"
    cenic = "{integration_scheme: cenic}"
    for overrides, told in (
        ({"plant_config": unsampled}, "sampled output ports"),
        (
            {
                "plant_config": "{time_step: 0}",
                "simulator_config": cenic,
                "model_drivers": "{arm: {reaction_forces: true,"
                " basic_time_step: 0.008}}",
            },
            "cenic gives wrong reaction forces",
        ),
    ):
        overrides.setdefault("model_drivers", "{arm: {reaction_forces: true}}")
        with pytest.raises(InputError) as caught:
            Simulation(lift(**overrides))
        assert told in str(caught.value)
        assert "model_drivers.arm.reaction_forces: " in str(caught.value)
