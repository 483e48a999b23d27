"""Webots motors as a driver of Drake's hardware_sim.

`WebotsMotorDriver` goes into a scenario's `model_drivers`; Drake's
ApplyDriverConfigs finds `ApplyDriverConfig` here, in the module of the config.
"""

import sys
import typing

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.lcm import LcmBuses

from webmotor_drake.contact.thin_contact import warn_of_point_contact
from webmotor_drake.drive.builder_hooks import (
    belonging_to,
    free_name,
    when_built,
)
from webmotor_drake.drive.drive_choice import settle_drive
from webmotor_drake.drive.implicit_motors import ImplicitMotors
from webmotor_drake.drive.motor_system import IdleMotors, MotorSystem
from webmotor_drake.drive.own_gains import take_over
from webmotor_drake.drive.plant_queries import model_instance, model_name
from webmotor_drake.drive.prepared_joints import prepare_actuators
from webmotor_drake.drive.propellers import add_propellers
from webmotor_drake.drive.resolved_model import give_back_limits, resolved_model
from webmotor_drake.drive.self_collision import (
    apply_self_collision,
    bodies_kept_apart,
    find_scene_graph,
)
from webmotor_drake.drive.servo_actuators import arm_servos
from webmotor_drake.drive.suspension import keep_suspended_apart
from webmotor_drake.drive.torque_motors import TorqueMotors
from webmotor_drake.drive.tracks import add_tracks
from webmotor_drake.drive.wiring import add_wrenches, connect
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.motor.driver_checks import CheckedDriver, checked
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.nodes.field import node


@node
class WebotsMotorDriver(DriverConfig):
    """The motors of a model instance, as Webots describes them.

    It stands in a scenario's `model_drivers`, or is given to `ApplyDriverConfig`.
    Both accept subclasses from any module.
    """

    def __new__(cls, *args: object, **kwargs: object) -> typing.Self:
        """Makes a driver for which Drake's ApplyDriverConfigs finds the function."""
        made = super().__new__(cls)
        if not hasattr(sys.modules.get(cls.__module__), "ApplyDriverConfig"):
            # Drake looks in the module of the object; pickles look at its class.
            made.__dict__["__module__"] = __name__
        return made


def configure_actuators(
    driver_config: WebotsMotorDriver,
    model_instance_name: str | ModelInstanceIndex,
    sim_plant: MultibodyPlant,
) -> None:
    """Prepares the model for its motors; call it before the plant's Finalize.

    Adds an actuator to each joint that has a motor, a spring, a damper or
    friction but no actuator, and for the implicit drive a companion to each
    actuator. Models with the torque drive and without such joints don't need
    the call.

    Args:
        driver_config: the motors.
        model_instance_name: the model in the plant, by its name or index.
        sim_plant: the plant, which is not finalized yet.

    Raises:
        InputError: an invalid value or drive, a joint that does not exist, or a
            finalized plant.
    """
    if sim_plant.is_finalized():
        raise InputError(
            "configure_actuators comes before the plant's Finalize, which was"
            " called already"
        )
    name = model_name(sim_plant, model_instance_name)
    driver = checked(driver_config, sim_plant.time_step())
    prepare_actuators(driver, name, sim_plant)


