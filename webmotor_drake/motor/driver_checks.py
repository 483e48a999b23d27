"""Checks of a driver that need no model, and the fields that it abbreviates."""

import dataclasses as dc
import math
import typing

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.motor.battery import Battery, battery_of
from webmotor_drake.motor.commands import StepCommands, check_command, schedule
from webmotor_drake.motor.driver_config import COUNTED, TABLES, DriverConfig
from webmotor_drake.motor.models.parameters import has_line
from webmotor_drake.nodes.check import check_node, check_types
from webmotor_drake.nodes.joints import JointParameters, suspension_name
from webmotor_drake.nodes.motors import (
    LinearMotor,
    MotorNode,
    acting_parts,
    is_modelled,
)
from webmotor_drake.nodes.servo import Servo, motor_of, parameters_of

Driver = typing.TypeVar("Driver", bound=DriverConfig)

# Plant steps in a motor period.
_LONGEST = 1e6


@dc.dataclass(frozen=True)
class CheckedDriver:
    """A driver that was checked, for a plant.

    Attributes:
        config: the driver, with Servos and `drive: kinematic` spelled out.
        period: period of the motor law, s.
        schedule: the timed commands by motor step.
        battery: source of the motors' energy, if any.
        start_positions: start positions of joints whose Servos give one, rad or m.
    """

    config: DriverConfig
    period: float
    schedule: dict[int, StepCommands]
    battery: Battery | None
    start_positions: dict[str, float]


def checked(driver_config: DriverConfig, time_step: float) -> CheckedDriver:
    """Returns a driver after the checks that need no model.

    Args:
        driver_config: the motors.
        time_step: the plant's time step, s; 0: a continuous plant.

    Raises:
        InputError: the first value that cannot be used, with its path.
    """
    check_driver(driver_config)
    config = expanded(driver_config)
    period = motor_period(config, time_step)
    return CheckedDriver(
        config,
        period,
        schedule(
            config.commands, list(config.motors), list(config.brakes), period
        ),
        battery_of(config.battery, config.cpu_consumption),
        {
            name: node.position
            for name, node in driver_config.motors.items()
            if isinstance(node, Servo) and node.position
        },
    )


def check_driver(config: DriverConfig) -> None:
    """Checks the values of a driver.

    Raises:
        InputError: the first that cannot be used, with its path.
    """
    check_types(config)
    for table in TABLES:
        if "" in getattr(config, table):
            raise InputError("an entry without a name", path=(table,))
    check_node(config)
    _check_carriers(config)
    known = {name for table in COUNTED for name in getattr(config, table)}
    for i, name in enumerate(config.device_order):
        if name not in known:
            problem = unknown_name("device", name, known)
            raise InputError(problem, path=("device_order", i))
    names = list(config.motors), list(config.brakes)
    for i, command in enumerate(config.commands):
        with below("commands", i):
            check_command(command, *names)


def _check_carriers(config: DriverConfig) -> None:
    motors = config.motors.values()
    turned = {m.joint for m in motors}
    moved = {m.joint for m in motors if isinstance(m, LinearMotor)}
    for table, driven, motor, what in (
        ("propellers", turned, "motor", "propeller"),
        ("tracks", moved, "LinearMotor", "track"),
    ):
        for name in getattr(config, table):
            if name not in driven:
                problem = f"no {motor} has the joint {name}; a {what} needs one"
                raise InputError(problem, path=(table, name))


def motor_period(driver_config: DriverConfig, time_step: float) -> float:
    """Returns the period of the motor law, s.

    Raises:
        InputError: it is not a multiple of the plant's `time_step`.
    """
    period = driver_config.basic_time_step
    if period is None and time_step:
        return time_step
    with below("basic_time_step"):
        if period is None:
            raise InputError(
                "a continuous plant (time_step 0) has no step to take it from;"
                " give the motor period in seconds"
            )
        if not 0 < period < math.inf:
            raise InputError(
                f"{period} s is not allowed; must be a time above 0"
            )
        ratio = period / time_step if time_step else 1.0
        if ratio > _LONGEST:
            raise InputError(
                f"{period:g} s is too long for the plant's time_step"
                f" {time_step:g} s; {_LONGEST:g} steps are allowed"
            )
        if round(ratio) < 1 or abs(ratio - round(ratio)) > 1e-9 * ratio:
            raise InputError(
                f"{period:g} s is not a multiple of the plant's time_step"
                f" {time_step:g} s; one such as"
                f" {max(round(ratio), 1) * time_step:g} s is allowed"
            )
    return period


