"""Where in the plant devices are mounted."""

import dataclasses as dc
from collections.abc import Mapping

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Frame, ModelInstanceIndex, RigidBody

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.motor.device_nodes import DeviceNode, Pose


@dc.dataclass(frozen=True)
class Mount:
    """Where a device D sits.

    Attributes:
        body: the body B that it is on.
        X_BD: its pose there.
    """

    body: RigidBody
    X_BD: RigidTransform


def find_mounts(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    devices: Mapping[str, DeviceNode],
) -> dict[str, Mount]:
    """Returns where devices are, by their names.

    Raises:
        InputError: a frame that the model does not have.
    """
    mounts = {}
    for name, node in devices.items():
        with below("devices", name):
            frame = _find_frame(plant, instance, node.frame)
        X_BF = frame.GetFixedPoseInBodyFrame()
        mounts[name] = Mount(frame.body(), X_BF @ transform_of(node.pose))
    return mounts


def transform_of(pose: Pose) -> RigidTransform:
    """Returns a checked pose as Drake has it."""
    *axis, angle = pose.rotation
    turn = RotationMatrix()
    if any(axis):
        unit = np.array(axis) / np.linalg.norm(axis)
        turn = RotationMatrix(AngleAxis(angle=angle, axis=unit))
    return RigidTransform(turn, pose.translation)


def _find_frame(
    plant: MultibodyPlant, instance: ModelInstanceIndex, name: str
) -> Frame:
    bodies = plant.GetBodyIndices(instance)
    if not name and bodies:
        return plant.get_body(bodies[0]).body_frame()
    if not name or not plant.HasFrameNamed(name, instance):
        frames = map(plant.get_frame, plant.GetFrameIndices(instance))
        known = [frame.name() for frame in frames if frame.name()]
        problem = unknown_name("body or frame", name, known)
        raise InputError(problem, path=("frame",))
    return plant.GetFrameByName(name, instance)