def ApplyDriverConfig(
    driver_config: WebotsMotorDriver,
    model_instance_name: str | ModelInstanceIndex,
    sim_plant: MultibodyPlant,
    models_from_directives: typing.Any = None,
    lcm_buses: LcmBuses | None = None,
    builder: DiagramBuilder | None = None,
) -> MotorSystem:
    """Adds the motors of a model to a diagram and connects them to its plant.

    Example:
        ::

            builder = DiagramBuilder()
            plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=0.008)
            Parser(plant).AddModels(str(wm.MODELS / "lift.urdf"))
            plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
            driver = wm.WebotsMotorDriver(motors={"mast": wm.LinearMotor("slider")})
            wm.configure_actuators(driver, "lift", plant)  # before Finalize
            plant.Finalize()
            motors = wm.ApplyDriverConfig(driver, "lift", plant, builder=builder)

    Args:
        driver_config: the motors.
        model_instance_name: the model in the plant, by its name or index.
        sim_plant: the finalized plant, in `builder`. The motors' stops and
            effort limits are written to it.
        models_from_directives: not used (Drake's hook passes it).
        lcm_buses: buses that include the driver's `lcm_bus`, if it names one.
        builder: the diagram. The motors see all forces at the plant's ports for
            external forces, also those connected later.

    Returns:
        The motors' system, named "<model_instance_name>.motors"; after the plant's name
        if another plant's model has that name. With `reaction_forces` there is
        "<model_instance_name>.joint_wrenches", too. RemoveSystem of the motors removes
        all systems added with them.

    Raises:
        InputError: the configuration does not fit the plant.
    """
    plant = sim_plant
    if builder is None:
        raise InputError("builder is needed: the diagram that the plant is in")
    if not plant.is_finalized():
        raise InputError("the plant comes first: call its Finalize")
    name = model_name(plant, model_instance_name)
    driver = checked(driver_config, plant.time_step())
    # RobotDiagramBuilder's builder cannot be asked once it has built.
    known = find_scene_graph(builder, plant)

    def look_at_contact() -> None:
        """Warns of boxes that would fall through others."""
        built = builder.already_built()  # another may be connected until then
        scene_graph = known if built else find_scene_graph(builder, plant)
        if scene_graph is not None:
            remedy = "call configure_contact before the plant's Finalize"
            warn_of_point_contact(plant, scene_graph, remedy)

    look = when_built(builder, look_at_contact)
    motors = add_motors(driver, name, plant, builder, lcm_buses)
    motors.looks_at_start.insert(0, look)
    return motors


def add_motors(
    driver: CheckedDriver,
    model_instance_name: str,
    plant: MultibodyPlant,
    builder: DiagramBuilder,
    lcm_buses: LcmBuses | None = None,
) -> MotorSystem:
    """Applies a driver as `ApplyDriverConfig` does."""
    config = driver.config
    instance = model_instance(plant, model_instance_name)
    names = lcm_buses.GetAllBusNames() if lcm_buses is not None else []
    if config.lcm_bus and config.lcm_bus not in names:
        problem = unknown_name("LCM bus", config.lcm_bus, names)
        raise InputError(problem, path=("lcm_bus",))
    resolved = resolved_model(driver, instance, plant)
    keep_suspended_apart(builder, plant, instance, config)
    apart = bodies_kept_apart(plant, instance, config.self_collision)
    drive, reason = settle_drive(config.drive, plant, resolved.acting, apart)
    take_over(builder, resolved, drive)
    if not resolved.acting:
        motors = IdleMotors(resolved, driver)
    elif drive == "implicit":
        arm_servos(resolved)
        motors = ImplicitMotors(resolved, driver)
    else:
        motors = TorqueMotors(resolved, driver)
    motors.drive_reason = reason
    name = free_name(builder, plant, model_instance_name)
    motors.set_name(f"{name}.motors")
    builder.AddSystem(motors)
    with belonging_to(builder, motors) as own:
        own.undo.append(lambda: give_back_limits(resolved))
        look = apply_self_collision(
            config.self_collision, builder, plant, instance
        )
        if look is not None:
            motors.looks_at_start.append(look)
        # Before the motors are connected: they see these forces.
        add_propellers(builder, config, motors)
        add_tracks(builder, config, resolved)
        connect(builder, motors)
        if config.reaction_forces:
            add_wrenches(builder, name, motors)
        if config.lcm_bus:
            from webmotor_drake.drive.lcm_channels import add_channels, find_bus

            bus = find_bus(builder, lcm_buses, config.lcm_bus)
            add_channels(builder, name, motors, bus)
    return motors
