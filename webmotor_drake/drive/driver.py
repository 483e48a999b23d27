"""Webots motors as a driver of Drake's hardware_sim.

`WebotsMotorDriver` goes into a scenario's `model_drivers`; Drake's
ApplyDriverConfigs finds `ApplyDriverConfig` here, in the module of the config.
"""

import functools
import typing
from collections.abc import Callable

from pydrake.geometry import SceneGraph
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    ModelInstanceIndex,
)
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.lcm import LcmBuses

from webmotor_drake.contact.thin_contact import warn_of_point_contact
from webmotor_drake.drive.device_mounts import find_mounts, light_mounts
from webmotor_drake.drive.drive_choice import choose_drive, settle_drive
from webmotor_drake.drive.idle_motors import IdleMotors
from webmotor_drake.drive.implicit_motors import ImplicitMotors
from webmotor_drake.drive.loops import check_closed, close_loop
from webmotor_drake.drive.model_motors import ModelMotors, resolve
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.multi_axis_joints import add_joint
from webmotor_drake.drive.own_gains import take_over
from webmotor_drake.drive.plant_limits import configure_plant
from webmotor_drake.drive.plant_queries import (
    add_motor_actuator,
    find_actuators,
    find_joint,
    model_name,
)
from webmotor_drake.drive.propellers import (
    add_propeller_joint,
    add_propellers,
)
from webmotor_drake.drive.self_collision import (
    apply_self_collision,
    bodies_kept_apart,
    find_scene_graph,
)
from webmotor_drake.drive.servo_actuators import add_servo, arm_servos
from webmotor_drake.drive.suspension import (
    add_suspension,
    keep_suspended_apart,
)
from webmotor_drake.drive.torque_motors import TorqueMotors
from webmotor_drake.drive.tracks import add_track_joint, add_tracks
from webmotor_drake.drive.when_built import when_built
from webmotor_drake.drive.wiring import add_wrenches, connect
from webmotor_drake.errors import InputError, below, unknown_name, warn
from webmotor_drake.motor.driver_checks import CheckedDriver, checked
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.nodes.field import node
from webmotor_drake.nodes.motors import (
    JointParameters,
)


