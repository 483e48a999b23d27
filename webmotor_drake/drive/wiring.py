"""The wires between a plant and the motors of its models."""

import functools

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import DiagramBuilder, OutputPort
from pydrake.systems.primitives import Multiplexer, PortSwitch, ZeroOrderHold

from webmotor_drake.drive.implicit_motors import ImplicitMotors
from webmotor_drake.drive.joint_wrenches import JointWrenches
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_port import (
    declare_plant_port,
    declare_plant_watch,
)
from webmotor_drake.drive.torque_motors import TorqueMotors
from webmotor_drake.drive.when_built import when_built
from webmotor_drake.errors import InputError


def connect(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    motors: MotorSystem,
) -> None:
    """Connects `motors` to the plant, and to what else acts on it.

    Args:
        builder: the diagram.
        plant: the plant.
        instance: the model; None: the motors are those of many.
        motors: the system.
    """
    actuation = plant.get_actuation_input_port(*_given(instance))
    if builder.IsConnectedOrExported(actuation):
        raise InputError("the model's actuation is connected already")
    builder.Connect(motors.get_actuation_output_port(), actuation)
    builder.Connect(
        plant.get_state_output_port(), motors.get_plant_state_input_port()
    )
    watch = f"{motors.get_name()}.plant_parameters"
    if motors.HasInputPort("generalized_acceleration"):
        builder.Connect(
            plant.get_generalized_acceleration_output_port(),
            motors.GetInputPort("generalized_acceleration"),
        )
    if isinstance(motors, TorqueMotors):
        builder.Connect(
            declare_plant_port(plant, watch, motors.read_plant),
            motors.GetInputPort("plant_parameters"),
        )
        when_built(
            builder,
            functools.partial(_see_forces, builder, plant, instance, motors),
        )
        return
    if not isinstance(motors, ImplicitMotors):
        return
    switch = _add_switch(builder, motors)
    switch.set_name(f"{plant.GetModelInstanceName(instance)}.desired_state")
    builder.Connect(
        switch.get_output_port(), plant.get_desired_state_input_port(instance)
    )
    net = _last_net_actuation(builder, plant, instance)
    both = builder.AddSystem(Multiplexer([net.size(), 1]))
    both.set_name(f"{motors.get_name()}.net_actuation")
    builder.Connect(net, both.get_input_port(0))
    builder.Connect(
        declare_plant_watch(plant, watch, motors.look_at_plant),
        both.get_input_port(1),
    )
    builder.Connect(
        both.get_output_port(), motors.GetInputPort("net_actuation")
    )


def _add_switch(builder: DiagramBuilder, motors: MotorSystem) -> PortSwitch:
    """Adds what takes the desired state from the port that is due.

    The plant asks for it twice per step, the switch only once: it caches.
    """
    size = motors.get_desired_state_output_port().size()
    switch = builder.AddSystem(PortSwitch(size))
    builder.Connect(
        motors.GetOutputPort("port_selector"),
        switch.get_port_selector_input_port(),
    )
    for name in ("desired_state_within_limits", "desired_state"):
        builder.Connect(
            motors.GetOutputPort(name), switch.DeclareInputPort(name)
        )
    return switch


def _see_forces(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    motors: TorqueMotors,
) -> None:
    """Connects what acts on the plant, connected there or exported, to `motors`."""
    ports = [
        port
        for port in (
            plant.get_applied_generalized_force_input_port(),
            plant.get_applied_spatial_force_input_port(),
        )
        if builder.IsConnectedOrExported(port)
    ]
    if not ports or motors.HasInputPort(ports[0].get_name()):
        return
    held = motors.get_actuation_output_port()
    motors.see_forces()
    for port in ports:
        builder.ConnectToSame(port, motors.GetInputPort(port.get_name()))
    if motors.HasInputPort("net_actuation"):
        actuation = plant.get_actuation_input_port(*_given(instance))
        builder.Disconnect(held, actuation)
        builder.Connect(motors.get_actuation_output_port(), actuation)
        builder.Connect(
            _last_net_actuation(builder, plant, instance),
            motors.GetInputPort("net_actuation"),
        )


def add_wrenches(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    model: str,
    motors: MotorSystem,
) -> None:
    """Adds the reaction wrenches of the motors' joints, in device order."""
    joints = [driven.joint for driven in motors.model.driven]
    try:
        wrenches = JointWrenches(plant, joints)
    except InputError as error:
        raise error.below("reaction_forces") from None
    wrenches.set_name(f"{model}.joint_wrenches")
    builder.AddSystem(wrenches)
    builder.Connect(
        plant.get_reaction_forces_output_port(),
        wrenches.get_reaction_forces_input_port(),
    )


def _given(instance: ModelInstanceIndex | None) -> tuple:
    """Returns the argument for the plant's ports; those for all models have none."""
    return () if instance is None else (instance,)


def _last_net_actuation(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
) -> OutputPort:
    """Returns what the actuators applied in the last plant step.

    A plant without sampled ports reports the step to come: it is held back.
    """
    port = plant.get_net_actuation_output_port(*_given(instance))
    if plant.has_sampled_output_ports():
        return port
    hold = builder.AddSystem(ZeroOrderHold(plant.time_step(), port.size()))
    name = plant.GetModelInstanceName(instance) if instance else "motors"
    hold.set_name(f"{name}.last_net_actuation")
    builder.Connect(port, hold.get_input_port())
    return hold.get_output_port()
