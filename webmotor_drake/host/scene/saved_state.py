"""The positions of joints and welds, saved to go back to them."""

import dataclasses as dc

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, FixedOffsetFrame
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import movable_frame


@dc.dataclass(frozen=True)
class SavedState:
    """The saved positions of joints and welds.

    Attributes:
        places: the joints' places among the plant's positions.
        positions: the positions.
        welds: the frames that bodies are welded to, and their poses.
    """

    places: list[int]
    positions: np.ndarray
    welds: list[tuple[FixedOffsetFrame, RigidTransform]]


def save(
    plant: MultibodyPlant, context: Context, bodies: set[BodyIndex]
) -> SavedState:
    """Returns the positions of the joints and welds that bodies hang on."""
    places, welds = [], []
    for joint in map(plant.get_joint, plant.GetJointIndices()):
        if joint.child_body().index() in bodies:
            first = joint.position_start()
            places += range(first, first + joint.num_positions())
            frame = movable_frame(plant, joint)
            if frame is not None:
                welds.append((frame, frame.GetPoseInParentFrame(context)))
    q = plant.GetPositions(context)
    return SavedState(places, q[places], welds)


def restore(plant: MultibodyPlant, context: Context, state: SavedState) -> None:
    """Moves joints and welds to their saved positions."""
    q = plant.GetPositions(context)
    q[state.places] = state.positions
    plant.SetPositions(context, q)
    for frame, pose in state.welds:
        frame.SetPoseInParentFrame(context, pose)
