"""One motor system for many robots, against a system for each of them."""

import math

import numpy as np
import pytest
from _lib import plants
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake import (
    ApplyDriverConfig,
    ApplyDriverConfigToMany,
    InputError,
    JointParameters,
    RotationalMotor,
    TimedCommand,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.joints import Brake
from webmotor_drake.nodes.motor_models import (
    Elastic,
    Friction,
    Pd,
    Thermal,
)

ROBOTS = ["a", "b", "c"]
TIME_STEP = 0.004


def arms(time_step: float = TIME_STEP) -> MultibodyPlant:
    """Returns a plant with three different arms of three hinges."""
    plant = plants.new_plant(time_step)
    for i, name in enumerate(ROBOTS):
        plant.AddModelInstance(name)
        parent = None
        for k in range(3):
            body = plants.add_body(plant, f"link{k}", mass=1 + i, model=name)
            plants.add_joint(
                plant,
                f"joint{k}",
                body,
                axis=plants.Y if k % 2 else plants.X,
                parent=parent,
                at=(0.0, 0.0, -0.5 if k else 0.0),
                effort_limit=None if k == 2 else math.inf,
            )
            parent = body
    return plant


def driver(**fields) -> WebotsMotorDriver:
    """Two coupled motors, one at its limit at times, and a braked spring."""
    return WebotsMotorDriver(
        motors={
            "pair::first": RotationalMotor("joint0", max_torque=8),
            "pair::second": RotationalMotor(
                "joint1", multiplier=-0.5, max_velocity=5
            ),
        },
        joints={"joint2": JointParameters(spring_constant=3.0)},
        brakes={"brake": Brake("joint2")},
        commands=[
            TimedCommand(motor="pair::first", set_position=0.6),
            TimedCommand(time=0.2, brake="brake", set_damping_constant=0.5),
            TimedCommand(time=0.4, motor="pair::second", set_position=-0.4),
        ],
        **fields,
    )


def finalized(
    config: WebotsMotorDriver, plant: MultibodyPlant
) -> DiagramBuilder:
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    for name in ROBOTS:
        configure_actuators(config, name, plant)
    plant.Finalize()
    return builder


def moved(builder: DiagramBuilder, plant: MultibodyPlant) -> np.ndarray:
    """Returns the plant's state after 0.8 s."""
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(0.8)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    return plant.GetPositionsAndVelocities(context)


def apply_to_robots(config, plant, builder, *, together):
    """Gives the robots one system, or one each."""
    if together:
        ApplyDriverConfigToMany(config, ROBOTS, plant, builder)
    else:
        for name in ROBOTS:
            ApplyDriverConfig(config, name, plant, builder=builder)


@pytest.mark.parametrize("pushed", [False, True])
def test_robots_that_share_a_system_move_as_with_one_each(pushed):
    states = []
    for together in (True, False):
        config, plant = driver(), arms()
        builder = finalized(config, plant)
        if pushed:  # the efforts are computed when the plant asks for them
            push = ConstantVectorSource(np.full(plant.num_velocities(), 0.3))
            builder.Connect(
                builder.AddSystem(push).get_output_port(),
                plant.get_applied_generalized_force_input_port(),
            )
        apply_to_robots(config, plant, builder, together=together)
        states.append(moved(builder, plant))
    # They differ by rounding only, which a few hundred steps let grow.
    np.testing.assert_allclose(states[0], states[1], rtol=0, atol=1e-11)
    assert np.abs(states[0]).max() > 0.3  # they did move


def test_delay_and_softness_may_differ_from_robot_to_robot():
    # None, a part of a step, whole steps and a part.
    own = [(0.0, 1e-5), (0.0013, 0.02), (0.0175, 0.2)]
    drivers = [driver(delay=late, cfm=soft) for late, soft in own]
    states = []
    for together in (True, False):
        plant = arms()
        builder = finalized(drivers[0], plant)
        if together:
            ApplyDriverConfigToMany(drivers, ROBOTS, plant, builder)
        else:
            for config, name in zip(drivers, ROBOTS, strict=True):
                ApplyDriverConfig(config, name, plant, builder=builder)
        states.append(moved(builder, plant))
    # As above.
    np.testing.assert_allclose(states[0], states[1], rtol=0, atol=1e-11)
    assert np.abs(states[0]).max() > 0.3


def test_motors_are_named_and_ordered_robot_by_robot():
    config, plant = driver(), arms()
    builder = finalized(config, plant)
    motors = ApplyDriverConfigToMany(config, ["c", "a"], plant, builder)
    assert motors.devices.names == [
        "c/pair::first",
        "c/pair::second",
        "a/pair::first",
        "a/pair::second",
    ]
    assert motors.GetInputPort("target_position").size() == 4
    assert motors.devices.groups == [[0, 1], [0, 1], [2, 3], [2, 3]]


def test_a_port_commands_each_robot_on_its_own():
    config, plant = driver(), arms()
    config.commands = []
    builder = finalized(config, plant)
    motors = ApplyDriverConfigToMany(config, ROBOTS, plant, builder)
    targets = ConstantVectorSource([0.2, np.nan, 0.1, np.nan, 0.15, np.nan])
    builder.Connect(
        builder.AddSystem(targets).get_output_port(),
        motors.GetInputPort("target_position"),
    )
    moved_ = moved(builder, plant)
    first = motors.position_indices[::2]
    # A first-order approach of rate 10 / s leaves e^-8 of the way after 0.8 s.
    np.testing.assert_allclose(moved_[first], [0.2, 0.1, 0.15], atol=0.01)


@pytest.mark.parametrize(
    ("fields", "path", "said"),
    [
        ({"battery": [10.0, 20.0, 0.0]}, ("battery",), "for each"),
        ({"reaction_forces": True}, ("reaction_forces",), "for each"),
        ({"drive": "implicit"}, ("drive",), "torque drive"),
    ],
)
def test_what_needs_a_system_a_robot_is_refused(fields, path, said):
    config, plant = driver(**fields), arms()
    builder = finalized(config, plant)
    with pytest.raises(InputError, match=said) as caught:
        ApplyDriverConfigToMany(config, ROBOTS, plant, builder)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("names", "said"), [([], "no models"), (["a", "d"], "unknown model .d.")]
)
def test_models_that_are_not_there_are_told(names, said):
    config, plant = driver(), arms()
    builder = finalized(config, plant)
    with pytest.raises(InputError, match=said):
        ApplyDriverConfigToMany(config, names, plant, builder)


