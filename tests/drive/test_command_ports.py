"""Motors commanded by the ports of a diagram."""

import math
import warnings

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource, Sine

from webmotor_drake.drive.driver import ApplyDriverConfig, WebotsMotorDriver
from webmotor_drake.nodes.motors import RotationalMotor

STEP = 0.008


class Hinge:
    """A hinge without gravity, its motor's ports fed by constants or systems."""

    def __init__(
        self,
        motor: RotationalMotor | None = None,
        *,
        delay: float = 0.0,
        **ports,
    ):
        builder = DiagramBuilder()
        self.plant = builder.AddSystem(new_plant(STEP, gravity=0))
        add_joint(self.plant, "hinge", add_body(self.plant, "link"))
        self.plant.Finalize()
        driver = WebotsMotorDriver(
            motors={"m": motor or RotationalMotor(joint="hinge")},
            delay=delay,
        )
        motors = ApplyDriverConfig(driver, MODEL, self.plant, builder=builder)
        for name, source in ports.items():
            if isinstance(source, float):
                source = ConstantVectorSource([source])
            builder.AddSystem(source)
            builder.Connect(
                source.get_output_port(0), motors.GetInputPort(name)
            )
        self.simulator = Simulator(builder.Build())

    def state_at(self, time: float) -> np.ndarray:
        """Returns angle and velocity."""
        self.simulator.AdvanceTo(time)
        context = self.simulator.get_context()
        plant_context = self.plant.GetMyContextFromRoot(context)
        return self.plant.GetPositionsAndVelocities(plant_context)


@pytest.mark.parametrize("velocity", [0.7, -0.7])
def test_a_velocity_alone_is_velocity_control(velocity):
    hinge = Hinge(target_velocity=velocity)
    angle, speed = hinge.state_at(1.0)
    # The servo's softness: cfm * torque, less than 1e-5 * 10.
    assert speed == pytest.approx(velocity, abs=1e-4)
    assert angle == pytest.approx(velocity * 1.0, abs=1e-2)


def test_what_a_port_commands_is_delayed_as_all_commands_are():
    hinge = Hinge(target_velocity=0.7, delay=5 * STEP)
    assert hinge.state_at(5 * STEP)[1] == 0.0
    # The servo's softness, as above.
    assert hinge.state_at(6 * STEP)[1] == pytest.approx(0.7, abs=1e-4)


def test_beside_a_position_the_velocity_is_the_limit_on_the_way():
    hinge = Hinge(target_position=0.5, target_velocity=0.25)
    assert hinge.state_at(1.0)[1] == pytest.approx(0.25, abs=1e-4)
    assert hinge.state_at(4.0)[0] == pytest.approx(0.5, abs=1e-4)


def test_an_infinite_position_and_a_velocity_are_velocity_control():
    hinge = Hinge(target_position=math.inf, target_velocity=-0.25)
    assert hinge.state_at(1.0)[1] == pytest.approx(-0.25, abs=1e-4)


def test_nan_for_a_velocity_leaves_the_motor_where_it_is():
    hinge = Hinge(target_velocity=math.nan)
    assert abs(hinge.state_at(1.0)).max() < 1e-9


def test_direct_effort_wins_over_a_velocity():
    # 0.1 N m on 0.0202 + 0.25^2 kg m^2 about the hinge.
    hinge = Hinge(target_velocity=0.7, direct_effort=0.1)
    speed = 0.1 / (0.0202 + 0.25**2) * 0.5
    assert hinge.state_at(0.5)[1] == pytest.approx(speed, rel=0.02)


@pytest.mark.parametrize(
    ("ports", "motor", "told"),
    [
        (
            ["target_velocity"],
            {"max_velocity": 0.5},
            "m: requested velocity",
        ),
        (
            ["target_position"],
            {"min_position": -0.1, "max_position": 0.1},
            "m: requested position",
        ),
    ],
)
def test_what_is_clipped_again_and_again_is_told_once(ports, motor, told):
    sines = {name: Sine(1.0, 3.0, 0.0, 1) for name in ports}
    hinge = Hinge(RotationalMotor(joint="hinge", **motor), **sines)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        hinge.state_at(3.0)
    (warning,) = shown
    assert str(warning.message).startswith(told)
