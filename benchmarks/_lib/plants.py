"""Plants, built body by body."""

import math
import types
from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    RigidBody,
    RotationalInertia,
    SpatialInertia,
)
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.joint_wrenches import JointWrenches
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.simulation.motor_log import MotorLog

MODEL = "robot"
X, Y, Z = np.eye(3)


def new_plant(
    time_step: float, *, gravity: float = 9.81, sampled: bool = True
) -> MultibodyPlant:
    """Returns an empty plant with the model instance `MODEL`."""
    plant = MultibodyPlant(time_step)
    if time_step:
        plant.SetUseSampledOutputPorts(sampled)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -gravity])
    plant.AddModelInstance(MODEL)
    return plant


def add_body(
    plant: MultibodyPlant,
    name: str,
    *,
    mass: float = 1.0,
    com: Sequence[float] = (0.0, 0.0, -0.25),
    inertia: Sequence[float] = (0.02, 0.0202, 0.0005),
    model: str = MODEL,
) -> RigidBody:
    """Adds a body; `inertia` holds the moments about its centre of mass."""
    return plant.AddRigidBody(
        name,
        plant.GetModelInstanceByName(model),
        SpatialInertia.MakeFromCentralInertia(
            mass, com, RotationalInertia(*inertia)
        ),
    )


def add_joint(
    plant: MultibodyPlant,
    name: str,
    child: RigidBody,
    *,
    axis: Sequence[float] = Y,
    parent: RigidBody | None = None,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    sliding: bool = False,
    damping: float = 0.0,
    effort_limit: float | None = math.inf,
) -> Joint:
    """Adds a joint of one degree of freedom and its actuator.

    Args:
        plant: not finalized.
        name: of the joint and its actuator.
        child: its frame is the joint's.
        axis: in that frame.
        parent: None: the world.
        at: place of the joint in the parent's frame, m.
        sliding: prismatic instead of revolute.
        damping: the model's, N m s/rad or N s/m.
        effort_limit: the actuator's, N m or N; None: no actuator.
    """
    frame = plant.AddFrame(
        FixedOffsetFrame(
            f"{name}_frame",
            (parent or plant.world_body()).body_frame(),
            RigidTransform(p=np.asarray(at, dtype=float)),
            child.model_instance(),
        )
    )
    kind = PrismaticJoint if sliding else RevoluteJoint
    joint = plant.AddJoint(
        kind(name, frame, child.body_frame(), axis, damping=damping)
    )
    if effort_limit is not None:
        plant.AddJointActuator(name, joint, effort_limit)
    return joint


def log_of(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    motors: Mapping[str, MotorSystem],
    wrenches: Mapping[str, JointWrenches] | None = None,
) -> MotorLog:
    """Returns a log of motors in a diagram under construction, without bodies."""
    poses = types.SimpleNamespace(names=[], signals=lambda states: {})
    assembly = types.SimpleNamespace(
        builder=builder,
        plant=plant,
        motors=motors,
        wrenches=wrenches or {},
        poses=poses,
    )
    return MotorLog(assembly, recording=True)
