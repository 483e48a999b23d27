"""The joints and actuators that a driver adds before the plant's Finalize."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from webmotor_drake.drive.drive_choice import choose_drive
from webmotor_drake.drive.loops import close_loop
from webmotor_drake.drive.model_motors import named_joints
from webmotor_drake.drive.multi_axis_joints import add_joint
from webmotor_drake.drive.plant_queries import (
    add_motor_actuator,
    find_actuators,
    model_instance,
)
from webmotor_drake.drive.propellers import add_propeller_joint
from webmotor_drake.drive.self_collision import bodies_kept_apart
from webmotor_drake.drive.servo_actuators import add_servo
from webmotor_drake.drive.suspension import add_suspension
from webmotor_drake.drive.tracks import add_track_joint
from webmotor_drake.errors import InputError, below
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.nodes.joints import Hinge2Joint, JointParameters
from webmotor_drake.nodes.motors import is_modelled


def prepare_actuators(
    driver: CheckedDriver, model_instance_name: str, sim_plant: MultibodyPlant
) -> None:
    """Prepares joints and actuators as `configure_actuators` does."""
    config = driver.config
    instance = model_instance(sim_plant, model_instance_name)
    _add_structure(config, instance, sim_plant)
    actuators = find_actuators(sim_plant, instance)
    joints = named_joints(sim_plant, instance, config)
    driven = [motor.joint for motor in config.motors.values()]
    passive = [n for n, given in config.joints.items() if given.needs_actuator]
    braked = [brake.joint for brake in config.brakes.values()]
    for name in driven:
        if name not in actuators:
            actuators[name] = add_motor_actuator(sim_plant, joints[name])
    acting = {name: joints[name] for name in (*driven, *passive, *braked)}
    modelled = {m.joint for m in config.motors.values() if is_modelled(m)}
    apart = bodies_kept_apart(sim_plant, instance, config.self_collision)
    drive, _ = choose_drive(config.drive, sim_plant, acting.values(), apart)
    for name, there in acting.items():
        if drive == "implicit":
            add_servo(
                sim_plant,
                there,
                actuators.get(name),
                config.joints.get(name, JointParameters()),
                braked=name in braked,
                modelled=name in modelled,
            )
        elif name not in actuators:
            sim_plant.AddJointActuator(f"{name}_parameters", there)


def _add_structure(
    config: DriverConfig,
    instance: ModelInstanceIndex,
    sim_plant: MultibodyPlant,
) -> None:
    """Adds the joints and loops that a driver brings along."""
    added = _add_multi_axis_joints(config, instance, sim_plant)
    for name, parameters in config.joints.items():
        if parameters.has_suspension and name not in added:
            add_suspension(sim_plant, instance, name, parameters)
    for name, loop in config.loops.items():
        with below("loops", name):
            close_loop(sim_plant, instance, loop)
    for name, propeller in config.propellers.items():
        with below("propellers", name):
            add_propeller_joint(sim_plant, instance, name, propeller)
    for name, track in config.tracks.items():
        with below("tracks", name):
            add_track_joint(sim_plant, instance, name, track)


def _add_multi_axis_joints(
    config: DriverConfig, instance: ModelInstanceIndex, plant: MultibodyPlant
) -> set[str]:
    """Adds the joints that the driver brings along; returns their axes' names."""
    names = set()
    for name, added in config.multi_axis_joints.items():
        first = config.joints.get(f"{name}_1")
        with below("multi_axis_joints", name):
            axes = add_joint(plant, instance, name, added, first)
        own = [axis.name() for axis in axes]
        hard = own[1:] if isinstance(added, Hinge2Joint) else own
        for axis in hard:
            if axis in config.joints and config.joints[axis].has_suspension:
                raise InputError(
                    f"{axis} has no suspension; of joints with several axes the"
                    " first of a Hinge2Joint has",
                    path=("joints", axis, "suspension_spring_constant"),
                )
        names.update(own)
    return names
