"""The corners and the faces with which shapes land on each other."""

from typing import NamedTuple

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    GeometryId,
    HalfSpace,
    Mesh,
    Role,
    SceneGraphInspector,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.contact.corner_names import is_corner, shape_of
from webmotor_drake.contact.inboard import bodies_of, fixed_shapes
from webmotor_drake.contact.proximity import STIFFNESS, has_patch

# Faces that stand for the side of a cylinder.
_SIDES = 16
# Points along an edge, as shares of its length from its middle.
_ALONG = (-0.25, 0.0, 0.25)


class LandingShape(NamedTuple):
    """A shape of a body B that lands on others, or on which others land.

    Attributes:
        geometry: the shape.
        place: its body's place among all.
        moves: True if it is not fixed to the world.
        corners: its corners, each the middle of a sphere in B, m, shape (m, 3).
        radii: those of the spheres, m, shape (m,).
        outs: how far these stick out of the shape, m, shape (m,).
        ball: one of these spheres; None without.
        stiffness: of a corner, N/m.
        edges: points on its edges in B, m, shape (e, 3).
        middle: its middle in B, m, shape (3,).
        reach: from there to the farthest corner, m.
        normals: those of its faces in B, outwards, shape (k, 3).
        offsets: how far the faces are along these from B's origin, m, shape (k,).
        box: normals and offsets of a box around it, shape (6, 4).
    """

    geometry: GeometryId
    place: int
    moves: bool
    corners: np.ndarray
    radii: np.ndarray
    outs: np.ndarray
    ball: GeometryId | None
    stiffness: float
    edges: np.ndarray
    middle: np.ndarray
    reach: float
    normals: np.ndarray
    offsets: np.ndarray
    box: np.ndarray


def landing_shapes(
    plant: MultibodyPlant, inspector: SceneGraphInspector
) -> list[LandingShape]:
    """Returns the shapes with a patch.

    Args:
        plant: finalized.
        inspector: of its scene graph.
    """
    fixed = {g.get_value() for g in fixed_shapes(plant)}
    found = []
    for body in bodies_of(plant):
        frame = plant.GetBodyFrameIdIfExists(body.index())
        if frame is None:
            continue
        shapes = inspector.GetGeometries(frame, Role.kProximity)
        balls: dict[int, list[GeometryId]] = {}
        own = []
        for shape in sorted(shapes, key=GeometryId.get_value):
            if not is_corner(inspector, shape):
                own.append(shape)
            elif isinstance(inspector.GetShape(shape), Sphere):
                balls.setdefault(shape_of(inspector, shape), []).append(shape)
        for shape in own:
            number = shape.get_value()
            if has_patch(inspector.GetProximityProperties(shape)):
                corners = balls.get(number, [])
                place, moves = int(body.index()), number not in fixed
                found.append(_shape(inspector, shape, place, moves, corners))
    return found


def _shape(
    inspector: SceneGraphInspector,
    geometry: GeometryId,
    place: int,
    moves: bool,
    balls: list[GeometryId],
) -> LandingShape:
    X_BG = RigidTransform(inspector.GetPoseInFrame(geometry))
    corners = np.array(
        [inspector.GetPoseInFrame(ball).translation() for ball in balls]
    ).reshape(-1, 3)
    radii = np.array([inspector.GetShape(ball).radius() for ball in balls])
    box = inspector.GetObbInGeometryFrame(geometry)
    if box is None:  # a half space
        middle, around = X_BG.translation(), np.zeros((0, 4))
    else:
        X_BO = X_BG @ box.pose()
        middle = X_BO.translation()
        around = _placed(X_BO, _of_box(box.half_width()))
    faces = _placed(X_BG, _faces(inspector, geometry))
    if not len(around):
        around = faces
    around = around[np.arange(6) % len(around)]
    reach = (np.linalg.norm(corners - middle, axis=1) + radii).max(initial=0)
    stiffness = 0.0
    if balls:
        properties = inspector.GetProximityProperties(balls[0])
        stiffness = properties.GetProperty(*STIFFNESS)
    return LandingShape(
        geometry,
        place,
        moves,
        corners,
        radii,
        radii + _below(inspector, geometry, faces, corners),
        balls[0] if balls else None,
        stiffness,
        X_BG.multiply(_edges(inspector.GetShape(geometry)).T).T,
        middle,
        float(reach),
        faces[:, :3],
        faces[:, 3],
        around,
    )


def _below(
    inspector: SceneGraphInspector,
    geometry: GeometryId,
    faces: np.ndarray,
    corners: np.ndarray,
) -> np.ndarray:
    """Returns how far corners are below the surface of their shape, m, negative."""
    if not len(faces):
        shape = inspector.GetShape(geometry)
        radius = shape.radius() if isinstance(shape, Capsule) else 0.0
        return np.full(len(corners), -radius)
    heights = corners @ faces[:, :3].T - faces[:, 3]
    return heights.max(axis=1, initial=-np.inf)


def _edges(shape: Shape) -> np.ndarray:
    """Returns points on the edges of a box, m, shape (e, 3)."""
    if not isinstance(shape, Box):
        return np.zeros((0, 3))
    points = [
        np.roll([along, one, other], axis)
        for axis in range(3)
        for along in _ALONG
        for one in (-0.5, 0.5)
        for other in (-0.5, 0.5)
    ]
    return np.array(points) * shape.size()


def _placed(X_BG: RigidTransform, planes: np.ndarray) -> np.ndarray:
    """Returns planes (normal, offset) of a frame G in B, shape (k, 4)."""
    normals = planes[:, :3] @ X_BG.rotation().matrix().T
    offsets = planes[:, 3] + normals @ X_BG.translation()
    return np.column_stack([normals, offsets])


def _of_box(half: np.ndarray) -> np.ndarray:
    normals = np.vstack([np.eye(3), -np.eye(3)])
    return np.column_stack([normals, np.tile(half, 2)])


def _faces(inspector: SceneGraphInspector, geometry: GeometryId) -> np.ndarray:
    """Returns the planes of a shape's faces in its frame, shape (k, 4)."""
    match shape := inspector.GetShape(geometry):
        case HalfSpace():
            return np.array([[0.0, 0.0, 1.0, 0.0]])
        case Box():
            return _of_box(shape.size() / 2)
        case Cylinder():
            angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
            ends = [[0, 0, z, shape.length() / 2] for z in (-1, 1)]
            sides = [[np.cos(a), np.sin(a), 0, shape.radius()] for a in angles]
            return np.array(ends + sides, float)
        case Convex() | Mesh():
            hull = inspector.GetConvexHull(geometry)
            faces = range(hull.num_elements()) if hull is not None else ()
            planes = [
                [*(n := hull.face_normal(i)), n @ hull.element_centroid(i)]
                for i in faces
            ]
            return np.reshape(planes, (-1, 4))
    return np.zeros((0, 4))
