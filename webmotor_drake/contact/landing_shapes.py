"""The corners and the faces with which shapes land on each other."""

import itertools
from collections.abc import Collection
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
    SceneGraphInspector,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.contact.corner_names import corners_of
from webmotor_drake.contact.inboard import bodies_of
from webmotor_drake.contact.proximity import has_patch, lets_in, stiffness_of
from webmotor_drake.contact.shape_contact import collision_shapes

# Faces that stand for the side of a cylinder.
_SIDES = 16
# Balls may go into a face by this share of their radius: there Drake holds them.
_LET_IN = 0.5
# The least radius of a core, m.
_THINNEST = 0.01
# Points along an edge, as shares of its length from its middle.
_ALONG = (-0.25, 0.0, 0.25)


class LandingShape(NamedTuple):
    """A shape that lands on others, or on which others land, in a frame M.

    Attributes:
        geometry: the shape.
        mover: index of M among the movers; 0: the world.
        points: its corners, then points on its edges, each the middle of a sphere and
            its radius, m, shape (m, 4).
        outs: heights by which these spheres stick out of the shape, m, shape (m,).
        corners: number of corners.
        carry: number of its first points that carry it by two: then no others count.
        lie: number of its first points that count only if it lies on its side.
        axis: direction of its z axis, shape (3,).
        ball: geometry of one of its corners; None without.
        stiffness: stiffness of a corner, N/m.
        let_in: depth down to which its corners do not land, m.
        middle: centre of the shape, m, shape (3,).
        reach: distance from its middle to its farthest point, m.
        planes: planes of its faces: normals, outwards, and offsets, m, shape (k, 4).
    """

    geometry: GeometryId
    mover: int
    points: np.ndarray
    outs: np.ndarray
    corners: int
    carry: int
    lie: int
    axis: np.ndarray
    ball: GeometryId | None
    stiffness: float
    let_in: float
    middle: np.ndarray
    reach: float
    planes: np.ndarray


def landing_shapes(
    plant: MultibodyPlant,
    inspector: SceneGraphInspector,
    bodies: dict[int, tuple[int, RigidTransform]],
    free: Collection[int],
    *,
    cores: str,
) -> tuple[list[LandingShape], bool]:
    """Returns the shapes with a patch, and balls of bodies that are free.

    Round wheels and feet are left to Drake. So are shapes with a patch but no corners,
    unless they are so fast that they could pass: then a sphere in the middle, the
    shape's core, lands for them.

    Args:
        plant: finalized plant.
        inspector: inspector of its scene graph.
        bodies: index of M, and pose in it, of each body to look at, by body index.
        free: indices of the frames M without joints.
        cores: shapes that get a core: "" (none), "others" (those without corners), or
            "all" (also those with corners, instead of these).

    Returns:
        The shapes, and whether anything that moves is left out.
    """
    found, left = [], False
    for body in bodies_of(plant):
        if (place := bodies.get(int(body.index()))) is None:
            continue
        for geometry in collision_shapes(plant, inspector, body):
            properties = inspector.GetProximityProperties(geometry)
            # In a Context all shapes have a patch's properties.
            round_one = isinstance(inspector.GetShape(geometry), Sphere)
            ball = place[0] in free and not lets_in(properties)
            lands = ball if round_one else has_patch(properties)
            if not lands and (lets_in(properties) or not cores):
                left |= place[0] > 0
                continue
            shape = _shape(inspector, geometry, *place)
            if shape.mover and (shape.ball is None or cores == "all"):
                left |= not cores
                shape = _with_core(inspector, shape) if cores else shape
            found.append(shape)
    return found, left


def _shape(
    inspector: SceneGraphInspector,
    geometry: GeometryId,
    mover: int,
    X_MB: RigidTransform,
) -> LandingShape:
    shape = inspector.GetShape(geometry)
    X_MG = X_MB @ inspector.GetPoseInFrame(geometry)
    ball = isinstance(shape, Sphere)
    balls = [geometry] if ball else corners_of(inspector, geometry)
    places = [X_MB @ inspector.GetPoseInFrame(ball) for ball in balls]
    corners = np.array([[*X.translation()] for X in places]).reshape(-1, 3)
    forms = [inspector.GetShape(ball) for ball in balls]
    # The rolling corners of short cylinders are ellipsoids about the axis.
    radii = np.array(
        [s.radius() if isinstance(s, Sphere) else s.a() for s in forms]
    )
    planes = _faces(inspector, geometry)
    planes[:, :3] = planes[:, :3] @ X_MG.rotation().matrix().T
    planes[:, 3] += planes[:, :3] @ X_MG.translation()
    edges = X_MG.multiply(_edges(shape).T).T if balls else np.zeros((0, 3))
    box = inspector.GetObbInGeometryFrame(geometry)
    middle = X_MG @ (np.zeros(3) if box is None else box.center())
    spheres = np.r_[radii, np.zeros(len(edges))]
    points = np.column_stack([np.vstack([corners, edges]), spheres])
    away = np.linalg.norm(points[:, :3] - middle, axis=1) + spheres
    return LandingShape(
        geometry,
        mover,
        points,
        np.r_[radii + _below(shape, planes, corners), np.zeros(len(edges))],
        len(balls),
        2 if isinstance(shape, Cylinder | Capsule) and balls else len(balls),
        sum(not isinstance(s, Sphere) for s in forms),
        X_MG.rotation().matrix()[:, 2],
        balls[0] if balls else None,
        stiffness_of(inspector, balls[0]) if balls else 0.0,
        _LET_IN * shape.radius() if ball else 0.0,
        middle,
        float(away.max(initial=0.0)),
        planes,
    )


def _with_core(
    inspector: SceneGraphInspector, shape: LandingShape
) -> LandingShape:
    box = inspector.GetObbInGeometryFrame(shape.geometry)
    if box is None:  # a half space
        return shape
    match own := inspector.GetShape(shape.geometry):
        case Cylinder() | Capsule():
            radius = own.radius()
        case _:
            radius = max(float(box.half_width().min()), _THINNEST)
    return shape._replace(
        points=np.array([[*shape.middle, radius]]),
        outs=np.zeros(1),
        corners=1,
        carry=1,
        lie=0,
        ball=shape.geometry,
        let_in=_LET_IN * radius,
        reach=float(np.linalg.norm(box.half_width())),
    )


def _below(shape: Shape, planes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Returns the heights of corners' middles over their shape, m, negative."""
    if isinstance(shape, Capsule | Sphere):
        return np.full(len(corners), -shape.radius())
    heights = corners @ planes[:, :3].T - planes[:, 3]
    return heights.max(axis=1, initial=-np.inf)


def _edges(shape: Shape) -> np.ndarray:
    """Returns points on the edges of a box, m, shape (e, 3)."""
    if not isinstance(shape, Box):
        return np.zeros((0, 3))
    ways = itertools.product(range(3), _ALONG, (-0.5, 0.5), (-0.5, 0.5))
    return shape.size() * [np.roll(point, axis) for axis, *point in ways]


def _faces(inspector: SceneGraphInspector, geometry: GeometryId) -> np.ndarray:
    """Returns the planes of a shape's faces in its frame, shape (k, 4)."""
    match shape := inspector.GetShape(geometry):
        case HalfSpace():
            return np.array([[0.0, 0.0, 1.0, 0.0]])
        case Box():
            normals = np.vstack([np.eye(3), -np.eye(3)])
            return np.column_stack([normals, np.tile(shape.size() / 2, 2)])
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
