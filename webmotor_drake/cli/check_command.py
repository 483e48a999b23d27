"""webmotor check: the motors of a scenario, where their limits come from, the drive."""

import argparse
import math
from collections import Counter
from collections.abc import Container, Iterable

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    JointActuator,
    ModelInstanceIndex,
    RevoluteJoint,
)

from webmotor_drake.cli.console import Notes, say
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.errors import shortened
from webmotor_drake.loading import report_of
from webmotor_drake.motor.coupling import coupled_motors
from webmotor_drake.motor.models.parameters import has_line
from webmotor_drake.nodes.field import declared, unit_text
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motor_models import MODELS
from webmotor_drake.nodes.motors import (
    MotorNode,
    acting_parts,
    is_modelled,
    max_effort,
)
from webmotor_drake.runner import ready
from webmotor_drake.scenario.scenario import (
    Scenario,
    robots_of,
    without_effects,
)
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.worlds.report import KINDS

# Properties that act in a joint without a motor, too.
_PASSIVE = {
    "spring_constant": "spring",
    "damping_constant": "damper",
    "static_friction": "static friction",
    "reflected_inertia": "reflected inertia",
}

# With more coupled motors only their common name is shown.
_FEW = 2


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Prints a scenario as it would run; returns the exit status."""
    simulation = ready(without_effects(load(args)))
    notes.show()
    lines = describe(simulation).split("\n")
    return say("\n".join(map(shortened, lines)))


def describe(simulation: Simulation) -> str:
    """Describes a simulation: its plant, motors, devices and commands."""
    plant, scenario = simulation.plant, simulation.scenario
    if plant.time_step():
        contact = plant.get_discrete_contact_approximation().name[1:].lower()
        sampled = "" if plant.has_sampled_output_ports() else "not "
        kind = (
            f"time step {plant.time_step():g} s, contact {contact},"
            f" output ports {sampled}sampled"
        )
    else:
        kind = "continuous (time_step 0)"
    lines = [
        f"{_duration(scenario.simulation_duration)}; plant: {kind},"
        f" {plant.num_positions()} positions, {plant.num_velocities()}"
        f" velocities, {plant.num_actuators()} actuators"
    ]
    if simulation.poses.names:
        lines.append(f"poses recorded: {', '.join(simulation.poses.names)}")
    lines += _contact_lines(simulation)
    drivers = robots_of(scenario)
    for model, motors in simulation.motors.items():
        driver = drivers[model]
        instance = plant.GetModelInstanceByName(model)
        late = f" commands {driver.delay:g} s late," if driver.delay else ""
        lines += [
            "",
            f"{model}: motor period {motors.period:g} s, cfm"
            f" {driver.cfm:g},{late} drive {motors.drive}"
            f" ({motors.drive_reason})",
            *_motor_lines(motors.model),
            *_passive_lines(motors.model),
            *_gains_lines(plant, instance, motors.model),
            *_free_joint_lines(plant, instance, motors.model.acting),
            *_device_lines(driver),
            f"  {_commands(driver)}",
        ]
    lines += _undriven_lines(plant, scenario.model_drivers)
    lines += _world_lines(scenario)
    return "\n".join(lines)


def _contact_lines(simulation: Simulation) -> list[str]:
    """Returns the lines on the contact of collision shapes, equal shapes in one."""
    kinds = Counter(
        f"  {c.model}::{c.body}: {{}}{c.shape}, {c.contact} ({c.reason})"
        for c in simulation.contacts
    )
    lines = [
        line.format(f"{number} x " if number > 1 else "")
        for line, number in kinds.items()
    ]
    return ["contact of the shapes:", *lines] if lines else []


def _world_lines(scenario: Scenario) -> list[str]:
    report = report_of(scenario)
    if report is None or not report.entries:
        return []
    return [
        "",
        "of the world:",
        *(f"  {KINDS[e.kind] or 'here'}: {e}" for e in report.entries),
    ]


def _duration(seconds: float) -> str:
    """Returns the duration in words; the log stays in memory until the end."""
    if math.isinf(seconds):
        return "no end: runs until Ctrl-C, or until its log fills the memory"
    return f"{seconds:g} s"


def _motor_lines(model: ModelMotors) -> list[str]:
    names = list(model.motors)
    groups = coupled_motors(names)
    lines: list[str] = []
    for i, (name, motor) in enumerate(model.motors.items()):
        others = [names[k] for k in groups[i] if k != i]
        if len(others) > _FEW:
            group = names[groups[i][0]].partition("::")[0]
            others = [f"the {len(others)} others of {group}::"]
        law = (
            _model_lines(motor)
            if is_modelled(motor)
            else [_law(motor, model, i)]
        )
        lines += [
            f"  {name}: {type(motor).__name__} on joint {motor.joint}",
            *(f"    {line}" for line in law),
            f"    {_effort(motor, model, i)}",
            f"    {_targets(motor)}; {_stops(model, i)}",
        ]
        if motor.multiplier != 1 or others:
            coupled = f", coupled with {', '.join(others)}" if others else ""
            lines.append(f"    multiplier {motor.multiplier:g}{coupled}")
        lines += _passive(model, i)
    return lines


def _model_lines(motor: MotorNode) -> list[str]:
    """Returns a line for the model, and one per node of it that says something."""
    lines = [f"{motor.motor_model}: {MODELS[motor.motor_model].about}"]
    if has_line(motor):
        stall, free = motor.dc_motor.line(max_effort(motor), motor.max_velocity)
        units = motor.units
        lines.append(
            f"at the joint: stall {stall:.4g} {units['effort']}, no load"
            f" {free:.4g} {units['velocity']}"
        )
    return lines + [
        f"{name}: {said}"
        for name in acting_parts(motor)
        if (said := _fields_said(getattr(motor, name), motor))
    ]


def _fields_said(node: object, motor: MotorNode) -> str:
    """Returns the fields of a motor's node that differ from defaults, with units."""
    default, said = type(node)(), list[str]()
    for name, field in declared(type(node)).items():
        value = getattr(node, name)
        if value != getattr(default, name):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            unit = unit_text(
                field.unit, is_linear=motor.units["position"] == "m"
            )
            said.append(f"{name} {text} {unit}".rstrip())
    return ", ".join(said)


