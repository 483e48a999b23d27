"""Many robots of a kind in one plant: one motor system for them all.

A system in Python costs some 15 µs per step, the physics of a small robot 1 µs, and
each system computes the dynamics of the whole plant. So 100 robots of 3 motors cost 57
times their plant with one system per robot, less than twice with one for all.
"""

import dataclasses as dc
from collections.abc import Mapping, Sequence

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.drive_choice import settle_drive
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.own_gains import take_over
from webmotor_drake.drive.plant_queries import model_instance, model_name
from webmotor_drake.drive.resolved_model import resolved_model
from webmotor_drake.drive.self_collision import apply_self_collision
from webmotor_drake.drive.torque_motors import TorqueMotors
from webmotor_drake.drive.wiring import connect
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import schedule
from webmotor_drake.motor.driver_checks import checked
from webmotor_drake.motor.driver_config import DriverConfig


def ApplyDriverConfigToMany(
    driver_config: WebotsMotorDriver | Sequence[WebotsMotorDriver],
    model_instance_names: Sequence[str | ModelInstanceIndex],
    sim_plant: MultibodyPlant,
    builder: DiagramBuilder,
) -> TorqueMotors:
    """Adds one system with the motors of many models to a diagram.

    The models are copies of a robot that does not touch anything (`drive: torque`).
    The system's motors are called "<model>/<motor>", model by model in the order
    given; so are the elements of its ports. It feeds the plant's actuation port
    for all models.

    Args:
        driver_config: driver of every model, or one driver per model. Those may differ
            in values of motors and joints, `cfm` and `delay`. The (first) driver's
            timed commands go to all models.
        model_instance_names: the models in the plant, by their names or indices.
        sim_plant: the finalized plant, in `builder`. Stops and effort limits are
            written to it.
        builder: the diagram.

    Returns:
        The system, named "motors".

    Raises:
        InputError: the configuration does not fit the plant, or it needs a system
            for each model: an implicit drive, a battery, reaction forces, an LCM
            bus.
    """
    plant = sim_plant
    names = _names(plant, model_instance_names)
    configs = driver_config
    if isinstance(configs, WebotsMotorDriver):
        configs = [configs] * len(names)
    drivers = [checked(own, plant.time_step()) for own in configs]
    driver, config = drivers[0], drivers[0].config
    for field in ("battery", "reaction_forces", "lcm_bus"):
        if getattr(config, field):
            raise InputError(
                "not for one system with many models; call ApplyDriverConfig"
                " for each model",
                path=(field,),
            )
    _check_alike([own.config for own in drivers])
    models = {
        name: resolved_model(own, model_instance(plant, name), plant)
        for name, own in zip(names, drivers, strict=True)
    }
    merged = merge(models)
    for name in names:
        apply_self_collision(
            config.self_collision, builder, plant, model_instance(plant, name)
        )
    drive, reason = settle_drive(config.drive, plant, merged.acting)
    if drive != "torque":
        raise InputError(
            f"one system for many models is for the torque drive ({reason});"
            " call ApplyDriverConfig for each model",
            path=("drive",),
        )
    for model in models.values():
        take_over(builder, model, drive)
    commands = schedule(
        [
            dc.replace(
                command,
                motor=f"{model}/{command.motor}" if command.motor else "",
                brake=f"{model}/{command.brake}" if command.brake else "",
            )
            for model in models
            for command in config.commands
        ],
        list(merged.motors),
        list(merged.brakes),
        driver.period,
    )
    of_all = dc.replace(driver, schedule=commands)
    motors = TorqueMotors(merged, of_all)
    motors.drive_reason = reason
    motors.set_name("motors")
    builder.AddSystem(motors)
    connect(builder, motors)
    return motors


def _names(
    plant: MultibodyPlant, models: Sequence[str | ModelInstanceIndex]
) -> list[str]:
    if isinstance(models, (str, ModelInstanceIndex)):
        raise InputError(
            "model_instance_names is a list, of one model as well:"
            f" [{models!r}]"
        )
    if not models:
        raise InputError("no models; at least one is needed")
    return [model_name(plant, model) for model in models]


def merge(models: Mapping[str, ModelMotors]) -> ModelMotors:
    """Returns models as one; motors and brakes are named "<model>/<name>"."""
    merged = ModelMotors(
        next(iter(models.values())).plant,
        motors={
            f"{name}/{motor}": node
            for name, model in models.items()
            for motor, node in model.motors.items()
        },
        named=[
            *(joint for model in models.values() for joint in model.driven),
            *(joint for model in models.values() for joint in model.passive),
        ],
        brakes={},
    )
    places = {a.index(): i for i, a in enumerate(merged.acting)}
    for name, model in models.items():
        for brake, i in model.brakes.items():
            merged.brakes[f"{name}/{brake}"] = places[model.acting[i].index()]
    return merged


# Fields of a driver in which the models of a system may differ.
OWN_OF_ROBOTS = "motors joints position_sensors commands cfm delay".split()


def _check_alike(configs: Sequence[DriverConfig]) -> None:
    first, *others = configs
    for field in dc.fields(first):
        value = getattr(first, field.name)
        if field.name not in OWN_OF_ROBOTS and any(
            getattr(other, field.name) != value for other in others
        ):
            raise InputError(
                "one system has the same for all models", path=(field.name,)
            )
