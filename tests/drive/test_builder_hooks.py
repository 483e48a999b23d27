"""What comes into a diagram with motors goes with them; two plants share it."""

import numpy as np
import pytest
from _lib.plants import MODEL, new_plant
from mechanisms import chain
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.builder_hooks import when_built
from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Propeller
from webmotor_drake.nodes.motors import RotationalMotor

STEP = 0.002


def driver(drive: str, **fields) -> WebotsMotorDriver:
    return WebotsMotorDriver(
        drive=drive,
        motors={"m": RotationalMotor("joint0", max_torque=200.0)},
        commands=[TimedCommand(motor="m", set_position=0.3)],
        **fields,
    )


def arm(
    builder: DiagramBuilder, config: WebotsMotorDriver, name: str = "plant"
):
    """Adds a random arm that is ready for its motors."""
    plant = chain(
        STEP,
        1,
        np.random.default_rng(4),
    )
    plant.set_name(name)
    builder.AddSystem(plant)
    plant.GetJointActuatorByName("joint0").set_effort_limit(7.0)
    configure_actuators(config, MODEL, plant)
    plant.Finalize()
    return plant


def positions(builder: DiagramBuilder, *plants) -> list[float]:
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(0.5)
    root = simulator.get_context()
    return [
        plant.GetPositions(plant.GetMyContextFromRoot(root))[0]
        for plant in plants
    ]


@pytest.mark.filterwarnings("ignore:.*above the model")
@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_motors_that_are_removed_leave_nothing_behind(drive):
    config = driver(drive, reaction_forces=True)
    builder = DiagramBuilder()
    plant = arm(builder, config)
    systems = len(builder.GetSystems())
    motors = ApplyDriverConfig(config, MODEL, plant, builder=builder)
    assert len(builder.GetSystems()) > systems + 1
    builder.RemoveSystem(motors)
    assert len(builder.GetSystems()) == systems
    actuator = plant.GetJointActuatorByName("joint0")
    assert actuator.effort_limit() == 7.0
    assert not actuator.has_controller()
    # They can come back.
    again = ApplyDriverConfig(config, MODEL, plant, builder=builder)
    assert again.get_name() == f"{MODEL}.motors"
    (found,) = positions(builder, plant)
    assert found == pytest.approx(0.3, abs=0.05)  # on its way


def test_forces_of_others_stay_when_a_propeller_is_removed():
    config = driver(
        "torque",
        propellers={"shaft": Propeller(thrust_constants=[1e-4, 0])},
    )
    config.motors["turns"] = RotationalMotor("shaft", max_velocity=100)
    others = driver(
        "torque",
        propellers={"other": Propeller(thrust_constants=[1e-4, 0])},
    )
    others.motors["other"] = RotationalMotor("other", max_velocity=100)
    builder = DiagramBuilder()
    plant = new_plant(STEP)
    builder.AddSystem(plant)
    from _lib.plants import add_body, add_joint

    names = MODEL, "second"
    plant.AddModelInstance("second")
    for name in names:
        add_joint(plant, "joint0", add_body(plant, name, model=name))
    for name, given in zip(names, (others, config), strict=True):
        configure_actuators(given, name, plant)
    plant.Finalize()
    for name, given in zip(names, (others, config), strict=True):
        motors = ApplyDriverConfig(given, name, plant, builder=builder)
    builder.RemoveSystem(motors)
    port = plant.get_applied_spatial_force_input_port()
    source, _ = builder.connection_map()[plant, port.get_index()]
    assert source.get_name() == f"{MODEL}.propellers"


@pytest.mark.filterwarnings("ignore:.*above the model")
@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_two_plants_with_models_of_one_name_are_driven(drive):
    builder = DiagramBuilder()
    config = driver(drive)
    plants = [arm(builder, config, name) for name in ("left", "right")]
    names = [
        ApplyDriverConfig(config, MODEL, plant, builder=builder).get_name()
        for plant in plants
    ]
    assert names == [f"{MODEL}.motors", f"right.{MODEL}.motors"]
    left, right = positions(builder, *plants)
    assert left == right


def test_a_look_happens_once_and_the_last_one_first():
    builder, seen = DiagramBuilder(), []
    builder.AddSystem(new_plant(STEP)).Finalize()
    looks = [when_built(builder, lambda i=i: seen.append(i)) for i in range(3)]
    looks[1]()
    builder.Build()
    looks[0]()
    assert seen == [1, 2, 0]