def test_a_plant_has_one_such_system():
    config, plant = driver(), arms()
    builder = finalized(config, plant)
    ApplyDriverConfigToMany(config, ["a"], plant, builder)
    with pytest.raises(InputError, match="connected already"):
        ApplyDriverConfigToMany(config, ["b"], plant, builder)


@pytest.mark.parametrize(
    "model", ["pd", "pd_explicit", "dc_motor", "series_elastic"]
)
def test_motor_models_that_share_a_system_are_as_with_one_each(model):
    motors = {
        f"motor{k}": RotationalMotor(
            f"joint{k}",
            motor_model=model,
            max_torque=20.0,
            pd=Pd(kp=40.0, kd=2.0),
            dc_motor=DcMotor(15.0, 8.0),
            elastic=Elastic(stiffness=500.0, motor_inertia=0.01),
            friction=Friction(coulomb=0.1, motor_load=0.05),
            thermal=Thermal(continuous_torque=5.0, time_constant=0.2),
        )
        for k in range(2)
    }
    commands = [TimedCommand(motor=name, set_position=0.6) for name in motors]
    config = WebotsMotorDriver(motors=motors, commands=commands)
    states = []
    for together in (True, False):
        plant = arms()
        builder = finalized(config, plant)
        apply_to_robots(config, plant, builder, together=together)
        states.append(moved(builder, plant))
    # Laws are solved to 1e-9, which some hundred steps let grow.
    np.testing.assert_allclose(states[0], states[1], rtol=0, atol=1e-6)
    assert np.abs(states[0]).max() > 0.3
