"""The wires between a plant and the motors of its models.

A model has one actuation port. If motors drive only some of its actuators, or the port
is exported, they leave it to its owner and feed the plant's port for all models. Drake
adds up both.
"""

import numpy as np
from pydrake.multibody.tree import JointActuator
from pydrake.systems.framework import DiagramBuilder, InputPort, OutputPort
from pydrake.systems.primitives import (
    Adder,
    MatrixGain,
    Multiplexer,
    PortSwitch,
    ZeroOrderHold,
)

from webmotor_drake.drive.builder_hooks import feed, is_fed, summed, when_built
from webmotor_drake.drive.force_ports import declare_forces, is_acted_on
from webmotor_drake.drive.implicit_motors import ImplicitMotors
from webmotor_drake.drive.joint_wrenches import JointWrenches
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_port import declare_plant_port
from webmotor_drake.drive.torque_motors import TorqueMotors
from webmotor_drake.errors import InputError, below


def connect(builder: DiagramBuilder, motors: MotorSystem) -> None:
    """Connects `motors` to their plant, and to other forces on it."""
    plant, actuation = motors.model.plant, _actuation_port(builder, motors)
    builder.Connect(
        plant.get_state_output_port(), motors.get_plant_state_input_port()
    )
    if isinstance(motors, TorqueMotors):
        _connect_torque(builder, motors, actuation)
        return
    feed(builder, motors, motors.get_actuation_output_port(), actuation)
    if isinstance(motors, ImplicitMotors):
        _connect_implicit(builder, motors)


def _connect_torque(
    builder: DiagramBuilder, motors: TorqueMotors, actuation: InputPort
) -> None:
    """Shows the motors the forces on the plant, and its Context's parameters."""
    plant, name = motors.model.plant, motors.get_name()
    others, actuators = _others(motors, actuation)
    builder.Connect(
        declare_plant_port(
            plant, f"{name}.plant_parameters", motors.usual.for_context
        ),
        motors.GetInputPort("plant_parameters"),
    )
    builder.Connect(
        declare_forces(plant, f"{name}.applied_forces", others, actuators),
        motors.GetInputPort("applied_forces"),
    )
    feed(builder, motors, motors.get_actuation_output_port(), actuation)
    if plant.time_step() == 0:  # no step to be late for
        builder.Connect(
            plant.get_generalized_acceleration_output_port(),
            motors.GetInputPort("generalized_acceleration"),
        )
        return

    def see_forces() -> bool:
        # Holding the efforts of a plant without sampled ports costs 5 % of a step, so
        # it is done only if forces act.
        acts = plant.has_sampled_output_ports() or is_acted_on(
            builder, plant, others
        )
        if acts:
            _compute_on_demand(builder, motors, actuation)
        return acts

    if not see_forces():  # they may come later
        when_built(builder, see_forces)


def _compute_on_demand(
    builder: DiagramBuilder, motors: TorqueMotors, actuation: InputPort
) -> None:
    """Makes the plant's actuation computed on demand, if forces act on it."""
    builder.Disconnect(motors.get_actuation_output_port(), actuation)
    motors.declare_actuation_on_demand()
    builder.Connect(
        _last_net_actuation(builder, motors),
        motors.GetInputPort("net_actuation"),
    )
    ports = "actuation", "actuation_on_demand"
    feed(builder, motors, _due_of(builder, motors, *ports), actuation)


def _connect_implicit(builder: DiagramBuilder, motors: ImplicitMotors) -> None:
    """Connects the desired state and the net actuation."""
    ports = "desired_state_within_limits", "desired_state"
    plant = motors.model.plant
    desired_state = plant.get_desired_state_input_port(motors.model.instance)
    feed(builder, motors, _due_of(builder, motors, *ports), desired_state)
    net = _last_net_actuation(builder, motors)
    both = builder.AddSystem(Multiplexer([net.size(), 1]))
    both.set_name(f"{motors.get_name()}.net_actuation")
    builder.Connect(net, both.get_input_port(0))
    watch = f"{motors.get_name()}.plant_parameters"
    looked = declare_plant_port(plant, watch, motors.look_at_plant, size=1)
    builder.Connect(looked, both.get_input_port(1))
    builder.Connect(
        both.get_output_port(), motors.GetInputPort("net_actuation")
    )
    if motors.loads is not None:
        name, loads = f"{motors.get_name()}.joint_equations", motors.loads
        tickets = {plant.all_parameters_ticket(), plant.xd_ticket()}
        equations = declare_plant_port(
            plant, name, loads.equations, tickets, size=loads.size
        )
        builder.Connect(equations, motors.GetInputPort("joint_equations"))


