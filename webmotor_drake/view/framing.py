"""Places cameras, so that a robot fills the picture."""

import dataclasses as dc
import math
from collections.abc import Sequence

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.geometry import Meshcat
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.simulation.extent import Sphere

# Meshcat's own field of view, from top to bottom, rad; three.js has 75 degrees.
MESHCAT_FOV = math.radians(75)

Vector = Sequence[float] | np.ndarray

# From the robot to the camera: in front of it, to its right, a little above.
TOWARDS_CAMERA = np.array([1.0, -1.0, 0.55])

# How far the camera stands off, beyond where it just sees the sphere: the robot
# is going to move.
_ROOM = 1.8


def camera_place(
    sphere: Sphere, fov_y: float, *, room: float = 1.0
) -> np.ndarray:
    """Returns where a camera sees all of a sphere, shape (3,), m.

    Args:
        sphere: a sphere around what is looked at.
        fov_y: the camera's field of view, rad.
        room: factor on the distance that it needs.
    """
    distance = room * sphere.radius / math.sin(fov_y / 2)
    towards = TOWARDS_CAMERA / np.linalg.norm(TOWARDS_CAMERA)
    return sphere.center + distance * towards


def look_at(
    sphere: Sphere,
    meshcat: Meshcat,
    gravity: Vector,
    *,
    room: float = _ROOM,
) -> None:
    """Has browsers look at a sphere; see `camera_place`.

    Meshcat has z up: a world with y up is turned.
    """
    R = upright(gravity).inverse()
    if not R.IsExactlyIdentity():
        for path in (*_DRAWN, _AXES):
            meshcat.SetTransform(path, RigidTransform(R, [0, 0, 0]))
    turned = dc.replace(sphere, center=R @ sphere.center)
    place = camera_place(turned, MESHCAT_FOV, room=room)
    meshcat.SetCameraPose(place, turned.center)


def upright(gravity: Vector) -> RotationMatrix:
    """Returns the turn from z up to the world's own up; Webots' may have y up.

    Args:
        gravity: of the world, m/s^2.
    """
    up = -np.array(gravity, float)
    if not up.any() or not np.cross(up, [0, 0, 1]).any():
        return RotationMatrix()
    axis = np.cross([0, 0, 1], up)
    angle = math.atan2(float(np.linalg.norm(axis)), float(up[2]))
    turn = AngleAxis(angle=angle, axis=axis / np.linalg.norm(axis))
    return RotationMatrix(turn)


# What Meshcat draws: the simulation and our marks, and what shows its own place.
_DRAWN, _GRID, _AXES = ("/drake", "/webmotor"), "/Grid", "/Axes"

# Joints of bodies that may go anywhere.
_FREE = ("quaternion_floating", "rpy_floating", "planar")


def follow_robot(
    meshcat: Meshcat, gravity: Vector, moved: np.ndarray, time: float
) -> None:
    """Keeps a robot where it started on the screen, by moving the world under it.

    Meshcat's camera is its user's: moved from here, it would go on looking at the
    place where it was.

    Args:
        meshcat: Meshcat that it is in.
        gravity: of the world at its start, m/s^2.
        moved: way of the robot from its start, shape (3,), m.
        time: moment in a recording, s.
    """
    R = upright(gravity).inverse()
    for path in _DRAWN:
        meshcat.SetTransform(path, RigidTransform(R, -(R @ moved)), time)
    meshcat.SetTransform(_GRID, RigidTransform(-(R @ moved)), time)


def robot_place(plant: MultibodyPlant, context: Context) -> np.ndarray:
    """Returns the middle of the robots' free bodies, shape (3,), m.

    Robots without a free body stay where they are. What has no motors counts only
    where nothing has any.
    """
    places = [
        plant.EvalBodyPoseInWorld(context, body).translation()
        for body in free_bodies(plant)
    ]
    return np.mean(places, axis=0) if places else np.zeros(3)


def free_bodies(plant: MultibodyPlant) -> list[RigidBody]:
    """Returns the bodies that may go anywhere: the robots', else all such."""
    free = [joint.child_body() for joint in free_joints(plant)]
    driven = [
        body for body in free if plant.num_actuators(body.model_instance())
    ]
    return driven or free


def free_joints(plant: MultibodyPlant) -> list[Joint]:
    """Returns the joints of bodies that may go anywhere."""
    joints = map(plant.get_joint, plant.GetJointIndices())
    return [joint for joint in joints if joint.type_name() in _FREE]
