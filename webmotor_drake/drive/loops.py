"""Joints that close a chain, as constraints of the plant.

A hinge keeps two points of its axis together, a ball joint keeps one.
"""

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Frame,
    ModelInstanceIndex,
    RigidBody,
    SpatialInertia,
)

from webmotor_drake.drive.plant_queries import named_frame
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.joints import Loop

# The body that stands for the world.
ANCHOR = "loop_anchor"
# The distance between a hinge's two points, m.
_APART = 0.1
# A gap that the solver closes in a step or two without harm, m.
_CLOSED = 1e-3


def close_loop(
    plant: MultibodyPlant, instance: ModelInstanceIndex, loop: Loop
) -> None:
    """Adds the constraints of a loop.

    Args:
        plant: discrete plant, not yet finalized.
        instance: model of body names that give no model.
        loop: checked loop joint.

    Raises:
        InputError: a body is missing, both are the same, or the plant is continuous.
    """
    if plant.time_step() == 0:
        raise InputError(
            "a continuous plant (time_step 0) cannot hold a closed loop; a time"
            " above 0 is needed"
        )
    parent, child = _ends(plant, instance, loop)
    if parent.body().index() == child.body().index():
        raise InputError(
            f"parent and child are both of body {child.body().name()}",
            path=("child",),
        )
    X_PF, X_CF = (f.GetFixedPoseInBodyFrame() for f in (parent, child))
    first, second = (
        held_body(plant, f.body(), instance) for f in (parent, child)
    )
    if loop.type == "fixed":
        plant.AddWeldConstraint(
            body_A=first,
            X_AP=X_PF @ RigidTransform(loop.anchor),
            body_B=second,
            X_BQ=X_CF @ RigidTransform(loop.child_anchor),
        )
        return
    for p_F, p_G in _points(loop):
        plant.AddBallConstraint(
            body_A=first, p_AP=X_PF @ p_F, body_B=second, p_BQ=X_CF @ p_G
        )


def held_body(
    plant: MultibodyPlant, body: RigidBody, instance: ModelInstanceIndex
) -> RigidBody:
    """Returns the body to constrain; for the world, a body welded to it.

    Drake (1.51 and 1.58) ends the process in the first step of a constraint to the
    world itself.
    """
    if body.index() != plant.world_body().index():
        return body
    if not plant.HasBodyNamed(ANCHOR, instance):
        anchor = plant.AddRigidBody(ANCHOR, instance, SpatialInertia.Zero())
        plant.WeldFrames(plant.world_frame(), anchor.body_frame())
    return plant.GetBodyByName(ANCHOR, instance)


def check_closed(
    plant: MultibodyPlant, instance: ModelInstanceIndex, loop: Loop
) -> None:
    """Raises InputError for a loop that is open where the finalized plant starts."""
    if not plant.num_constraints():
        raise InputError(
            "the loop needs a call of configure_actuators before the plant's Finalize"
        )
    context = plant.CreateDefaultContext()
    parent, child = _ends(plant, instance, loop)
    X_WP, X_WC = (f.CalcPoseInWorld(context) for f in (parent, child))
    gaps = [np.linalg.norm(X_WP @ p - X_WC @ q) for p, q in _points(loop)]
    if max(gaps) > _CLOSED:
        raise InputError(
            f"the loop is open by {max(gaps):.3g} m where its joints start; at most"
            f" {_CLOSED:g} m are closed, by other initial positions or anchors"
        )


def _ends(
    plant: MultibodyPlant, instance: ModelInstanceIndex, loop: Loop
) -> tuple[Frame, Frame]:
    return (
        named_frame(plant, instance, loop.parent, "parent"),
        named_frame(plant, instance, loop.child, "child"),
    )


def _points(loop: Loop) -> list[tuple[np.ndarray, np.ndarray]]:
    """Returns the points that stay together, in the parent's and child's frame."""
    first = np.array(loop.anchor), np.array(loop.child_anchor)
    if loop.type != "hinge":
        return [first]
    axes = np.array(loop.axis), np.array(loop.child_axis)
    second = tuple(
        point + _APART * axis / np.linalg.norm(axis)
        for point, axis in zip(first, axes, strict=True)
    )
    return [first, (second[0], second[1])]