def _due_of(
    builder: DiagramBuilder, motors: MotorSystem, *names: str
) -> OutputPort:
    """Returns the output of a switch between the ports, set by `port_selector`.

    The plant asks for the desired state twice per step; the switch caches it.
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
    builder: DiagramBuilder, model: str, motors: MotorSystem
) -> None:
    """Adds the reaction wrenches of the motors' joints, in device order."""
    plant = motors.model.plant
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
    builder: DiagramBuilder, motors: MotorSystem
) -> OutputPort:
    """Returns the port of the actuators' efforts in the last plant step."""
    plant, instance = motors.model.plant, motors.model.instance
    given = () if instance is None else (instance,)  # of all models
    port = plant.get_net_actuation_output_port(*given)
    if plant.has_sampled_output_ports():
        return port
    # Ports that are not sampled report the step to come.
    hold = builder.AddSystem(ZeroOrderHold(plant.time_step(), port.size()))
    hold.set_name(f"{motors.get_name()}.last_net_actuation")
    builder.Connect(port, hold.get_input_port())
    return hold.get_output_port()


def _actuation_port(builder: DiagramBuilder, motors: MotorSystem) -> InputPort:
    """Returns the input port for a motor system's efforts; refuses one that is fed."""
    plant, instance = motors.model.plant, motors.model.instance
    if instance is None:
        port = plant.get_actuation_input_port()
        if builder.IsConnectedOrExported(port):
            raise InputError("the plant's actuation is connected already")
        return port
    port = plant.get_actuation_input_port(instance)
    free = not builder.IsConnectedOrExported(port)
    whole = plant.get_actuation_input_port()
    somebodys = builder.IsConnectedOrExported(whole) and not is_fed(
        builder, whole
    )
    some = not somebodys and _drives_some(motors)
    if free and not some:
        return port
    if _is_exported(builder, whole) or not (
        some or _is_exported(builder, port)
    ):
        raise InputError("the model's actuation is connected already")
    return _among_all(builder, motors)


def _others(
    motors: MotorSystem, own: InputPort
) -> tuple[InputPort | None, list[JointActuator]]:
    """Returns the port by which others act on the model, if any, and its actuators."""
    plant, instance = motors.model.plant, motors.model.instance
    if instance is None:
        return None, []
    if own.get_system() is not plant:
        return plant.get_actuation_input_port(instance), motors.model.actuators
    indices = plant.GetJointActuatorIndices()
    every = list(map(plant.get_joint_actuator, indices))
    return plant.get_actuation_input_port(), every


def _is_exported(builder: DiagramBuilder, port: InputPort) -> bool:
    place = port.get_system(), port.get_index()
    taken = builder.IsConnectedOrExported(port)
    return taken and place not in builder.connection_map()


def _drives_some(motors: MotorSystem) -> bool:
    """Returns whether there are actuators that the motors leave to others."""
    driven = {actuator.joint().index() for actuator in motors.model.acting}
    joints = {a.joint().index() for a in motors.model.actuators}
    return bool(driven and joints - driven)


def _among_all(builder: DiagramBuilder, motors: MotorSystem) -> InputPort:
    """Returns a port for a model's efforts, wired to the plant's for all models."""
    plant = motors.model.plant
    places = [actuator.input_start() for actuator in motors.model.actuators]
    selection = np.eye(plant.num_actuated_dofs())[:, places]
    gain = builder.AddSystem(MatrixGain(selection))
    gain.set_name(f"{motors.get_name()}.actuation")
    port = plant.get_actuation_input_port()
    both = Adder(2, port.size())
    both.set_name(f"{gain.get_name()}_and_others")
    feed(
        builder,
        motors,
        summed(builder, gain.get_output_port(), port, both),
        port,
    )
    return gain.get_input_port()
