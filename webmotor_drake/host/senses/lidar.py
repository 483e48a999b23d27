"""Distances of Lidars (WbLidar.cpp): images of depth, looked up along rays."""

import math
import typing

import numpy as np
from pydrake.geometry import RenderCameraCore
from pydrake.math import RigidTransform, RotationMatrix

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import device_for
from webmotor_drake.host.senses.camera import ImageSampler, measured
from webmotor_drake.host.senses.renderer import camera_core

# The widest image that stands for a part of the circle, rad.
_WIDEST = math.pi / 2
_MAX_PIXELS = 2048
# The warning to a client that sets the frequency.
NO_ROTATION = "its frequency changes nothing here"
# Neighbours whose inverse depths differ by a larger part are on different surfaces.
_ONE_SURFACE = 0.05


def angles(node: nodes.Lidar) -> tuple[np.ndarray, np.ndarray]:
    """Returns the directions of a lidar: to the left per point, up per layer, rad."""
    points, layers = node.horizontal_resolution, node.number_of_layers
    if node.type == "rotating":
        theta = -2 * math.pi * np.arange(points) / points
    else:
        half = node.field_of_view / 2 if points > 1 else 0.0
        theta = np.linspace(half, -half, points)
    half = node.vertical_field_of_view / 2 if layers > 1 else 0.0
    return theta, np.linspace(half, -half, layers) + node.tilt_angle


def points_of(
    node: nodes.Lidar, ranges: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns x, y and z of the points at some ranges, m, each (layers, points)."""
    theta, phi = angles(node)
    level = np.cos(phi)[:, None]
    with np.errstate(invalid="ignore"):
        return (
            ranges * np.cos(theta) * level,
            ranges * np.sin(theta) * level,
            ranges * np.sin(phi)[:, None],
        )


class _Face(typing.NamedTuple):
    """An image of some points of each layer, in its columns u and rows v."""

    X_DF: RigidTransform
    core: RenderCameraCore
    points: np.ndarray
    u: np.ndarray
    v: np.ndarray
    stretch: np.ndarray  # distance per depth


def _faces(node: nodes.Lidar) -> list[_Face]:
    theta, phi = angles(node)
    turns = np.mod(theta + math.pi, 2 * math.pi) - math.pi
    low, high = turns.min(), turns.max()
    number = max(math.ceil((high - low) / _WIDEST + 1e-9), 1)
    width = (high - low) / number
    step = (high - low) / max(len(theta) - 1, 1) or 0.01
    faces = []
    for k in range(number):
        centre = low + (k + 0.5) * width
        first = low + k * width
        last = low + (k + 1) * width if k < number - 1 else math.inf
        points = np.flatnonzero((turns >= first) & (turns < last))
        if len(points):
            faces.append(_face(node, centre, turns[points], phi, points, step))
    return faces


def _face(
    node: nodes.Lidar,
    centre: float,
    turns: np.ndarray,
    phi: np.ndarray,
    points: np.ndarray,
    step: float,
) -> _Face:
    """Returns the image that looks towards `centre`, rad."""
    aside = turns - centre
    right = -np.broadcast_to(np.tan(aside), (len(phi), len(aside)))
    down = -np.tan(phi)[:, None] / np.cos(aside)
    reach = max(abs(right).max(), 1e-3), max(abs(down).max(), 1e-3)
    pixel = max(step, 2 * max(reach) / (_MAX_PIXELS - 4))
    columns, rows = (2 * math.ceil(r / pixel) + 4 for r in reach)
    return _Face(
        X_DF=RigidTransform(RotationMatrix.MakeZRotation(centre)),
        core=camera_core(
            columns, rows, 1 / pixel, node.min_range, 1.01 * node.max_range
        ),
        points=points,
        u=right / pixel + columns / 2 - 0.5,
        v=down / pixel + rows / 2 - 0.5,
        stretch=np.sqrt(1 + right**2 + down**2),
    )


def looked_up(depth: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Returns the depth at points between pixels.

    Interpolates the inverse depth, which is linear on a plane. Where neighbours are
    on different surfaces, takes the nearest pixel.
    """
    inverse = 1 / depth
    left, top = np.floor(u).astype(int), np.floor(v).astype(int)
    du, dv = u - left, v - top
    corners = np.stack(
        [inverse[top + j, left + i] for j in (0, 1) for i in (0, 1)]
    )
    weights = np.stack(
        [(1 - du) * (1 - dv), du * (1 - dv), (1 - du) * dv, du * dv]
    )
    nearest = inverse[np.rint(v).astype(int), np.rint(u).astype(int)]
    spread = corners.max(axis=0) - corners.min(axis=0)
    smooth = spread <= _ONE_SURFACE * corners.max(axis=0)
    with np.errstate(divide="ignore"):
        return 1 / np.where(smooth, (corners * weights).sum(axis=0), nearest)


@device_for(nodes.Lidar)
class LidarSampler(ImageSampler[nodes.Lidar]):
    """Samples distances, m: layer by layer from the top, from left to right."""

    def __init__(self, node: nodes.Lidar, *rest: typing.Any):
        super().__init__(node, *rest)
        self._faces: list[_Face] | None = None
        self.value = self.seen = np.zeros(
            (node.number_of_layers, node.horizontal_resolution), np.float32
        )

    def sensed(self) -> np.ndarray:
        """Returns distances, (layers, points)."""
        node = self.node
        shape = node.number_of_layers, node.horizontal_resolution
        distances = np.full(shape, math.inf)
        if not self.renderer.works():
            return distances
        if self._faces is None:
            self._faces = _faces(node)
        X_WD = self.place.X_WD()
        for face in self._faces:
            depth = self.renderer.depth(X_WD @ face.X_DF, face.core)
            depth = looked_up(depth, face.u, face.v)
            distances[:, face.points] = depth * face.stretch
        return measured(distances, node, self.random)
