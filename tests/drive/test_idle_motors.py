"""Models without motors: passive joints, brakes, sensors, or nothing to drive."""

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

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake, JointParameters, PositionSensor

STEP, START = 0.001, 0.5
DRIVES = "torque", "implicit", "auto"
# About the hinge: the body's own, and 1 kg at 0.25 m.
INERTIA = 0.0202 + 0.25**2


def hinge(gravity: float = 0.0, time_step: float = STEP) -> MultibodyPlant:
    plant = new_plant(time_step, gravity=gravity)
    joint = add_joint(plant, "hinge", add_body(plant, "link"))
    joint.set_default_positions([START])
    return plant


def angle_after(time: float, plant: MultibodyPlant, **fields) -> float:
    """Returns the hinge's angle; `fields` are the driver's."""
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    driver = WebotsMotorDriver(basic_time_step=STEP, **fields)
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(time)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    return float(plant.GetPositions(context)[0])


@pytest.mark.parametrize("drive", DRIVES)
def test_a_spring_and_damper_without_motor_swing_as_in_the_textbook(drive):
    spring, damper, time = 4.0, 0.05, 0.7
    angle = angle_after(
        time,
        hinge(),
        drive=drive,
        joints={
            "hinge": JointParameters(
                spring_constant=spring, damping_constant=damper
            )
        },
    )
    decay = damper / (2 * INERTIA)
    frequency = math.sqrt(spring / INERTIA - decay**2)
    wanted = (
        START
        * math.exp(-decay * time)
        * (
            math.cos(frequency * time)
            + decay / frequency * math.sin(frequency * time)
        )
    )
    # Implicit Euler damps by h k / 2 more: exp(-h w^2 t / 2) of 1.
    lost = 1 - math.exp(-STEP * frequency**2 * time / 2)
    assert angle == pytest.approx(wanted, abs=START * lost)


@pytest.mark.parametrize("drive", DRIVES)
def test_a_brake_without_motor_holds(drive):
    free = angle_after(0.3, hinge(gravity=9.81), drive=drive, **braked(0.0))
    held = angle_after(0.3, hinge(gravity=9.81), drive=drive, **braked(1e4))
    assert free < 0.4
    # 1.2 N m over 1e4 N m s/rad: 4e-5 rad in 0.3 s.
    assert held == pytest.approx(START, abs=1e-4)


def braked(constant: float) -> dict:
    command = TimedCommand(brake="b", set_damping_constant=constant)
    return {"brakes": {"b": Brake(joint="hinge")}, "commands": [command]}


@pytest.mark.filterwarnings("ignore:joint hinge")  # no stops if continuous
@pytest.mark.parametrize(
    ("drive", "time_step"),
    # The implicit drive is not for continuous plants.
    [(drive, STEP) for drive in DRIVES] + [("torque", 0.0)],
)
@pytest.mark.parametrize(
    "fields",
    [
        {"position_sensors": {"s": PositionSensor(joint="hinge")}},
        {"joints": {"hinge": JointParameters(min_stop=-9, max_stop=9)}},
        {"joints": {"hinge": JointParameters()}},
    ],
    ids=["sensor", "stops", "nothing"],
)
def test_what_drives_nothing_leaves_the_plant_alone(time_step, drive, fields):
    bare = hinge(gravity=9.81, time_step=time_step)
    if "joints" in fields and fields["joints"]["hinge"].has_stops:
        bare.GetJointByName("hinge").set_position_limits([-9], [9])
    bare.Finalize()
    simulator = Simulator(bare)
    simulator.AdvanceTo(0.3)
    wanted = bare.GetPositions(simulator.get_context())[0]
    found = angle_after(
        0.3, hinge(gravity=9.81, time_step=time_step), drive=drive, **fields
    )
    # A continuous plant's integrator takes other steps.
    assert found == pytest.approx(wanted, abs=1e-12 if time_step else 1e-6)


def test_a_battery_without_motors_feeds_the_computer():
    plant, builder = hinge(), DiagramBuilder()
    builder.AddSystem(plant)
    plant.Finalize()
    driver = WebotsMotorDriver(
        position_sensors={"s": PositionSensor(joint="hinge")},
        battery=[100.0, 200.0, 0.0],
        cpu_consumption=5.0,
    )
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(2.0)
    context = motors.GetMyContextFromRoot(simulator.get_context())
    energy = motors.GetOutputPort("battery").Eval(context)[0]
    # 5 W for 2 s.
    assert energy == pytest.approx(90.0, abs=1e-9)
    assert np.size(motors.get_effort_output_port().Eval(context)) == 0


def test_a_sensor_of_a_joint_that_does_not_exist_is_refused():
    driver = WebotsMotorDriver(
        position_sensors={"s": PositionSensor(joint="henge")}
    )
    with pytest.raises(InputError, match="unknown revolute or prismatic"):
        configure_actuators(driver, MODEL, hinge())


def test_so_is_one_whose_driver_comes_after_finalize():
    """A model of sensors alone needs no preparation, so that nobody has looked."""
    driver = WebotsMotorDriver(
        position_sensors={"s": PositionSensor(joint="henge")}
    )
    builder, plant = DiagramBuilder(), hinge()
    plant.Finalize()
    builder.AddSystem(plant)
    with pytest.raises(InputError, match="unknown revolute or prismatic"):
        ApplyDriverConfig(driver, MODEL, plant, builder=builder)
