"""Centres of mass of several bodies of a plant."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody
from pydrake.systems.framework import Context


def center_of(
    plant: MultibodyPlant, context: Context, bodies: list[BodyIndex]
) -> np.ndarray | None:
    """Returns the centre of mass of bodies, m, shape (3,); None without mass."""
    total, moment = 0.0, np.zeros(3)
    for index in bodies:
        body = plant.get_body(index)
        mass = body.get_mass(context)
        X_WB = plant.EvalBodyPoseInWorld(context, body)
        p_BC = body.CalcCenterOfMassInBodyFrame(context)
        total += mass
        moment += mass * (X_WB @ p_BC)
    return moment / total if total else None


def welded_arm(
    plant: MultibodyPlant, context: Context, body: RigidBody
) -> np.ndarray:
    """Returns the centre of mass of a body and its welds, relative to it."""
    welded = [
        other.index()
        for other in plant.GetBodiesWeldedTo(body)
        if other.index() != plant.world_body().index()
    ]
    origin = plant.EvalBodyPoseInWorld(context, body)
    center = center_of(plant, context, welded)
    return np.zeros(3) if center is None else center - origin.translation()