def expanded(driver_config: Driver) -> Driver:
    """Returns the driver with its abbreviations spelled out.

    A Servo is a motor and the JointParameters of its joint; a kinematic drive makes
    the joints of all motors kinematic; a motor without a `motor_model` has the
    driver's; `_at_joint` moves some of its parameters to its joint.

    Raises:
        InputError: a Servo's joint, a propeller's or the slider of a suspension has
            JointParameters of its own.
    """
    motors: dict[str, MotorNode] = {}
    joints = dict(driver_config.joints)
    for name, node in driver_config.motors.items():
        if not isinstance(node, Servo):
            motors[name] = node
            continue
        if node.joint in joints:
            raise InputError(
                f"joint {node.joint} has a Servo, which holds its"
                " parameters; leave out this entry",
                path=("joints", node.joint),
            )
        joints[node.joint] = parameters_of(node)
        motors[name] = motor_of(node)
    _add_joints(driver_config, joints)
    drive = driver_config.drive
    if drive == "kinematic":
        drive = "auto"
        for motor in motors.values():
            joints[motor.joint] = dc.replace(
                joints.get(motor.joint, JointParameters()), kinematic=True
            )
    for name, motor in motors.items():
        model = motor.motor_model or driver_config.motor_model
        motors[name] = motor = dc.replace(motor, motor_model=model)
        if is_modelled(motor):
            motors[name], joints[motor.joint] = _at_joint(
                name, motor, joints.get(motor.joint, JointParameters())
            )
    return dc.replace(driver_config, motors=motors, joints=joints, drive=drive)


def _add_joints(
    config: DriverConfig, joints: dict[str, JointParameters]
) -> None:
    """Adds the parameters that propellers and suspensions give their joints."""
    for name in config.propellers:  # Webots' kinematic law
        if name in joints:
            raise InputError(
                f"joint {name} is that of a propeller, whose motor knows no springs,"
                " stops or friction",
                path=("joints", name),
            )
        joints[name] = JointParameters(kinematic=True)
    for name, given in list(joints.items()):
        if not given.has_suspension:
            continue
        slider = suspension_name(name)
        if slider in joints:
            raise InputError(
                f"{slider} is the suspension of {name}, which says its constants",
                path=("joints", slider),
            )
        joints[slider] = JointParameters(
            spring_constant=given.suspension_spring_constant,
            damping_constant=given.suspension_damping_constant,
        )


def _at_joint(
    name: str, motor: MotorNode, joint: JointParameters
) -> tuple[MotorNode, JointParameters]:
    """Returns a modelled motor, and its joint with the parameters that move there.

    Inertia and viscous friction act in the plant itself, implicitly and exactly. A
    second call changes nothing.
    """
    if joint.kinematic:
        raise InputError(
            f"{motor.motor_model} cannot move the kinematic joint {motor.joint};"
            " webots can",
            path=("motors", name, "motor_model"),
        )
    sheet = motor.dc_motor if has_line(motor) else None
    rotor = sheet.rotor_inertia * sheet.gear_ratio**2 if sheet else 0.0
    if rotor and joint.reflected_inertia:
        raise InputError(
            f"dc_motor reflects {rotor:g} kg m^2 or kg and the joint has a"
            f" reflected_inertia of {joint.reflected_inertia:g}; leave out one",
            path=("joints", motor.joint, "reflected_inertia"),
        )
    inertia = rotor or joint.reflected_inertia
    if sheet:
        motor = dc.replace(motor, dc_motor=dc.replace(sheet, rotor_inertia=0.0))
    if "elastic" in acting_parts(motor):  # it turns before the spring
        own = motor.elastic.motor_inertia or inertia
        elastic = dc.replace(motor.elastic, motor_inertia=own)
        return (
            dc.replace(motor, elastic=elastic),
            dc.replace(joint, reflected_inertia=0.0),
        )
    viscous = motor.friction.viscous
    return (
        dc.replace(motor, friction=dc.replace(motor.friction, viscous=0.0)),
        dc.replace(
            joint,
            reflected_inertia=inertia,
            damping_constant=abs(joint.damping_constant) + viscous,
        ),
    )
