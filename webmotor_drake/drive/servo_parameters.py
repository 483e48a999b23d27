"""Carries parameters of the plant's Context over to servos in the contact solver.

Two parameters of a joint mean something else to the solver than to the user. Of several
actuators on a joint Drake uses the last one's rotor: that of an actuator added by
`add_servo`, not the model's own. And a node's spring and damper add to the joint's own
damping. So the user's values of the model's own actuator and joint are carried over,
within the Context, whenever its parameters have changed: before the first step, and
later between two steps.

A joint's damping then is the sum of the user's and the node's. The sum last written is
noted in the Context, too, so that clones and copies have it: as the position of a frame
that carries nothing. Any other damping is a new value of the user's.
"""

from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, Joint
from pydrake.systems.framework import Context

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import actuators_on
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.joints import JointParameters

# No damping is negative: nothing was written yet.
_NOTHING_WRITTEN = -1.0
# Suffix of the name of a note's frame.
_NOTE = "_damping_written"


def added_damping(plant: MultibodyPlant, parameters: JointParameters) -> float:
    """Returns the damping that a node's spring and damper add to its joint."""
    damping = abs(parameters.damping_constant)
    return damping + plant.time_step() * abs(parameters.spring_constant)


def add_damping_note(plant: MultibodyPlant, joint: Joint) -> None:
    """Adds the frame that notes the damping last written to a joint."""
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
        model: motors whose joints `add_servo` has prepared.

    Raises:
        InputError: a joint has a spring or damper that it lacked when it was prepared.
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
            context: Context of the plant, which is changed.

        Returns:
            The names of the joints whose damping was changed.
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
