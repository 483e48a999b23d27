"""Where to look from, so that a robot fills the picture."""

import math

import numpy as np
from pydrake.geometry import Meshcat
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.simulation.extent import Sphere

# Meshcat's own field of view, from top to bottom, rad; three.js has 75 degrees.
MESHCAT_FOV = math.radians(75)

# From the robot to the camera: in front of it, to its right, a little above.
TOWARDS_CAMERA = np.array([1.0, -1.0, 0.6])

# How far the camera stands off, beyond where it just sees the sphere: the robot
# is going to move.
_ROOM = 1.8


def camera_place(
    sphere: Sphere, fov_y: float, *, room: float = 1.0
) -> np.ndarray:
    """Returns where a camera sees all of a sphere, shape (3,), m.

    Args:
        sphere: what is looked at.
        fov_y: the camera's field of view, rad.
        room: how much further away it stands than it has to, as a factor.
    """
    distance = room * sphere.radius / math.sin(fov_y / 2)
    towards = TOWARDS_CAMERA / np.linalg.norm(TOWARDS_CAMERA)
    return sphere.center + distance * towards


def look_at(sphere: Sphere, meshcat: Meshcat, *, room: float = _ROOM) -> None:
    """Has browsers look at a sphere; see `camera_place`."""
    place = camera_place(sphere, MESHCAT_FOV, room=room)
    meshcat.SetCameraPose(place, sphere.center)


def follow_camera(meshcat: Meshcat, moved: np.ndarray, time: float) -> None:
    """Takes the camera along, and leaves to its user how it looks.

    Args:
        meshcat: where it is.
        moved: how far from the start, shape (3,), m.
        time: when, in a recording, s.
    """
    meshcat.SetTransform("/Cameras/default", RigidTransform(moved), time)


def robot_place(plant: MultibodyPlant, context: Context) -> np.ndarray:
    """Returns where the robots are: the middle of their free bodies, shape (3,), m.

    Robots without a free body stay where they are.
    """
    free = [
        plant.EvalBodyPoseInWorld(context, plant.get_body(index)).translation()
        for index in sorted(plant.GetFloatingBaseBodies(), key=int)
    ]
    return np.mean(free, axis=0) if free else np.zeros(3)
