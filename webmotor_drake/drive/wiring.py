"""The wires between a plant and the motors of its models."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import DiagramBuilder, InputPort, OutputPort
from pydrake.systems.primitives import Multiplexer, PortSwitch, ZeroOrderHold

from webmotor_drake.drive.actuation_port import actuation_port, others_port
from webmotor_drake.drive.builder_hooks import feed, when_built
from webmotor_drake.drive.force_ports import declare_forces, is_acted_on
from webmotor_drake.drive.implicit_motors import ImplicitMotors
from webmotor_drake.drive.joint_wrenches import JointWrenches
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_port import (
    declare_plant_port,
    declare_plant_vector,
)
from webmotor_drake.drive.torque_motors import TorqueMotors
from webmotor_drake.errors import below


def connect(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    motors: MotorSystem,
) -> None:
    """Connects `motors` to the plant, and to other forces on it.

    Args:
        builder: the diagram.
        plant: the plant.
        instance: the model; None: the motors of several models.
        motors: the system.
    """
    actuation = actuation_port(builder, plant, instance, motors)
    builder.Connect(
        plant.get_state_output_port(), motors.get_plant_state_input_port()
    )
    if motors.HasInputPort("generalized_acceleration"):
        builder.Connect(
            plant.get_generalized_acceleration_output_port(),
            motors.GetInputPort("generalized_acceleration"),
        )
    if isinstance(motors, TorqueMotors):
        _connect_torque(builder, plant, instance, motors, actuation)
        return
    feed(builder, motors, motors.get_actuation_output_port(), actuation)
    if isinstance(motors, ImplicitMotors):
        _connect_implicit(builder, plant, instance, motors)


def _connect_torque(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    motors: TorqueMotors,
    actuation: InputPort,
) -> None:
    """Shows the motors the forces on the plant, and its Context's parameters."""
    name, others = motors.get_name(), others_port(plant, instance, actuation)
    builder.Connect(
        declare_plant_port(
            plant, f"{name}.plant_parameters", motors.drives.read
        ),
        motors.GetInputPort("plant_parameters"),
    )
    builder.Connect(
        declare_forces(plant, f"{name}.applied_forces", others),
        motors.GetInputPort("applied_forces"),
    )
    feed(builder, motors, motors.get_actuation_output_port(), actuation)
    if plant.time_step() == 0:  # no step to be late for
        return

    def see_forces() -> bool:
        # To hold what a plant without sampled ports has applied costs 5 % of a step: it
        # is done where forces act.
        acts = plant.has_sampled_output_ports() or is_acted_on(
            builder, plant, others
        )
        if acts:
            _compute_on_demand(builder, plant, instance, motors, actuation)
        return acts

    if not see_forces():  # they may come later
        when_built(builder, see_forces)


def _compute_on_demand(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    motors: TorqueMotors,
    actuation: InputPort,
) -> None:
    """Makes the plant's actuation computed on demand, if forces act on it."""
    builder.Disconnect(motors.get_actuation_output_port(), actuation)
    motors.declare_actuation_on_demand()
    builder.Connect(
        _last_net_actuation(builder, plant, instance, motors),
        motors.GetInputPort("net_actuation"),
    )
    ports = "actuation", "actuation_on_demand"
    feed(builder, motors, _due_of(builder, motors, *ports), actuation)


def _connect_implicit(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    motors: ImplicitMotors,
) -> None:
    """Connects the desired state and the net actuation."""
    ports = "desired_state_within_limits", "desired_state"
    desired_state = plant.get_desired_state_input_port(instance)
    feed(builder, motors, _due_of(builder, motors, *ports), desired_state)
    net = _last_net_actuation(builder, plant, instance, motors)
    both = builder.AddSystem(Multiplexer([net.size(), 1]))
    both.set_name(f"{motors.get_name()}.net_actuation")
    builder.Connect(net, both.get_input_port(0))
    watch = f"{motors.get_name()}.plant_parameters"
    look = motors.look_at_plant
    looked = declare_plant_vector(plant, watch, 1, look, with_state=False)
    builder.Connect(looked, both.get_input_port(1))
    builder.Connect(
        both.get_output_port(), motors.GetInputPort("net_actuation")
    )
    if motors.loads is not None:
        name, loads = f"{motors.get_name()}.joint_equations", motors.loads
        equations = declare_plant_vector(
            plant, name, loads.size, loads.equations, with_state=True
        )
        builder.Connect(equations, motors.GetInputPort("joint_equations"))


def _due_of(
    builder: DiagramBuilder, motors: MotorSystem, *names: str
) -> OutputPort:
    """Returns the one of the ports that is due; `port_selector` tells which.

    The plant asks for the desired state twice per step, the switch only once: it
    caches.
    """
    ports = [motors.GetOutputPort(name) for name in names]
    switch = builder.AddSystem(PortSwitch(ports[0].size()))
    switch.set_name(f"{motors.get_name()}.due")
    builder.Connect(
        motors.GetOutputPort("port_selector"),
        switch.get_port_selector_input_port(),
    )
    for port in ports:
        builder.Connect(port, switch.DeclareInputPort(port.get_name()))
    return switch.get_output_port()


def add_wrenches(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    model: str,
    motors: MotorSystem,
) -> None:
    """Adds the reaction wrenches of the motors' joints, in device order."""
    joints = [driven.joint for driven in motors.model.driven]
    with below("reaction_forces"):
        wrenches = JointWrenches(plant, joints)
    wrenches.set_name(f"{model}.joint_wrenches")
    builder.AddSystem(wrenches)
    builder.Connect(
        plant.get_reaction_forces_output_port(),
        wrenches.get_reaction_forces_input_port(),
    )


def _last_net_actuation(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex | None,
    motors: MotorSystem,
) -> OutputPort:
    """Returns the port of the actuators' efforts in the last plant step.

    A plant without sampled ports reports the step to come: it is held back.
    """
    given = () if instance is None else (instance,)  # of all models
    port = plant.get_net_actuation_output_port(*given)
    if plant.has_sampled_output_ports():
        return port
    hold = builder.AddSystem(ZeroOrderHold(plant.time_step(), port.size()))
    hold.set_name(f"{motors.get_name()}.last_net_actuation")
    builder.Connect(port, hold.get_input_port())
    return hold.get_output_port()
