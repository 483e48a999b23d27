"""The places in the plant where devices are mounted."""

import dataclasses as dc
from collections.abc import Mapping

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    ModelInstanceIndex,
    RigidBody,
    WeldJoint,
)

from webmotor_drake.contact.inboard import inboard_joints
from webmotor_drake.drive.plant_queries import carrier_frame, model_names
from webmotor_drake.errors import InputError, below, unknown_name, warn
from webmotor_drake.nodes.device import DeviceNode, Pose
from webmotor_drake.nodes.distance import TouchSensor
from webmotor_drake.nodes.images import Camera
from webmotor_drake.nodes.lights import Light


@dc.dataclass(frozen=True)
class Mount:
    """The mount of a device D.

    Attributes:
        body: the body B that carries D.
        X_BD: pose of D in B.
        robot: model that has the device, even if B is the world.
    """

    body: RigidBody
    X_BD: RigidTransform
    robot: ModelInstanceIndex


def find_mounts(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    nodes: Mapping[str, DeviceNode | Light],
    table: str = "devices",
) -> dict[str, Mount]:
    """Returns the mounts of devices or lights, by their names.

    The axes of a light are those of its frame.

    Args:
        plant: plant that contains the model.
        instance: the model.
        nodes: nodes of a table of its driver.
        table: name of the table, "devices" or "lights".

    Raises:
        InputError: a frame that the model does not have.
    """
    mounts = {}
    for name, node in nodes.items():
        with below(table, name):
            if isinstance(node, DeviceNode):
                X_FD = transform_of(node.pose)
            else:
                X_FD = RigidTransform(getattr(node, "location", [0.0] * 3))
            bodiless = not plant.GetBodyIndices(instance)
            if node.frame == "world" or (bodiless and not node.frame):
                frame = plant.world_frame()
            else:
                frame = carrier_frame(plant, instance, node.frame)
            X_BD = frame.GetFixedPoseInBodyFrame() @ X_FD
            mounts[name] = Mount(frame.body(), X_BD, instance)
            if isinstance(node, TouchSensor):
                _check_touch(plant, mounts[name].body, node)
            elif isinstance(node, Camera) and node.recognition is not None:
                known = model_names(plant)
                for model in node.recognition.recognition_colors:
                    if model not in known:
                        raise InputError(
                            unknown_name("model", model, known),
                            path=("recognition", "recognition_colors", model),
                        )
    return mounts


def weld_of(plant: MultibodyPlant, body: RigidBody) -> Joint:
    """Returns the weld joint that a body hangs on.

    Raises:
        InputError: the body has no weld joint.
    """
    joint = inboard_joints(plant).get(body.index())
    if isinstance(joint, WeldJoint):
        return joint
    raise InputError(
        f"body {body.name()} hangs on no weld joint, whose force a TouchSensor of"
        " type force or force-3d measures",
        path=("frame",),
    )


def transform_of(pose: Pose) -> RigidTransform:
    """Returns a checked pose as Drake's transform."""
    *axis, angle = pose.rotation
    turn = RotationMatrix()
    if any(axis):
        unit = np.array(axis) / np.linalg.norm(axis)
        turn = RotationMatrix(AngleAxis(angle=angle, axis=unit))
    return RigidTransform(turn, pose.translation)


def _check_touch(
    plant: MultibodyPlant, body: RigidBody, node: TouchSensor
) -> None:
    """Refuses a force sensor without a weld; warns of a bumper without shapes."""
    if node.type != "bumper":
        weld_of(plant, body)
    elif not plant.GetCollisionGeometriesForBody(body):
        warn(
            f"body {body.name()} of a TouchSensor has no collision shape: the"
            " sensor reads 0, as in Webots"
        )