def _passive_lines(model: ModelMotors) -> list[str]:
    lines: list[str] = []
    for i in range(len(model.motors), len(model.named)):
        lines += [
            f"  joint {model.joints[i].name()}, no motor: {_stops(model, i)}",
            *_passive(model, i),
        ]
    return lines


def _gains_lines(
    plant: MultibodyPlant, instance: ModelInstanceIndex, model: ModelMotors
) -> list[str]:
    """Returns a line on each PD controller that a model's actuators come with."""
    acting = {actuator.joint().index() for actuator in model.acting}
    lines: list[str] = []
    for name, (p, d) in model.own_gains.items():
        actuator = plant.GetJointActuatorByName(name, instance)
        driven = actuator.joint().index() in acting
        lines.append(
            f"  actuator {name}: PD controller of the model (p {p:g}, d {d:g}),"
            + (" a motor takes its place" if driven else " off: no motor")
        )
    return lines


def _free_joint_lines(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    acting: Iterable[JointActuator] = (),
) -> list[str]:
    """Returns a line on the joints that nothing drives, springs back or slows down."""
    held = {actuator.joint().index() for actuator in acting}
    free = [
        joint.name()
        for joint in map(plant.get_joint, plant.GetJointIndices(instance))
        if joint.num_velocities() == 1
        and joint.index() not in held
        and not joint.default_damping_vector().any()
    ]
    if not free:
        return []
    text = f"  nothing holds joint{'s' * (len(free) > 1)} {', '.join(free)}"
    if plant.num_constraints():
        text += " (constraints, such as mimic joints, are not looked at)"
    return [text]


def _undriven_lines(plant: MultibodyPlant, driven: Container[str]) -> list[str]:
    lines: list[str] = []
    for i in range(2, plant.num_model_instances()):
        instance = ModelInstanceIndex(i)
        model = plant.GetModelInstanceName(instance)
        free = _free_joint_lines(plant, instance)
        if free and model not in driven:
            lines += ["", f"{model}: no driver", *free]
    return lines


