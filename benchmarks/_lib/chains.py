"""The mechanism of the benchmarks: hanging chains of links, and ways to drive them."""

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    PdControllerGains,
    RevoluteJoint,
    SpatialInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake import (
    ApplyDriverConfig,
    ApplyDriverConfigToMany,
    RotationalMotor,
    TimedCommand,
    WebotsMotorDriver,
)

TIME_STEP = 0.001
TARGET = 0.3
MAX_TORQUE = 50.0


def chains(
    builder: DiagramBuilder,
    links: int,
    robots: int,
    *,
    sampled: bool,
    max_torque: float = MAX_TORQUE,
) -> tuple[MultibodyPlant, list[str]]:
    """Adds a plant of `robots` chains, not finalized.

    Returns:
        The plant and the names of its models.
    """
    plant = MultibodyPlant(TIME_STEP)
    plant.SetUseSampledOutputPorts(sampled)
    builder.AddSystem(plant)
    names = [f"chain{i}" for i in range(robots)]
    for name in names:
        add_chain(plant, links, name, max_torque)
    return plant, names


def add_chain(
    plant: MultibodyPlant, links: int, name: str, max_torque: float
) -> None:
    """Adds a chain with links of 1 kg and 0.3 m to a plant."""
    instance = plant.AddModelInstance(name)
    inertia = SpatialInertia.SolidBoxWithMass(1.0, 0.05, 0.05, 0.3)
    inertia = inertia.Shift([0.0, 0.0, 0.15])
    parent = plant.world_frame()
    for i in range(links):
        body = plant.AddRigidBody(f"link{i}", instance, inertia)
        joint = plant.AddJoint(
            RevoluteJoint(f"joint{i}", parent, body.body_frame(), [0, 1, 0])
        )
        plant.AddJointActuator(f"actuator{i}", joint, max_torque)
        parent = plant.AddFrame(
            FixedOffsetFrame(
                f"end{i}",
                body.body_frame(),
                RigidTransform(np.array([0.0, 0.0, -0.3])),
                instance,
            )
        )


def bare(links: int, robots: int = 1, *, sampled: bool) -> Simulator:
    """The plant alone, its actuation 0."""
    builder = DiagramBuilder()
    plant, _ = chains(builder, links, robots, sampled=sampled)
    plant.Finalize()
    return started(builder)


def drake_pd(links: int, robots: int = 1, *, sampled: bool) -> Simulator:
    """Drake's own PD actuators, in C++, told the targets of the motors."""
    builder = DiagramBuilder()
    plant, names = chains(builder, links, robots, sampled=sampled)
    for index in plant.GetJointActuatorIndices():
        plant.get_joint_actuator(index).set_controller_gains(
            PdControllerGains(p=1e6, d=1e5)
        )
    plant.Finalize()
    targets = builder.AddSystem(
        ConstantVectorSource(np.r_[np.full(links, TARGET), np.zeros(links)])
    )
    for name in names:
        instance = plant.GetModelInstanceByName(name)
        builder.Connect(
            targets.get_output_port(),
            plant.get_desired_state_input_port(instance),
        )
    return started(builder)


def motors(
    links: int,
    robots: int = 1,
    *,
    sampled: bool,
    shared: bool = True,
    **driver,
) -> Simulator:
    """Webots motors; several robots share one system, or have one each."""
    builder = DiagramBuilder()
    plant, names = chains(builder, links, robots, sampled=sampled)
    plant.Finalize()
    config = driver_of(links, **driver)
    if shared and robots > 1:
        ApplyDriverConfigToMany(config, names, plant, builder)
    else:
        for name in names:
            ApplyDriverConfig(config, name, plant, builder=builder)
    return started(builder)


def driver_of(
    links: int, *, max_torque: float = MAX_TORQUE, **driver
) -> WebotsMotorDriver:
    """Returns motors for a chain, all commanded to TARGET."""
    names = [f"motor{i}" for i in range(links)]
    return WebotsMotorDriver(
        motors={
            name: RotationalMotor(joint=f"joint{i}", max_torque=max_torque)
            for i, name in enumerate(names)
        },
        commands=[
            TimedCommand(motor=name, set_position=TARGET) for name in names
        ],
        **driver,
    )


def started(builder: DiagramBuilder) -> Simulator:
    """Returns a simulator of the diagram, initialized."""
    simulator = Simulator(builder.Build())
    simulator.Initialize()
    return simulator