@node
class WebotsMotorDriver(DriverConfig):
    """The motors of a model instance, as Webots describes them.

    It stands in a scenario's `model_drivers`, or is given to `ApplyDriverConfig`.
    """


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
        InputError: a value or drive that cannot be, a joint that does not exist, or
            a plant that is finalized.
    """
    if sim_plant.is_finalized():
        raise InputError(
            "configure_actuators comes before the plant's Finalize, which was"
            " called already"
        )
    name = model_name(sim_plant, model_instance_name)
    driver = checked(driver_config, sim_plant.time_step())
    prepare_actuators(driver, name, sim_plant)


def prepare_actuators(
    driver: CheckedDriver, model_instance_name: str, sim_plant: MultibodyPlant
) -> None:
    """Does what `configure_actuators` says."""
    config = driver.config
    instance = model_instance(sim_plant, model_instance_name)
    _add_structure(config, instance, sim_plant)
    actuators = find_actuators(sim_plant, instance)

    def joint(name: str, *path: str) -> Joint:
        return find_joint(sim_plant, instance, name, path)

    driven = {
        motor.joint: joint(motor.joint, "motors", name, "joint")
        for name, motor in config.motors.items()
    }
    passive = {
        name: joint(name, "joints", name)
        for name, parameters in config.joints.items()
        if parameters.needs_actuator and name not in driven
    }
    for name, sensor in config.position_sensors.items():
        joint(sensor.joint, "position_sensors", name, "joint")
    braked = {
        brake.joint: joint(brake.joint, "brakes", name, "joint")
        for name, brake in config.brakes.items()
    }
    for name, there in driven.items():
        if name not in actuators:
            actuators[name] = add_motor_actuator(sim_plant, there)
    acting = {**driven, **passive, **braked}
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
            )
        elif name not in actuators:
            sim_plant.AddJointActuator(f"{name}_parameters", there)


def _add_structure(
    config: DriverConfig,
    instance: ModelInstanceIndex,
    sim_plant: MultibodyPlant,
) -> None:
    """Adds the joints and loops that a driver brings along."""
    _add_multi_axis_joints(config, instance, sim_plant)
    for name, parameters in config.joints.items():
        if parameters.has_suspension:
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
        lcm_buses: where the driver's `lcm_bus` is, if it names one.
        builder: the diagram. What acts on the plant's ports for external forces is
            seen by the motors, whenever it is connected.

    Returns:
        The motors' system, named "<model_instance_name>.motors". With
        `reaction_forces` there is "<model_instance_name>.joint_wrenches", too.

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
    look = functools.partial(_look_at_contact, builder, plant, known)
    looks = [when_built(builder, look)]
    motors = add_motors(driver, name, plant, builder, lcm_buses)
    if motors.look_at_start is not None:
        looks.append(motors.look_at_start)
    motors.look_at_start = functools.partial(_all_of, looks)
    return motors


def _all_of(looks: list[Callable[[], None]]) -> None:
    for look in looks:
        look()


def _look_at_contact(
    builder: DiagramBuilder, plant: MultibodyPlant, known: SceneGraph | None
) -> None:
    """Warns of boxes that would fall through others.

    Args:
        builder: the diagram; another scene graph may be connected until it is built.
        plant: in the diagram.
        known: the scene graph that was connected when the motors came.
    """
    built = builder.already_built()
    scene_graph = known if built else find_scene_graph(builder, plant)
    if scene_graph is not None:
        remedy = "call configure_contact before the plant's Finalize"
        warn_of_point_contact(plant, scene_graph, remedy)


def add_motors(
    driver: CheckedDriver,
    model_instance_name: str,
    plant: MultibodyPlant,
    builder: DiagramBuilder,
    lcm_buses: LcmBuses | None = None,
) -> MotorSystem:
    """Does what `ApplyDriverConfig` says."""
    config = driver.config
    instance = model_instance(plant, model_instance_name)
    _check_bus(config, lcm_buses)
    resolved = resolved_model(driver, instance, plant)
    settings = {
        "period": driver.period,
        "schedule": driver.schedule,
        "battery": driver.battery,
        "delay": config.delay,
    }
    look = apply_self_collision(config.self_collision, builder, plant, instance)
    keep_suspended_apart(builder, plant, instance, config)
    apart = bodies_kept_apart(plant, instance, config.self_collision)
    drive, reason = settle_drive(config.drive, plant, resolved.acting, apart)
    take_over(builder, plant, instance, resolved, drive)
    if not resolved.acting:
        motors = IdleMotors(plant, resolved, **settings)
    elif drive == "implicit":
        arm_servos(plant, resolved, config.cfm)
        motors = ImplicitMotors(plant, resolved, cfm=config.cfm, **settings)
    else:
        motors = TorqueMotors(plant, resolved, cfm=config.cfm, **settings)
    motors.drive_reason, motors.look_at_start = reason, look
    motors.set_name(f"{model_instance_name}.motors")
    builder.AddSystem(motors)
    add_propellers(
        builder, plant, instance, config
    )  # which the motors then see
    add_tracks(builder, plant, instance, config)
    connect(builder, plant, instance, motors)
    if config.reaction_forces:
        add_wrenches(builder, plant, model_instance_name, motors)
    if config.lcm_bus:
        from webmotor_drake.drive.lcm_channels import add_channels, find_bus

        bus = find_bus(builder, lcm_buses, config.lcm_bus)
        add_channels(builder, plant, model_instance_name, motors, bus)
    return motors


def _check_bus(config: DriverConfig, lcm_buses: LcmBuses | None) -> None:
    """Refuses an LCM bus that does not exist."""
    names = lcm_buses.GetAllBusNames() if lcm_buses is not None else []
    if config.lcm_bus and config.lcm_bus not in names:
        problem = unknown_name("LCM bus", config.lcm_bus, names)
        raise InputError(problem, path=("lcm_bus",))


def _add_multi_axis_joints(
    config: DriverConfig,
    instance: ModelInstanceIndex,
    plant: MultibodyPlant,
) -> None:
    """Adds the joints that the driver brings along."""
    for name, added in config.multi_axis_joints.items():
        with below("multi_axis_joints", name):
            add_joint(plant, instance, name, added)


def resolved_model(
    driver: CheckedDriver,
    instance: ModelInstanceIndex,
    plant: MultibodyPlant,
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
    for name in config.multi_axis_joints:
        if not plant.HasJointNamed(f"{name}_1", instance):
            raise InputError(
                "the joint needs a call of configure_actuators before the"
                " plant's Finalize",
                path=("multi_axis_joints", name),
            )
    for name, sensor in config.position_sensors.items():
        path = ("position_sensors", name, "joint")
        find_joint(plant, instance, sensor.joint, path)
    find_mounts(plant, instance, config.devices)
    light_mounts(plant, instance, config.lights)
    for name, position in driver.start_positions.items():
        path = ("motors", name, "joint")
        joint = find_joint(plant, instance, config.motors[name].joint, path)
        joint.set_default_positions([position])
    for name, loop in config.loops.items():
        with below("loops", name):
            check_closed(plant, instance, loop)
    resolved = resolve(
        plant, instance, config.motors, config.joints, config.brakes
    )
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
