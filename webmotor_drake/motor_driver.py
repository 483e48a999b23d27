"""Webots motors as a driver of Drake's hardware_sim.

`WebotsMotorDriver` goes into a scenario's `model_drivers`; Drake's
ApplyDriverConfigs finds `ApplyDriverConfig` here, in the module of the config.
"""

import dataclasses as dc
import math
import typing

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import DiagramBuilder, OutputPort
from pydrake.systems.primitives import Gain, ZeroOrderHold

from webmotor_drake.commands import TimedCommand, check_command, schedule
from webmotor_drake.drive_choice import DRIVES, choose_drive
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.implicit_motors import (
    ImplicitMotors,
    add_servo,
    companion_name,
)
from webmotor_drake.motor_joints import (
    ModelMotors,
    configure_plant,
    find_actuators,
    find_joint,
    resolve,
)
from webmotor_drake.motor_system import MotorSystem
from webmotor_drake.nodes import (
    JointParameters,
    LinearMotor,
    RotationalMotor,
    check_motor,
    check_numbers,
    warn,
)
from webmotor_drake.torque_motors import TorqueMotors


@dc.dataclass
class WebotsMotorDriver:
    """The motors of a model instance, as Webots describes them."""

    # Period of the motor law, a multiple of the plant's time step, s (Webots'
    # WorldInfo.basicTimeStep). None: the plant's time step.
    basic_time_step: typing.Optional[float] = None  # noqa: UP045
    # What turns velocity commands into effort: "torque" (exact where nothing
    # touches the driven bodies), "implicit" (solved with contacts) or "auto".
    drive: str = "auto"
    # Softness of the velocity servos, rad/s/(N m) or m/s/N (WorldInfo.CFM).
    cfm: float = 1e-5
    # The motors by name; their order is Webots' device order.
    motors: dict[str, typing.Union[RotationalMotor, LinearMotor]] = dc.field(  # noqa: UP007
        default_factory=dict
    )
    # Stops, springs, dampers and friction by the name of the joint.
    joints: dict[str, JointParameters] = dc.field(default_factory=dict)
    # What to command, when.
    commands: list[TimedCommand] = dc.field(default_factory=list)


def check_driver(driver_config: WebotsMotorDriver, time_step: float) -> None:
    """Checks all that needs no model.

    Args:
        driver_config: the motors.
        time_step: the plant's time step, s; 0: a continuous plant.

    Raises:
        InputError: the first value that cannot be used, with its path.
    """
    config = driver_config
    motor_period(config, time_step)
    if config.drive not in DRIVES:
        raise InputError(
            unknown_name("drive", config.drive, DRIVES), path=("drive",)
        )
    if not 0 <= config.cfm < math.inf:
        raise InputError(
            f"{config.cfm} is not allowed; a number from 0 on is",
            path=("cfm",),
        )
    if not config.motors and not config.joints:
        raise InputError("there are no motors", path=("motors",))
    for section, check in (("motors", check_motor), ("joints", check_numbers)):
        for name, node in getattr(config, section).items():
            _below(check, node, path=(section, name))
    names = list(config.motors)
    for i, command in enumerate(config.commands):
        _below(check_command, command, names, path=("commands", i))


def _below(check: typing.Callable, *args: object, path: tuple) -> None:
    """Calls `check`, its errors seen from `path` up."""
    try:
        check(*args)
    except InputError as error:
        raise error.below(*path) from None


def motor_period(driver_config: WebotsMotorDriver, time_step: float) -> float:
    """Returns the period of the motor law, s.

    Raises:
        InputError: it is not a multiple of the plant's `time_step`.
    """
    period = driver_config.basic_time_step
    path = ("basic_time_step",)
    if period is None and time_step == 0:
        raise InputError(
            "a continuous plant (time_step 0) has no step to take it from;"
            " give the motor period in seconds",
            path=path,
        )
    if period is None:
        return time_step
    if not 0 < period < math.inf:
        raise InputError(
            f"{period} s is not allowed; a time above 0 is", path=path
        )
    if time_step:
        ratio = period / time_step
        if round(ratio) < 1 or abs(ratio - round(ratio)) > 1e-9 * ratio:
            raise InputError(
                f"{period:g} s is not a multiple of the plant's time_step"
                f" {time_step:g} s; one such as"
                f" {max(round(ratio), 1) * time_step:g} s is allowed",
                path=path,
            )
    return period


def configure_actuators(
    driver_config: WebotsMotorDriver,
    model_instance_name: str,
    sim_plant: MultibodyPlant,
) -> None:
    """Prepares the model for its motors; call it before the plant's Finalize.

    Adds an actuator to each joint that has a spring, a damper or friction but
    no actuator, and for the implicit drive a companion to each actuator. Models
    with the torque drive and without such joints don't need the call.

    Raises:
        InputError: a joint that does not exist, or a drive that cannot be.
    """
    instance = model_instance(sim_plant, model_instance_name)
    actuators = find_actuators(sim_plant, instance)
    driven = {
        motor.joint: find_joint(
            sim_plant, instance, motor.joint, path=("motors", name, "joint")
        )
        for name, motor in driver_config.motors.items()
    }
    acting = driven.copy()
    for name, parameters in driver_config.joints.items():
        joint = find_joint(sim_plant, instance, name, path=("joints", name))
        if parameters.has_effort:
            acting[name] = joint
    drive, _ = choose_drive(driver_config.drive, sim_plant, driven.values())
    for name, joint in acting.items():
        if drive == "implicit":
            add_servo(
                sim_plant,
                joint,
                actuators.get(name),
                driver_config.joints.get(name, JointParameters()),
                driver_config.cfm,
            )
        elif name not in actuators and name not in driven:
            sim_plant.AddJointActuator(f"{name}_parameters", joint)


