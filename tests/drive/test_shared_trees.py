"""An arm and the hand on it as two models: the default drive moves both right."""

import math

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import Sine

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.motors import RotationalMotor

HAND = "hand"


def arm_with_hand(time_step: float) -> MultibodyPlant:
    """Returns a shoulder, and as another model an elbow on it."""
    plant = new_plant(time_step)
    plant.AddModelInstance(HAND)
    upper = add_body(plant, "upper", mass=1.5)
    add_joint(plant, "shoulder", upper)
    lower = add_body(plant, "lower", mass=0.8, model=HAND)
    add_joint(plant, "elbow", lower, parent=upper, at=(0, 0, -0.4))
    return plant


def motor(joint: str, **told) -> WebotsMotorDriver:
    return WebotsMotorDriver(
        motors={joint: RotationalMotor(joint=joint, max_torque=40)},
        commands=[TimedCommand(motor=joint, **told)],
    )


@pytest.mark.parametrize("time_step", [0.008, 0.032])
def test_two_drivers_on_one_tree_reach_their_targets(time_step):
    plant, builder = arm_with_hand(time_step), DiagramBuilder()
    builder.AddSystem(plant)
    drivers = {
        MODEL: motor("shoulder", set_position=0.4),
        HAND: motor("elbow", set_position=-0.8),
    }
    for name, driver in drivers.items():
        configure_actuators(driver, name, plant)
    plant.Finalize()
    for name, driver in drivers.items():
        motors = ApplyDriverConfig(driver, name, plant, builder=builder)
        assert motors.drive == "implicit"
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(3.2)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    # Softness lets them droop by cfm effort / P: up to 6e-6 rad.
    np.testing.assert_allclose(
        plant.GetPositions(context), [0.4, -0.8], atol=1e-5
    )


def test_an_arm_stands_still_while_somebody_else_shakes_its_hand():
    plant, builder = arm_with_hand(0.008), DiagramBuilder()
    builder.AddSystem(plant)
    driver = motor("shoulder", set_position=math.inf, set_velocity=0.0)
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    shake = builder.AddSystem(Sine(2.0, 9.0, 0.0, 1))  # N m
    hand = plant.GetModelInstanceByName(HAND)
    builder.Connect(
        shake.get_output_port(0), plant.get_actuation_input_port(hand)
    )
    ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    simulator = Simulator(builder.Build())
    context = plant.GetMyContextFromRoot(simulator.get_context())
    speeds = []
    for k in range(1, 251):
        simulator.AdvanceTo(0.008 * k)
        speeds.append(plant.GetVelocities(context))
    shoulder, elbow = np.abs(speeds).max(axis=0)
    # What softness and the solver's cap leave of up to 20 N m.
    assert shoulder < 1e-3
    assert elbow > 0.5
