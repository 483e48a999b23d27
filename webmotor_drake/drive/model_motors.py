"""The joints and actuators of a plant that motors and JointParameters name."""

import dataclasses as dc
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    JointActuator,
    ModelInstanceIndex,
    PrismaticJoint,
    RevoluteJoint,
)

from webmotor_drake.drive.matched_gains import felt_inertia, matched_gains
from webmotor_drake.drive.multi_axis_joints import within_quarter_turn
from webmotor_drake.drive.plant_queries import (
    find_actuators,
    find_joint,
    gains_of,
    is_brought,
)
from webmotor_drake.errors import InputError
from webmotor_drake.motor.coupling import harmonised
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.models.motor_networks import MotorNetworks
from webmotor_drake.motor.models.parameters import model_rows
from webmotor_drake.nodes.check import with_fallbacks
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import (
    MotorNode,
    RotationalMotor,
    is_modelled,
    widened,
)


@dc.dataclass(frozen=True)
class NamedJoint:
    """A joint of the plant that a motor, JointParameters or a brake name.

    Attributes:
        joint: the joint.
        parameters: its JointParameters, after Webots' fallbacks.
        actuator: actuator of the joint; None if it needs none.
        model_effort: the actuator's effort limit in the model, N m or N; infinite
            for one that a motor brought along, None without an actuator.
        driver: driver of its model.
    """

    joint: Joint
    parameters: JointParameters
    actuator: JointActuator | None
    model_effort: float | None
    driver: DriverConfig


@dc.dataclass
class ModelMotors:
    """The motors of a model and the joints of its plant that they act on.

    Attributes:
        plant: the plant, finalized.
        motors: the nodes by motor name, after Webots' fallbacks, n of them.
        named: the motors' joints, then others with JointParameters or a brake.
        brakes: indices in `acting` of the brakes' joints, by brake name.
        instance: the model; None for the motors of several models.
        own_gains: PD gains p and d of actuators in the model, by their name.
    """

    plant: MultibodyPlant
    motors: dict[str, MotorNode]
    named: list[NamedJoint]
    brakes: dict[str, int]
    instance: ModelInstanceIndex | None = None
    own_gains: dict[str, tuple[float, float]] = dc.field(default_factory=dict)

    @property
    def driven(self) -> list[NamedJoint]:
        """The motors' joints, in device order."""
        return self.named[: len(self.motors)]

    @property
    def passive(self) -> list[NamedJoint]:
        """The joints that have no motor."""
        return self.named[len(self.motors) :]

    @property
    def joints(self) -> list[Joint]:
        """The joints of the plant, in the order of `named`."""
        return [named.joint for named in self.named]

    @property
    def kinematic(self) -> list[bool]:
        """One value per motor: True if its joint is kinematic."""
        return [driven.parameters.kinematic for driven in self.driven]

    @property
    def brought(self) -> list[bool]:
        """One value per motor: True if its actuator is from `add_motor_actuator`."""
        return [is_brought(driven.actuator) for driven in self.driven]

    @property
    def acting(self) -> list[JointActuator]:
        """The actuators there are, in the order of the joints."""
        return [n.actuator for n in self.named if n.actuator is not None]

    @property
    def acting_parameters(self) -> list[JointParameters]:
        """The JointParameters of the acting joints."""
        return [n.parameters for n in self.named if n.actuator is not None]

    @property
    def softness(self) -> np.ndarray:
        """The acting joints' cfm, rad/s/(N m) or m/s/N.

        It is 0 for kinematic joints, and for dry friction beside a motor model: a joint
        that sticks does not creep.
        """
        softness = [
            0.0 if n.parameters.kinematic else n.driver.cfm
            for n in self.named
            if n.actuator is not None
        ]
        for i, motor in enumerate(self.motors.values()):
            if is_modelled(motor):
                softness[i] = 0.0
        return np.array(softness)

    @property
    def actuators(self) -> list[JointActuator]:
        """All actuators of the model, or of the plant, in the order of its port."""
        model = () if self.instance is None else (self.instance,)
        indices = self.plant.GetJointActuatorIndices(*model)
        return list(map(self.plant.get_joint_actuator, indices))

    def actuation_slots(self) -> tuple[int, np.ndarray]:
        """Returns the size of the actuation port, and the acting actuators' places."""
        places = {a.index(): i for i, a in enumerate(self.actuators)}
        slots = [places[actuator.index()] for actuator in self.acting]
        return len(places), np.array(slots, dtype=int)


def model_laws(model: ModelMotors, period: float) -> ModelLaws | None:
    """Returns the laws of the motors that have a model; None without any.

    Args:
        model: the motors.
        period: their period, s.

    Raises:
        InputError: the plant is continuous, or a motor model lacks a value.
    """
    plant = model.plant
    modelled = {n: m for n, m in model.motors.items() if is_modelled(m)}
    if not modelled:
        return None
    if plant.time_step() == 0:
        name, motor = next(iter(modelled.items()))
        raise InputError(
            f"{motor.motor_model} needs a discrete plant; a time_step above 0 is"
            " allowed",
            path=("motors", name, "motor_model"),
        )
    context = plant.CreateDefaultContext()
    driven = [named.joint.velocity_start() for named in model.driven]
    inertia = felt_inertia(plant, context, driven)
    kp, kd = matched_gains(model.motors.values(), inertia, period)
    friction = [named.parameters.static_friction for named in model.driven]
    rotors = [
        named.actuator.default_reflected_inertia() if named.actuator else 0.0
        for named in model.driven
    ]
    rows = model_rows(model.motors, friction, kp, kd, rotors)
    learned = any(m.motor_model == "learned" for m in modelled.values())
    networks = MotorNetworks(model.motors, period) if learned else None
    return ModelLaws(rows, plant.time_step(), networks)


