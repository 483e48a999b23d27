"""Joints with two or three motors, as Webots' Hinge2Joint and BallJoint.

Drake drives joints of one degree of freedom. So a Hinge2Joint becomes two revolute
joints over a small intermediate body at its anchor, a BallJoint three over two.
"""

import math
from collections.abc import Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Frame,
    RevoluteJoint,
    SpatialInertia,
)

# The intermediate body: a sphere, kg and m.
_MASS, _RADIUS = 1e-3, 0.01


def add_hinge2_joint(
    plant: MultibodyPlant,
    name: str,
    parent: Frame,
    child: Frame,
    *,
    axis: Sequence[float] = (1.0, 0.0, 0.0),
    axis2: Sequence[float] = (0.0, 0.0, 1.0),
) -> list[RevoluteJoint]:
    """Adds a Hinge2Joint: two axes, the second carried along by the first.

    Args:
        plant: not yet finalized.
        name: the joints are "<name>_1" and "<name>_2", their actuators as well.
        parent: frame at the anchor, on the parent.
        child: frame on the child that meets `parent` at position 0.
        axis: the first axis in `parent`.
        axis2: the second axis at position 0; parallel axes fall back to x and z
            (WbHinge2Joint.cpp).

    Returns:
        The joints, from parent to child; each has an actuator without a limit.
    """
    if not np.cross(axis, axis2).any():
        axis, axis2 = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    return _add_chain(plant, name, parent, child, [axis, axis2])


def add_ball_joint(
    plant: MultibodyPlant,
    name: str,
    parent: Frame,
    child: Frame,
    *,
    axis: Sequence[float] = (1.0, 0.0, 0.0),
    axis3: Sequence[float] = (0.0, 0.0, 1.0),
) -> list[RevoluteJoint]:
    """Adds a BallJoint: three axes, of which the second is axis3 x axis.

    The second joint is limited to +-pi/2, where the other two axes meet
    (WbBallJoint.cpp).

    Args:
        plant: not yet finalized.
        name: the joints are "<name>_1" to "<name>_3", their actuators as well.
        parent: frame at the anchor, on the parent.
        child: frame on the child that meets `parent` at position 0.
        axis: the first axis in `parent`.
        axis3: the third axis at position 0; parallel axes fall back to x and z.

    Returns:
        The joints, from parent to child; each has an actuator without a limit.
    """
    if not np.cross(axis3, axis).any():
        axis, axis3 = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    axis2 = np.cross(axis3, axis)
    joints = _add_chain(plant, name, parent, child, [axis, axis2, axis3])
    joints[1].set_position_limits([-math.pi / 2], [math.pi / 2])
    return joints


def _add_chain(
    plant: MultibodyPlant,
    name: str,
    parent: Frame,
    child: Frame,
    axes: Sequence[Sequence[float]],
) -> list[RevoluteJoint]:
    """Adds a revolute joint an axis, with a small body between two."""
    instance = child.model_instance()
    inertia = SpatialInertia.SolidSphereWithMass(_MASS, _RADIUS)
    joints = []
    for i, axis in enumerate(axes, start=1):
        end = child
        if i < len(axes):
            body = plant.AddRigidBody(f"{name}_body_{i}", instance, inertia)
            end = body.body_frame()
        joint = plant.AddJoint(
            RevoluteJoint(f"{name}_{i}", parent, end, np.asarray(axis, float))
        )
        plant.AddJointActuator(joint.name(), joint)
        joints.append(joint)
        parent = end
    return joints
