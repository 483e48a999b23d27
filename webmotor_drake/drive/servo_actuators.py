"""The actuators that make a joint a velocity servo in the plant's contact solver."""

from collections.abc import Iterable

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    JointActuator,
    JointIndex,
    ModelInstanceIndex,
    PdControllerGains,
)

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import BRAKE, COMPANION, MODEL_LOOP
from webmotor_drake.drive.servo_parameters import (
    add_damping_note,
    added_damping,
)
from webmotor_drake.errors import InputError
from webmotor_drake.loops.servo_pieces import NO_DAMPING
from webmotor_drake.nodes.joints import JointParameters

# The largest cfm^-1 of a servo. The solver caps it anyway.
_STIFFEST = 1e12


def add_servo(
    plant: MultibodyPlant,
    joint: Joint,
    actuator: JointActuator | None,
    parameters: JointParameters,
    *,
    braked: bool = False,
    modelled: bool = False,
) -> None:
    """Adds the actuators that make a joint a velocity servo; `arm_servos` turns it on.

    Args:
        plant: not yet finalized.
        joint: joint to drive.
        actuator: the joint's own; None adds one.
        parameters: the joint's spring and damper.
        braked: True if a brake will add damping at run time.
        modelled: True if its motor is no Webots servo.

    Raises:
        InputError: the joint has been prepared already.
    """
    if plant.HasJointActuatorNamed(
        joint.name() + COMPANION, joint.model_instance()
    ):
        raise InputError(
            f"configure_actuators has prepared joint {joint.name()} already"
        )
    if actuator is None:
        actuator = plant.AddJointActuator(f"{joint.name()}_parameters", joint)
    last = plant.AddJointActuator(joint.name() + COMPANION, joint)
    if modelled:
        last = plant.AddJointActuator(joint.name() + MODEL_LOOP, joint)
    if braked:
        last = plant.AddJointActuator(joint.name() + BRAKE, joint)
    # Of several actuators on a joint Drake takes the last one's rotor.
    last.set_default_gear_ratio(actuator.default_gear_ratio())
    last.set_default_rotor_inertia(actuator.default_rotor_inertia())
    if added_damping(plant, parameters):
        add_damping_note(plant, joint)


def arm_servos(plant: MultibodyPlant, model: ModelMotors, cfm: float) -> None:
    """Gives a model's servos and brakes their gains.

    Args:
        plant: the finalized plant.
        model: motors of which `add_servo` has prepared the joints.
        cfm: softness of the servos, rad/s/(N m) or m/s/N.
    """
    stiffness = min(1.0 / cfm, _STIFFEST) if cfm > 0 else _STIFFEST
    for servo in model.acting:
        servo.set_controller_gains(PdControllerGains(p=0.0, d=stiffness))
    for i in model.brakes.values():
        joint = model.acting[i].joint()
        brake = plant.GetJointActuatorByName(
            joint.name() + BRAKE, joint.model_instance()
        )
        brake.set_controller_gains(PdControllerGains(p=0.0, d=NO_DAMPING))


def prepared_joints(
    plant: MultibodyPlant, models: Iterable[ModelInstanceIndex]
) -> dict[JointIndex, Joint]:
    """Returns the joints of models that `add_servo` has prepared, by index."""
    return {
        joint.index(): joint
        for model in models
        for joint in map(plant.get_joint, plant.GetJointIndices(model))
        if plant.HasJointActuatorNamed(joint.name() + COMPANION, model)
    }