def ApplyDriverConfig(
    driver_config: WebotsMotorDriver,
    model_instance_name: str,
    sim_plant: MultibodyPlant,
    models_from_directives: typing.Any = None,
    lcm_buses: typing.Any = None,
    builder: DiagramBuilder | None = None,
) -> MotorSystem:
    """Adds the motors of a model to a diagram and connects them to its plant.

    Args:
        driver_config: the motors.
        model_instance_name: the model in the plant.
        sim_plant: the finalized plant, in `builder`. The motors' stops and
            effort limits are written to it.
        models_from_directives: not used (Drake's hook passes it).
        lcm_buses: not used (Drake's hook passes it).
        builder: the diagram. Sources of external forces that are connected to
            the plant already are connected to the motors, too.

    Returns:
        The motors' system, named "<model_instance_name>.motors".

    Raises:
        InputError: the configuration does not fit the plant.
    """
    config, plant = driver_config, sim_plant
    check_driver(config, plant.time_step())
    instance = model_instance(plant, model_instance_name)
    resolved = resolve(plant, instance, config.motors, config.joints)
    configure_plant(resolved)
    period = motor_period(config, plant.time_step())
    settings = {
        "period": period,
        "cfm": config.cfm,
        "schedule": schedule(config.commands, list(resolved.motors), period),
    }
    drive, reason = _drive(config, plant, resolved)
    if drive == "implicit":
        motors = ImplicitMotors(plant, resolved, **settings)
    else:
        motors = TorqueMotors(
            plant,
            resolved,
            **settings,
            external_forces=bool(_force_sources(builder, plant)),
        )
    motors.drive_reason = reason
    motors.set_name(f"{model_instance_name}.motors")
    builder.AddSystem(motors)
    _connect(builder, plant, instance, motors)
    return motors


def model_instance(
    plant: MultibodyPlant, model_instance_name: str
) -> ModelInstanceIndex:
    """Returns the model's index; raises InputError if there is no such model."""
    if not plant.HasModelInstanceNamed(model_instance_name):
        names = [
            plant.GetModelInstanceName(ModelInstanceIndex(i))
            for i in range(2, plant.num_model_instances())
        ]
        raise InputError(unknown_name("model", model_instance_name, names))
    return plant.GetModelInstanceByName(model_instance_name)


def _drive(
    config: WebotsMotorDriver, plant: MultibodyPlant, resolved: ModelMotors
) -> tuple[str, str]:
    """Returns the drive and the reason, now that the plant is final."""
    joints = resolved.joints[: len(resolved.motors)]
    drive, reason = choose_drive(config.drive, plant, joints)
    joint = resolved.acting[0].joint()
    armed = plant.HasJointActuatorNamed(
        companion_name(joint), joint.model_instance()
    )
    if drive == "torque" or armed:
        return drive, reason
    missing = (
        "the implicit drive needs a call of configure_actuators before the"
        " plant's Finalize"
    )
    if config.drive == "implicit":
        raise InputError(missing, path=("drive",))
    warn(f"{reason}, but {missing}; the torque drive does not see contact")
    return "torque", f"{reason}, but configure_actuators was not called"


def _connect(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    motors: MotorSystem,
) -> None:
    """Connects `motors` to the plant, and to what else acts on it."""
    actuation = plant.get_actuation_input_port(instance)
    if builder.IsConnectedOrExported(actuation):
        raise InputError("the model's actuation is connected already")
    builder.Connect(motors.get_actuation_output_port(), actuation)
    builder.Connect(
        plant.get_state_output_port(), motors.get_plant_state_input_port()
    )
    if isinstance(motors, TorqueMotors):
        for name, source in _force_sources(builder, plant).items():
            builder.Connect(source, motors.GetInputPort(name))
    else:
        # The plant asks twice a step, the gain only once: it caches.
        port = motors.get_desired_state_output_port()
        gain = builder.AddSystem(Gain(1.0, port.size()))
        gain.set_name(f"{plant.GetModelInstanceName(instance)}.desired_state")
        builder.Connect(port, gain.get_input_port())
        builder.Connect(
            gain.get_output_port(), plant.get_desired_state_input_port(instance)
        )
    if motors.HasInputPort("net_actuation"):
        builder.Connect(
            _last_net_actuation(builder, plant, instance),
            motors.GetInputPort("net_actuation"),
        )


def _last_net_actuation(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
) -> OutputPort:
    """Returns what the actuators applied in the last plant step.

    A plant without sampled ports reports the step to come: it is held back.
    """
    port = plant.get_net_actuation_output_port(instance)
    if plant.has_sampled_output_ports():
        return port
    hold = builder.AddSystem(ZeroOrderHold(plant.time_step(), port.size()))
    name = plant.GetModelInstanceName(instance)
    hold.set_name(f"{name}.last_net_actuation")
    builder.Connect(port, hold.get_input_port())
    return hold.get_output_port()


def _force_sources(
    builder: DiagramBuilder, plant: MultibodyPlant
) -> dict[str, OutputPort]:
    """Returns what is connected to the plant's ports for external forces."""
    sources = {}
    for port in (
        plant.get_applied_generalized_force_input_port(),
        plant.get_applied_spatial_force_input_port(),
    ):
        source = builder.connection_map().get((plant, port.get_index()))
        if source is not None:
            system, index = source
            sources[port.get_name()] = system.get_output_port(index)
    return sources