def resolve(
    plant: MultibodyPlant, instance: ModelInstanceIndex, config: DriverConfig
) -> ModelMotors:
    """Finds the joints of a checked driver and applies Webots' fallbacks.

    Raises:
        InputError: a joint that does not exist or does not fit its node; the
            path starts with "motors", "joints" or "brakes".
    """
    motors, joints, brakes = config.motors, config.joints, config.brakes
    actuators = find_actuators(plant, instance)
    there = named_joints(plant, instance, config)
    _check_motors(motors, there, actuators)
    driven = {name: there[motor.joint] for name, motor in motors.items()}
    names = {motor.joint for motor in motors.values()}
    braked = [brake.joint for brake in brakes.values()]
    passive = [n for n in dict.fromkeys([*joints, *braked]) if n not in names]
    acting = {name for name, given in joints.items() if given.needs_actuator}
    acting |= names.union(braked)
    for name, path in _paths(config).items():
        if name in acting - actuators.keys():
            raise InputError(
                "the joint has no actuator to carry its spring, damper,"
                " friction, inertia or brake; call configure_actuators before"
                " the plant's Finalize",
                path=path,
            )
    found = [*driven.values(), *map(there.__getitem__, passive)]
    named = []
    for joint in found:
        parameters = joints.get(joint.name(), JointParameters())
        actuator = actuators[joint.name()] if joint.name() in acting else None
        named.append(
            NamedJoint(
                joint,
                with_fallbacks(joint.name(), parameters),
                actuator,
                None if actuator is None else actuator.effort_limit(),
                config,
            )
        )
    in_order = [joint.name() for joint in found if joint.name() in acting]
    model = ModelMotors(
        plant,
        motors=_with_fallbacks(motors, driven),
        named=named,
        brakes={
            name: in_order.index(brake.joint) for name, brake in brakes.items()
        },
        instance=instance,
    )
    model.own_gains = {
        actuator.name(): gains_of(actuator)
        for actuator in model.actuators
        if actuator.has_controller()
    }
    return model


def named_joints(
    plant: MultibodyPlant, instance: ModelInstanceIndex, config: DriverConfig
) -> dict[str, Joint]:
    """Returns the joints that a driver's entries name, by their names.

    Raises:
        InputError: a joint that the model does not have; the path is the entry's.
    """
    return {
        name: find_joint(plant, instance, name, path)
        for name, path in _paths(config).items()
    }


def _paths(config: DriverConfig) -> dict[str, tuple[str, ...]]:
    """Returns the first entry of a driver that names a joint, by joint."""
    paths = {}
    for table in ("motors", "joints", "brakes", "position_sensors"):
        for name, node in getattr(config, table).items():
            path = (table, name)
            if table != "joints":
                name, path = node.joint, (*path, "joint")
            paths.setdefault(name, path)
    return paths


def _with_fallbacks(
    motors: Mapping[str, MotorNode], joints: Mapping[str, Joint]
) -> dict[str, MotorNode]:
    """Returns the motors with Webots' fallbacks; coupled ones follow the first."""
    nodes = {
        name: within_quarter_turn(
            name, with_fallbacks(name, motor), joints[name]
        )
        for name, motor in motors.items()
    }
    return _widened(harmonised(_widened(nodes, joints)), joints)


def _widened(
    motors: Mapping[str, MotorNode], joints: Mapping[str, Joint]
) -> dict[str, MotorNode]:
    return {
        name: widened(name, motor, joints[name].default_positions()[0])
        for name, motor in motors.items()
    }


def _check_motors(
    motors: Mapping[str, MotorNode],
    joints: Mapping[str, Joint],
    actuators: Mapping[str, JointActuator],
) -> None:
    """Refuses motors that do not fit their joints, or share one."""
    owner: dict[str, str] = {}
    for name, motor in motors.items():
        problem = _misfit(joints[motor.joint], motor, actuators)
        if motor.joint in owner:
            problem = (
                f"joint {motor.joint} has the motor {owner[motor.joint]!r}"
                " already; one is allowed"
            )
        if problem:
            raise InputError(problem, path=("motors", name, "joint"))
        owner[motor.joint] = name


def _misfit(
    joint: Joint, motor: MotorNode, actuators: Mapping[str, JointActuator]
) -> str:
    """Returns why `motor` cannot drive `joint`; empty if it can."""
    wanted = (
        RevoluteJoint if isinstance(motor, RotationalMotor) else PrismaticJoint
    )
    if not isinstance(joint, wanted):
        return (
            f"a {type(motor).__name__} cannot drive the {joint.type_name()}"
            f" joint {joint.name()}; a {wanted.kTypeName} joint is allowed"
        )
    if joint.name() not in actuators:
        return (
            f"joint {joint.name()} has no actuator (a model without one, or"
            " with an effort limit of 0, leaves a joint passive); call"
            " configure_actuators, which adds it, before the plant's Finalize"
        )
    return ""
