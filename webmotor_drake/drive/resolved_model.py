"""From a driver to its model's motors, joints and limits in a finalized plant."""

import math

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, ModelInstanceIndex, PdControllerGains

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.drive.loops import check_closed
from webmotor_drake.drive.model_motors import (
    ModelMotors,
    NamedJoint,
    named_joints,
    resolve,
)
from webmotor_drake.drive.plant_queries import actuators_on, position_limits
from webmotor_drake.errors import InputError, below, warn
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import MotorNode, is_modelled, max_effort

# What `configure_actuators` adds: the driver's table, and how the joint's name ends.
_ADDED = (
    ("multi_axis_joints", "joint", "_1"),
    ("propellers", "propeller", ""),
    ("tracks", "track", ""),
)


def resolved_model(
    driver: CheckedDriver, instance: ModelInstanceIndex, plant: MultibodyPlant
) -> ModelMotors:
    """Returns a model's motors and joints; writes limits and inertia to the plant.

    Raises:
        InputError: the configuration does not fit the model.
    """
    config = driver.config
    if config.controller:  # code that runs it clears the field
        warn(
            f"{plant.GetModelInstanceName(instance)}: the controller"
            f" {config.controller} is not run here; `webmotor run` and"
            " webmotor_drake.run do that"
        )
    for table, what, axis in _ADDED:
        for name in getattr(config, table):
            if not plant.HasJointNamed(f"{name}{axis}", instance):
                raise InputError(
                    f"the {what} needs a call of configure_actuators before the"
                    " plant's Finalize",
                    path=(table, name),
                )
    joints = named_joints(plant, instance, config)
    find_mounts(plant, instance, config.devices)
    find_mounts(plant, instance, config.lights, "lights")
    for name, position in driver.start_positions.items():
        joints[config.motors[name].joint].set_default_positions([position])
    for name, loop in config.loops.items():
        with below("loops", name):
            check_closed(plant, instance, loop)
    resolved = resolve(plant, instance, config)
    _check_masses(resolved)
    _configure_plant(resolved)
    for named in resolved.named:
        if named.parameters.has_stops and plant.time_step() == 0:
            warn(
                f"joint {named.joint.name()}: a continuous plant (time_step 0) has"
                " no stops; they are left out"
            )
    return resolved


def _check_masses(resolved: ModelMotors) -> None:
    """Refuses joints without mass to move: any effort is too much for them."""
    plant = resolved.plant
    masses = plant.CalcMassMatrix(plant.CreateDefaultContext()).diagonal()
    owners = {
        m.joint: ("motors", n, "joint") for n, m in resolved.motors.items()
    }
    for index in plant.GetJointIndices(resolved.instance):
        joint = plant.get_joint(index)
        if not all(
            masses[joint.velocity_start() :][: joint.num_velocities()] > 0
        ):
            body = joint.child_body().name()
            raise InputError(
                f"joint {joint.name()} moves no mass about its axis; give body"
                f" {body}, or what it carries, a mass and an inertia",
                path=owners.get(joint.name(), ("joints", joint.name())),
            )


def _configure_plant(resolved: ModelMotors) -> None:
    """Writes stops, effort limits and inertia to the plant; warns of clashes."""
    for named in resolved.named:
        _set_stops(named.joint, named.parameters)
        if (inertia := named.parameters.reflected_inertia) is not None:
            # The total that the joint's actuators reflect, kg m^2 or kg.
            for actuator in actuators_on(resolved.plant, named.joint):
                actuator.set_default_gear_ratio(1.0)
                actuator.set_default_rotor_inertia(inertia)
    for passive in resolved.passive:
        if passive.actuator is not None:  # springs and the like have no bound
            passive.actuator.set_effort_limit(math.inf)
    braked = resolved.brakes.values()
    motors = zip(resolved.motors.items(), resolved.driven, strict=True)
    for i, ((name, motor), driven) in enumerate(motors):
        given, actuator = driven.parameters, driven.actuator
        limit, model = max_effort(motor), actuator.effort_limit()
        told = _warn_of_defaults(name, motor, driven)
        if limit > model and not told:
            unit = motor.units["effort"]
            warn(
                f"{name}.{motor.effort_field}: {limit:g} {unit} is above the"
                f" model's effort limit {model:g} {unit}; the motor's is used"
            )
        # The motor system keeps the motor's own bound where the actuator carries a
        # spring, a damper, friction or a brake, too, or the motor has a model.
        lifted = given.has_effort or given.kinematic or i in braked
        lifted = lifted or is_modelled(motor) or limit == 0
        actuator.set_effort_limit(math.inf if lifted else limit)
        _warn_of_limits(name, motor, driven.joint)


def _warn_of_defaults(name: str, motor: MotorNode, driven: NamedJoint) -> bool:
    """Warns if Webots' default limits act; returns True if the effort limit does."""
    default, own = type(motor)(), {}
    model = {motor.effort_field: driven.model_effort}
    if not is_modelled(motor):
        model["max_velocity"] = driven.joint.velocity_upper_limits()[0]
    for field, limit in model.items():
        value = getattr(motor, field)
        if limit and limit < value == getattr(default, field):  # 0: none
            own[field] = limit
    if own:
        units = {motor.effort_field: "effort", "max_velocity": "velocity"}
        acting = ", ".join(
            f"{field} {getattr(motor, field):g} {motor.units[units[field]]}"
            for field in own
        )
        paste = ", ".join(f"{field}: {limit:g}" for field, limit in own.items())
        warn(
            f"{name}: Webots' defaults act, above the model's limits: {acting}; to keep"
            f" the model's, give the motor {paste}"
        )
    return motor.effort_field in own


def give_back_limits(resolved: ModelMotors) -> None:
    """Gives the model's actuators their own effort limits and gains again."""
    for named in resolved.named:
        actuator = named.actuator
        if actuator is not None:
            actuator.set_effort_limit(named.model_effort)
            p, d = resolved.own_gains.get(actuator.name(), (0.0, 0.0))
            actuator.set_controller_gains(PdControllerGains(p=p, d=d))


def _set_stops(joint: Joint, parameters: JointParameters) -> None:
    """Makes the stops the joint's limits; without stops the model's stay."""
    if parameters.has_stops:
        joint.set_position_limits([parameters.min_stop], [parameters.max_stop])
    position = joint.default_positions()[0]
    low, high = position_limits(joint)
    if not low <= position <= high:
        warn(
            f"joint {joint.name()}: position {position:g} is outside its stops"
            f" {low:g} to {high:g}"
        )


def _warn_of_limits(name: str, motor: MotorNode, joint: Joint) -> None:
    """Warns where the joint stops before the motor's soft limits do."""
    low, high = position_limits(joint)
    soft = motor.min_position, motor.max_position
    if soft[0] != soft[1] and (soft[0] < low or soft[1] > high):
        unit = motor.units["position"]
        warn(
            f"{name}: the soft limits {soft[0]:g} to {soft[1]:g} {unit} are not"
            f" inside the stops {low:g} to {high:g} {unit} of joint"
            f" {joint.name()}"
        )
