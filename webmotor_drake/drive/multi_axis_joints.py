"""Joints with two or three motors, as Webots' Hinge2Joint and BallJoint.

Drake drives joints of one degree of freedom. So a Hinge2Joint becomes two revolute
joints over a small intermediate body at its anchor, a BallJoint three over two.
"""

import dataclasses as dc
import math
from collections.abc import Sequence

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    Frame,
    Joint,
    ModelInstanceIndex,
    RevoluteJoint,
    SpatialInertia,
)

from webmotor_drake.contact.inboard import inboard_joints
from webmotor_drake.drive.plant_queries import named_frame
from webmotor_drake.drive.suspension import add_slider
from webmotor_drake.errors import InputError, warn
from webmotor_drake.nodes.joints import BallJoint, Hinge2Joint, JointParameters
from webmotor_drake.nodes.motors import MotorNode

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
        axis, axis2 = _instead_of_parallel(name)
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
    """Adds a BallJoint: three axes; the second is axis3 x axis.

    A motor on the second joint gets soft limits within +-pi/2, where the other two
    axes meet (see `within_quarter_turn`); the joint itself has no stops.

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
        axis, axis3 = _instead_of_parallel(name)
    axis2 = np.cross(axis3, axis)
    return _add_chain(plant, name, parent, child, [axis, axis2, axis3])


def add_joint(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    node: Hinge2Joint | BallJoint,
    first: JointParameters | None,
) -> list[RevoluteJoint]:
    """Adds a joint of a driver to its model.

    Args:
        plant: not yet finalized.
        instance: the model; joints, bodies and frames become its own, wherever
            parent and child are.
        name: name of the joint; those of its axes are "<name>_1" and so on.
        node: checked joint node.
        first: the parameters of its first axis; a Hinge2Joint may have a suspension.

    Raises:
        InputError: a body does not exist or cannot be joined; the path is the field.
    """
    parent = named_frame(plant, instance, node.parent, "parent")
    child = named_frame(plant, instance, node.child, "child")
    _check_tree(plant, parent, child)
    axis, angle = np.array(node.rotation[:3]), node.rotation[3]
    X_PC = RigidTransform(
        AngleAxis(angle, axis / np.linalg.norm(axis)), node.translation
    )
    X_PA = RigidTransform(node.anchor)
    X_CA = X_PC.inverse() @ X_PA
    ends: list[Frame] = [
        plant.AddFrame(FixedOffsetFrame(f"{name}_{end}", frame, X, instance))
        for end, frame, X in (("parent", parent, X_PA), ("child", child, X_CA))
    ]
    if isinstance(node, Hinge2Joint):
        if first is not None and first.has_suspension:
            ends[0] = add_slider(plant, instance, f"{name}_1", ends[0], first)
        return add_hinge2_joint(
            plant, name, *ends, axis=node.axis, axis2=node.axis2
        )
    return add_ball_joint(plant, name, *ends, axis=node.axis, axis3=node.axis3)


def within_quarter_turn(name: str, motor: MotorNode, joint: Joint) -> MotorNode:
    """Returns the motor with the soft limits that a BallJoint's second axis forces.

    Its own limits are clipped to +-pi/2; without own limits it gets +-pi/2
    (WbBallJoint.cpp). Motors of other joints are returned unchanged.
    """
    of_ball = is_of_ball(joint.GetParentPlant(), joint)
    if not (of_ball and joint.name().endswith("_2")):
        return motor
    quarter = math.pi / 2
    low, high = motor.min_position, motor.max_position
    if low == high:
        limits = -quarter, quarter
    else:
        limits = max(low, -quarter), min(high, quarter)
        if limits != (low, high):
            warn(
                f"{name}: the soft limits {low:g} to {high:g} rad are not within"
                f" the quarter turn of a BallJoint's second axis; {limits[0]:g} to"
                f" {limits[1]:g} rad are used"
            )
    return dc.replace(motor, min_position=limits[0], max_position=limits[1])


def is_of_ball(plant: MultibodyPlant, joint: Joint) -> bool:
    """Returns whether a joint is one of the three axes that `add_ball_joint` made."""
    name, _, place = joint.name().rpartition("_")
    between = f"{name}_body_2"
    return place in ("1", "2", "3") and plant.HasBodyNamed(
        between, joint.model_instance()
    )


def _check_tree(plant: MultibodyPlant, parent: Frame, child: Frame) -> None:
    """Refuses a child that already has an inboard joint, or that carries the parent."""
    path = ("child",)
    carried = inboard_joints(plant)
    name, index = child.body().name(), child.body().index()
    if index == plant.world_body().index():
        raise InputError("the world cannot hang on a joint", path=path)
    if index in carried:
        raise InputError(
            f"body {name} hangs on the joint {carried[index].name()} already",
            path=path,
        )
    above = parent.body().index()
    while above in carried and above != index:
        above = carried[above].parent_body().index()
    if above == index:
        raise InputError(f"body {name} carries the parent itself", path=path)


def _instead_of_parallel(name: str) -> tuple[Sequence[float], Sequence[float]]:
    """Returns the axes that Webots takes instead, with a warning."""
    warn(f"joint {name}: its axes are parallel, or one is 0; x and z are used")
    return (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def _add_chain(
    plant: MultibodyPlant,
    name: str,
    parent: Frame,
    child: Frame,
    axes: Sequence[Sequence[float]],
) -> list[RevoluteJoint]:
    """Adds one revolute joint per axis, with a small body between two."""
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