def _device_lines(driver: WebotsMotorDriver) -> list[str]:
    lines = [
        f"  {name}: {type(joint).__name__} from {joint.parent} to {joint.child}"
        for name, joint in driver.multi_axis_joints.items()
    ]
    lines += [
        f"  {name}: {type(device).__name__} on joint {device.joint}"
        for devices in (driver.position_sensors, driver.brakes)
        for name, device in devices.items()
    ]
    lines += [
        f"  {name}: {type(device).__name__} on {device.frame or 'its first body'}"
        for name, device in driver.devices.items()
    ]
    if driver.battery:
        energy, capacity, recharge = driver.battery
        lines.append(
            f"  battery: {energy:g} J of {capacity:g} J, recharged with up to"
            f" {recharge:g} W; the computer draws {driver.cpu_consumption:g} W"
        )
    if driver.reaction_forces:
        lines.append(
            "  reaction wrenches of the motors' joints are recorded, for which"
            " the plant's output ports are sampled"
        )
    if driver.controller:
        command = [driver.controller, *driver.controller_args]
        lines.append(f"  controller: {' '.join(command)}")
    return lines


def _law(motor: MotorNode, model: ModelMotors, i: int) -> str:
    gains = " ".join(f"{gain:g}" for gain in motor.control_pid)
    units, limited = motor.units, ""
    acceleration = (
        "not limited"
        if motor.acceleration == -1
        else f"up to {motor.acceleration:g} {units['acceleration']}"
    )
    limit = model.joints[i].velocity_upper_limits()[0]
    if limit < motor.max_velocity:
        limited = (
            f" (max_velocity acts; the model has {limit:g} {units['velocity']})"
        )
    return (
        f"PID {gains}; velocity up to {motor.max_velocity:g}"
        f" {units['velocity']}{limited}; acceleration {acceleration}"
    )


def _effort(motor: MotorNode, model: ModelMotors, i: int) -> str:
    limit, unit = model.named[i].model_effort, motor.units["effort"]
    limit = math.inf if limit is None else limit
    there = [] if math.isinf(limit) else [f"{limit:g} {unit}"]
    acts = " acts" if limit < max_effort(motor) else ""
    if model.brought[i]:
        there.append("no actuator there, the motor brings one along")
    return (
        f"effort up to {max_effort(motor):g} {unit} ({motor.effort_field}{acts};"
        f" the model has {' and '.join(there) or 'none'})"
    )


def _targets(motor: MotorNode) -> str:
    low, high = motor.min_position, motor.max_position
    if low == high:
        return "targets not limited"
    return (
        f"targets {low:g} to {high:g} {motor.units['position']}"
        " (min_position, max_position)"
    )


def _stops(model: ModelMotors, i: int) -> str:
    low, high = position_limits(model.joints[i])
    if math.isinf(low) and math.isinf(high):
        return "no stops"
    source = (
        "min_stop, max_stop"
        if model.named[i].parameters.has_stops
        else "the model"
    )
    unit = "rad" if isinstance(model.joints[i], RevoluteJoint) else "m"
    return f"stops {low:g} to {high:g} {unit} ({source})"


def _passive(model: ModelMotors, i: int) -> list[str]:
    parameters, fields = model.named[i].parameters, declared(JointParameters)
    linear = not isinstance(model.joints[i], RevoluteJoint)
    given = [
        f"{name} {value:g} {unit_text(fields[field].unit, is_linear=linear)}"
        for field, name in _PASSIVE.items()
        if (value := getattr(parameters, field))
    ]
    if parameters.kinematic:
        given.append("kinematic")
    return [f"    {', '.join(given)}"] if given else []


def _commands(driver: WebotsMotorDriver) -> str:
    commands = driver.commands
    if not commands and driver.controller:
        return "no commands but the controller's"
    if not commands and not driver.motors:
        return "no motors to command"
    if not commands:
        return "no commands: each motor holds its position"
    times = [command.time for command in commands]
    number = f"{len(commands)} command{'s' * (len(commands) > 1)}"
    if min(times) == max(times):
        return f"{number}, at {times[0]:g} s"
    return f"{number}, from {min(times):g} s to {max(times):g} s"
