"""From a driver to the motors and joints of its model in a finalized plant."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.drive.loops import check_closed
from webmotor_drake.drive.model_motors import (
    ModelMotors,
    named_joints,
    resolve,
)
from webmotor_drake.drive.plant_limits import configure_plant
from webmotor_drake.errors import InputError, below, warn
from webmotor_drake.motor.driver_checks import CheckedDriver

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
    if config.controller:  # those who run them leave it out
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
    _check_masses(plant, resolved)
    configure_plant(plant, resolved)
    for named in resolved.named:
        if named.parameters.has_stops and plant.time_step() == 0:
            warn(
                f"joint {named.joint.name()}: a continuous plant (time_step 0) has"
                " no stops; they are left out"
            )
    return resolved


def _check_masses(plant: MultibodyPlant, resolved: ModelMotors) -> None:
    """Refuses joints without mass to move: any effort is too much for them."""
    masses = plant.CalcMassMatrix(plant.CreateDefaultContext()).diagonal()
    owners = {
        m.joint: ("motors", n, "joint") for n, m in resolved.motors.items()
    }
    for actuator in resolved.acting:
        joint = actuator.joint()
        if not masses[joint.velocity_start()] > 0:
            body = joint.child_body().name()
            raise InputError(
                f"joint {joint.name()} moves no mass about its axis; give body"
                f" {body}, or what it carries, a mass and an inertia",
                path=owners.get(joint.name(), ("joints", joint.name())),
            )
