"""Joints, actuators and frames of a plant, by the names that users give them."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Frame,
    FrameIndex,
    Joint,
    JointActuator,
    ModelInstanceIndex,
    PrismaticJoint,
    RevoluteJoint,
)

from webmotor_drake.errors import InputError, unknown_name

# Suffixes of actuator names: of those that motors bring along, and of those beside a
# joint's own actuator: companion, brake, friction, loop of a motor model.
_BROUGHT = "_webots_motor"
COMPANION, BRAKE = "_companion", "_brake"
STATIC_FRICTION, MODEL_LOOP = "_static_friction", "_model_loop"


def model_name(plant: MultibodyPlant, model: str | ModelInstanceIndex) -> str:
    """Returns the name of a model that is given by its name or index.

    Raises:
        InputError: it is neither, or no model has the index. A name is not looked up.
    """
    if isinstance(model, str):
        return model
    if not isinstance(model, ModelInstanceIndex):
        raise InputError(
            f"a model is given by its name or its ModelInstanceIndex, not by a"
            f" {type(model).__name__}"
        )
    number = plant.num_model_instances()
    if not model.is_valid() or int(model) >= number:
        raise InputError(
            f"no model has the index {model}; the plant has {number} models"
        )
    return plant.GetModelInstanceName(model)


def find_joint(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    path: tuple[str, ...],
) -> Joint:
    """Returns the joint called `name`, which has one degree of freedom.

    Raises:
        InputError: no such joint; the message lists the existing ones. The path is
            `path`.
    """
    joints = {
        joint.name(): joint
        for joint in map(plant.get_joint, plant.GetJointIndices(instance))
        if isinstance(joint, RevoluteJoint | PrismaticJoint)
    }
    if name in joints:
        return joints[name]
    problem = unknown_name("revolute or prismatic joint", name, joints)
    if plant.HasJointNamed(name, instance):
        kind = plant.GetJointByName(name, instance).type_name()
        problem = (
            f"{name} is a {kind} joint; revolute and prismatic ones are driven:"
            f" {', '.join(joints) or 'the model has none'}"
        )
    raise InputError(problem, path=path)


def find_actuators(
    plant: MultibodyPlant, instance: ModelInstanceIndex
) -> dict[str, JointActuator]:
    """Returns the actuators of a model by the name of their joint.

    Of several on a joint the last one counts, except those added beside it. A discrete
    plant ignores the actuation of the others (measured, 1.51 to 1.58), and every plant
    ignores their rotors.
    """
    found: dict[str, JointActuator] = {}
    # Before Finalize a plant lists the actuators of all models only.
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        joint = actuator.joint()
        own = actuator.name() not in beside(joint)
        if actuator.model_instance() == instance and own:
            found[joint.name()] = actuator
    return found


def beside(joint: Joint) -> tuple[str, ...]:
    """Returns the names of actuators that are added beside a joint's own."""
    ends = COMPANION, BRAKE, STATIC_FRICTION, MODEL_LOOP
    return tuple(joint.name() + end for end in ends)


def add_beside(
    plant: MultibodyPlant, actuator: JointActuator, end: str
) -> None:
    """Adds an actuator beside a joint's own; its name ends with `end`."""
    joint = actuator.joint()
    other = plant.AddJointActuator(joint.name() + end, joint)
    # Drake uses the rotor of the last actuator on a joint.
    other.set_default_gear_ratio(actuator.default_gear_ratio())
    other.set_default_rotor_inertia(actuator.default_rotor_inertia())


def actuators_on(plant: MultibodyPlant, joint: Joint) -> list[JointActuator]:
    """Returns all actuators of a joint; Drake uses the rotor of the last one."""
    model = plant.GetJointActuatorIndices(joint.model_instance())
    actuators = map(plant.get_joint_actuator, model)
    return [a for a in actuators if a.joint().index() == joint.index()]


def gains_of(actuator: JointActuator) -> tuple[float, float]:
    """Returns an actuator's PD gains p and d; 0 and 0 without gains."""
    if not actuator.has_controller():
        return 0.0, 0.0
    gains = actuator.get_controller_gains()
    return gains.p, gains.d


def add_motor_actuator(plant: MultibodyPlant, joint: Joint) -> JointActuator:
    """Adds the actuator that a motor brings along to a joint without one.

    In Webots the motor is the actuator. Many URDFs have no `transmission`, and
    Drake leaves out actuators with an effort limit of 0. The only limit is the motor's.

    Args:
        plant: not yet finalized.
        joint: joint that the motor drives.
    """
    return plant.AddJointActuator(f"{joint.name()}{_BROUGHT}", joint)


def is_brought(actuator: JointActuator) -> bool:
    """Returns whether the actuator is from `add_motor_actuator`."""
    return actuator.name().endswith(_BROUGHT)


def position_limits(joint: Joint) -> tuple[float, float]:
    """Returns the joint's stops in the plant, rad or m; infinite without stops."""
    return joint.position_lower_limits()[0], joint.position_upper_limits()[0]


def model_instance(
    plant: MultibodyPlant, model_instance_name: str
) -> ModelInstanceIndex:
    """Returns the model's index; raises InputError if there is no such model."""
    if not plant.HasModelInstanceNamed(model_instance_name):
        known = model_names(plant)
        raise InputError(unknown_name("model", model_instance_name, known))
    return plant.GetModelInstanceByName(model_instance_name)


def model_names(plant: MultibodyPlant, first: int = 2) -> list[str]:
    """Returns the names of the models after the first ones, which are Drake's own."""
    return [
        plant.GetModelInstanceName(ModelInstanceIndex(i))
        for i in range(first, plant.num_model_instances())
    ]


def _model_frame(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    field: str = "frame",
    kind: str = "body or frame",
) -> Frame:
    """Returns a frame of a model by its name; errors call it a `kind`."""
    if plant.HasFrameNamed(name, instance):
        return plant.GetFrameByName(name, instance)
    frames = map(plant.get_frame, map(FrameIndex, range(plant.num_frames())))
    known = [f.name() for f in frames if f.model_instance() == instance]
    problem = unknown_name(kind, name, filter(None, known))
    raise InputError(problem, path=(field,))


def carrier_frame(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    field: str = "frame",
) -> Frame:
    """Returns a model's frame by its name; if it is empty, its first body's frame.

    Raises:
        InputError: no such frame; the path is the field.
    """
    if not name:
        return plant.get_body(plant.GetBodyIndices(instance)[0]).body_frame()
    return _model_frame(plant, instance, name, field)


def named_frame(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    field: str,
) -> Frame:
    """Returns the frame of a body, or another frame, by its name in a plant.

    Args:
        plant: plant that contains the model.
        instance: model of names that give no model.
        name: "name", "model::name" or "world".
        field: path of an InputError.

    Raises:
        InputError: no such frame.
    """
    if name == "world":
        return plant.world_frame()
    model, _, local = name.rpartition("::")
    if model:
        if not plant.HasModelInstanceNamed(model):
            problem = unknown_name("model", model, model_names(plant, 0))
            raise InputError(problem, path=(field,))
        instance = plant.GetModelInstanceByName(model)
    return _model_frame(plant, instance, local, field, "body")
