"""Carries parameters of the plant's Context over to servos in the contact solver.

Two parameters of a joint have another meaning there than to their user. Of
several actuators on a joint Drake takes the last one's rotor, which is not the
model's own but one that `add_servo` brought along. And a node's spring and damper
act as damping of the joint, beside the model's own. So what the user told the model's
own actuator and joint is carried over, in the Context itself, whenever its parameters
have changed: before the first step, and between two steps later.

A joint's damping then is the user's and the node's. Which of both it is stands in the
Context, too, where clones and copies of the parameters have it along: the damping that
was written last is noted as the place of a frame that nothing is fixed to.
"""

from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, Joint
from pydrake.systems.framework import Context

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import actuators_on
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.joints import JointParameters

# No damping is this: nothing was written yet.
_NOTHING_WRITTEN = -1.0
# End of the name of a note's frame.
_NOTE = "_damping_written"


def added_damping(plant: MultibodyPlant, parameters: JointParameters) -> float:
    """Returns the damping that a node's spring and damper add to its joint."""
    damping = abs(parameters.damping_constant)
    return damping + plant.time_step() * abs(parameters.spring_constant)


def add_damping_note(plant: MultibodyPlant, joint: Joint) -> None:
    """Adds the frame that notes which damping was written to a joint."""
    frame = FixedOffsetFrame(
        name=joint.name() + _NOTE,
        P=plant.world_frame(),
        X_PF=RigidTransform([_NOTHING_WRITTEN, 0.0, 0.0]),
        model_instance=joint.model_instance(),
    )
    plant.AddFrame(frame)


class ServoParameters:
    """The joints and actuators whose parameters are carried over.

    Args:
        model: motors of which `add_servo` has prepared the joints.

    Raises:
        InputError: a joint has a spring or damper now that it had not when it was
            prepared.
    """

    def __init__(self, model: ModelMotors):
        plant, servos = model.plant, model.acting
        parameters = model.acting_parameters
        self._rotors = [
            (servo, actuators_on(plant, servo.joint())[-1]) for servo in servos
        ]
        self._dampings = [
            (servo.joint(), _note_frame(plant, servo.joint()), added)
            for servo, given in zip(servos, parameters, strict=True)
            if (added := added_damping(plant, given))
        ]

    def carry_over(self, context: Context) -> list[str]:
        """Writes rotors and damping where the plant's solver finds them.

        Args:
            context: the plant's, which is changed.

        Returns:
            The names of the joints of which the damping was another.
        """
        for own, last in self._rotors:
            if last.gear_ratio(context) != own.gear_ratio(context):
                last.SetGearRatio(context, own.gear_ratio(context))
            if last.rotor_inertia(context) != own.rotor_inertia(context):
                last.SetRotorInertia(context, own.rotor_inertia(context))
        changed = []
        for joint, frame, added in self._dampings:
            damping = joint.GetDampingVector(context)[0]
            note = frame.GetPoseInParentFrame(context).translation()[0]
            if damping != note:
                damping += added
                joint.SetDampingVector(context, [damping])
                note = RigidTransform([damping, 0.0, 0.0])
                frame.SetPoseInParentFrame(context, note)
                changed.append(joint.name())
        return changed


def _note_frame(plant: MultibodyPlant, joint: Joint) -> FixedOffsetFrame:
    name, instance = joint.name() + _NOTE, joint.model_instance()
    if not plant.HasFrameNamed(name, instance):
        raise InputError(
            f"joint {joint.name()} had no spring or damper when"
            " configure_actuators was called; give both the same driver",
            path=("joints", joint.name()),
        )
    return plant.GetFrameByName(name, instance)
