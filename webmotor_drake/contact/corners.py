"""Small spheres in the corners of shapes, which carry the shapes.

A hydroelastic patch has its force in the middle of each polygon, well within the face
that lies on it: upright boxes tip at two thirds of the right slope. So corners carry,
and the patch is for edges and for the middles of faces. Corners stick out a little,
since things pitch where the patch carries. Larger spheres inside round shapes let them
roll, which they do not on a patch.

Users do not see corners: `own_shapes` leaves them out.
"""

import collections
import itertools
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from pydrake.geometry import (
    AddContactMaterial,
    Box,
    Capsule,
    CollisionFilterDeclaration,
    Convex,
    Cylinder,
    Ellipsoid,
    GeometryId,
    GeometrySet,
    Mesh,
    ProximityProperties,
    SceneGraph,
    SceneGraphInspector,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import CoulombFriction, MultibodyPlant
from pydrake.multibody.tree import RigidBody

from webmotor_drake.contact.corner_names import corner_name
from webmotor_drake.contact.inboard import (
    Mechanisms,
    bodies_of,
    inboard_joints,
    moving_root,
    shape_bodies,
)
from webmotor_drake.contact.proximity import FRICTION, same_filters
from webmotor_drake.contact.shape_contact import (
    COMPLIANT,
    RIGID,
    STIFF,
    ShapeContact,
    collision_shapes,
)
from webmotor_drake.errors import warn

# Height by which corners stick out: a share of the least edge, between two lengths, m,
# and at most another share of that edge.
_SHARE, _LEAST, _MOST, _THIN = 2e-3, 1e-4, 5e-4, 0.25
# Stiffness of corners, N/m. One corner under a body's whole weight gives way by the
# height it sticks out: a harder one is held beyond its friction as it goes in. Fixed
# corners hardly give way.
_FIXED_STIFFNESS = 1e9
# Hunt and Crossley's dissipation, s/m: with more of it corners emerge slowly.
_DISSIPATION, _FIXED_DISSIPATION = 20.0, 50.0
# Inset of a box's corners: a share of its least edge, and the most, m. It lets boxes of
# the same size carry each other.
_WITHIN, _MOST_WITHIN = 5e-3, 1e-3
# Corners per rim, their inset, m, and the length, in radii, above which the two spheres
# in a cylinder are apart.
_RIM, _IN_RIM, _LONG = 8, 2e-4, 2.2
# The most corners of a hull, and of a body or a mechanism with joints: each costs Drake
# 1 us per step, wherever it is.
_HULL, _BODY = 24, 96
# Moving hulls of more vertices get only so many: a step with two overlapping hulls
# costs the square of that number.
_MANY, _THINNED = 300, 200
_SIGNS = np.array([*itertools.product((-0.5, 0.5), repeat=3)])

Ball = tuple[Shape, np.ndarray]


def _stick_out(edge: float) -> float:
    """Returns how far corners stick out of a shape, m, by the least of its edges."""
    return min(float(np.clip(_SHARE * edge, _LEAST, _MOST)), _THIN * edge)


def vertices_of(shape: Shape) -> np.ndarray:
    """Returns the vertices of a box or a hull in its frame, m, shape (n, 3)."""
    match shape:
        case Box():
            return _SIGNS * shape.size()
        case Convex() | Mesh():
            hull = shape.GetConvexHull()
            every = range(hull.num_vertices())
            return np.array([hull.vertex(i) for i in every])
    return np.empty((0, 3))


def mesh_file(shape: Convex | Mesh) -> str:
    """Returns the file of a mesh, thinned or not."""
    source = shape.source()
    if source.is_path():
        return str(source.path())
    return source.in_memory().mesh_file.filename_hint()


def balls_of(shape: Shape, *, fixed: bool) -> list[Ball]:
    """Returns the corners of a shape G with their places in it, m.

    Args:
        shape: its form and size.
        fixed: True if it stays at its place: then it does not roll.
    """
    match shape:
        case Box():
            edge = float(shape.size().min())
            within = min(_WITHIN * edge, _MOST_WITHIN)
            ball = Sphere(within + _stick_out(edge))
            middles = _SIGNS * (shape.size() - 2 * within)
            return [(ball, p) for p in middles]
        case Convex() | Mesh():
            points = vertices_of(shape)
            ball = Sphere(_stick_out(float(np.ptp(points, axis=0).min())))
            return [(ball, p) for p in _thinned(points, _HULL)]
        case Cylinder() if not fixed:
            return _of_cylinder(shape.radius(), shape.length())
        case Capsule() if not fixed:
            radius = shape.radius()
            ball = Sphere(radius + _stick_out(2 * radius))
            half = shape.length() / 2
            return [(ball, np.array([0, 0, z])) for z in (-half, half)]
    return []


def _of_cylinder(radius: float, length: float) -> list[Ball]:
    c = _stick_out(min(2 * radius, length))
    angles = 2 * np.pi * np.arange(_RIM) / _RIM
    rim = max(radius - _IN_RIM, radius / 2)
    balls: list[Ball] = [
        (Sphere(c), np.array([rim * np.cos(a), rim * np.sin(a), z]))
        for a in angles
        for z in (-length / 2, length / 2)
    ]
    if length > _LONG * radius:
        rolls: Shape = Sphere(radius + c)
        z = length / 2 - radius
    else:
        rolls = Ellipsoid(radius + c, radius + c, length / 4)
        z = length / 4
    return [(rolls, np.array([0, 0, at])) for at in (-z, z)] + balls


def _thinned(points: np.ndarray, most: int) -> np.ndarray:
    """Returns the points that are farthest from each other.

    T. F. Gonzalez, Clustering to minimize the maximum intercluster distance, 1985.
    """
    if len(points) <= most:
        return points
    chosen = [int(np.argmax(np.linalg.norm(points - points.mean(0), axis=1)))]
    away = np.linalg.norm(points - points[chosen[0]], axis=1)
    while len(chosen) < most:
        chosen.append(int(np.argmax(away)))
        new = np.linalg.norm(points - points[chosen[-1]], axis=1)
        away = np.minimum(away, new)
    return points[chosen]


def thin_hulls(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    contacts: Sequence[ShapeContact],
) -> None:
    """Thins hulls of very many vertices, and warns of them.

    Args:
        plant: plant before its Finalize.
        scene_graph: scene graph with its geometry.
        contacts: contacts of all shapes.
    """
    inspector, thinned = scene_graph.model_inspector(), list[str]()
    manager = scene_graph.collision_filter_manager()
    for contact in contacts:
        shape = inspector.GetShape(contact.geometry)
        if contact.contact != COMPLIANT or not isinstance(shape, Convex | Mesh):
            continue
        points, scale = vertices_of(shape), shape.scale3()
        if len(points) > _MANY:
            kept = (_thinned(points, _THINNED) / scale).T
            hull = Convex(kept, mesh_file(shape), scale)
            with same_filters(inspector, manager, contact.geometry):
                source = plant.get_source_id()
                scene_graph.ChangeShape(source, contact.geometry, hull)
            thinned.append(f"{contact.model}::{contact.body}")
    if thinned:
        warn(
            f"{', '.join(dict.fromkeys(thinned))}: hulls of more than {_MANY}"
            f" vertices touch with {_THINNED} of them"
        )


def shapes_without_corners(
    plant: MultibodyPlant,
    inspector: SceneGraphInspector,
    contacts: Sequence[ShapeContact],
) -> set[GeometryId]:
    """Returns the shapes of mechanisms with too many corners; with a belt, all shapes.

    A moving surface would bring a body on corners to its speed in half the time that
    Coulomb's friction takes.

    Args:
        plant: plant with all its bodies and joints, before its Finalize.
        inspector: inspector of its scene graph.
        contacts: contacts of all shapes.
    """
    joints, bodies = inboard_joints(plant), shape_bodies(plant)
    moving = getattr(plant, "GetSurfaceVelocityAxis", lambda body: None)
    if any(moving(body) is not None for body in bodies_of(plant)[1:]):
        return {*bodies}
    roots = {s: moving_root(plant, body, joints) for s, body in bodies.items()}
    jointed = {
        moving_root(plant, joint.child_body(), joints)
        for joint in joints.values()
        if joint.num_velocities() not in (0, 6)
    }
    counts: collections.Counter[int] = collections.Counter()
    for contact in contacts:
        if contact.contact == COMPLIANT:
            shape = inspector.GetShape(contact.geometry)
            counts[roots[contact.geometry]] += len(balls_of(shape, fixed=False))
    many = {root for root in jointed if counts[root] > _BODY}
    return {shape for shape, root in roots.items() if root in many}


def add_corners(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    contacts: Sequence[ShapeContact],
    plain: Collection[GeometryId],
) -> None:
    """Adds the corners of shapes with a patch, and keeps them off shapes without one.

    Corners touch only patches of other mechanisms: shapes of one robot touch each other
    without their corners.

    Args:
        plant: plant before its Finalize.
        scene_graph: scene graph with its geometry.
        contacts: contacts of all shapes.
        plain: shapes that get no corners.
    """
    flat = [
        c
        for c in contacts
        if c.contact in (COMPLIANT, STIFF) and c.geometry not in plain
    ]
    if not any(c.contact == COMPLIANT for c in flat):
        return
    inspector = scene_graph.model_inspector()
    mechanisms = Mechanisms(plant)
    bodies = {
        geometry: body
        for body in bodies_of(plant)
        for geometry in collision_shapes(plant, inspector, body)
    }
    widest = max(
        inspector.GetObbInGeometryFrame(c.geometry).half_width().max()
        for c in flat
        if c.contact == COMPLIANT
    )
    corners: dict[GeometryId, list[GeometryId]] = {}
    counts: collections.Counter[str] = collections.Counter()
    for contact in flat:
        fixed = contact.contact == STIFF
        geometry, body = contact.geometry, bodies[contact.geometry]
        box = inspector.GetObbInGeometryFrame(geometry)
        # A shape wider than all that moves carries nothing by its corners.
        if fixed and np.sort(box.half_width())[1] >= widest:
            continue
        balls = balls_of(inspector.GetShape(geometry), fixed=fixed)
        name = str(body.scoped_name())
        counts[name] += len(balls)
        if counts[name] > _BODY:
            continue
        weight = 0.0 if fixed else mechanisms.weight(body)
        X_BG = RigidTransform(inspector.GetPoseInFrame(geometry))
        properties = _properties(inspector, geometry, weight)
        corners[geometry] = []
        for i, (ball, p_GC) in enumerate(balls):
            place, own = X_BG @ RigidTransform(p_GC), corner_name(geometry, i)
            new = plant.RegisterCollisionGeometry(
                body, place, ball, own, properties
            )
            corners[geometry].append(new)
    for name, count in counts.items():
        if count > _BODY:
            warn(
                f"{name}: {count} corners of its shapes are too many;"
                f" {_BODY} of them carry, the others not"
            )
    _filter(scene_graph, corners, contacts, mechanisms, bodies)


def _properties(
    inspector: SceneGraphInspector, geometry: GeometryId, weight: float
) -> ProximityProperties:
    """Returns the contact of a shape's corners, which bear a weight, N; 0: fixed."""
    own = inspector.GetProximityProperties(geometry)
    properties = ProximityProperties()
    stiffness, dissipation = _FIXED_STIFFNESS, _FIXED_DISSIPATION
    if weight:
        box = inspector.GetObbInGeometryFrame(geometry)
        out = _stick_out(2 * float(box.half_width().min()))
        stiffness, dissipation = weight / out, _DISSIPATION
    AddContactMaterial(
        dissipation=dissipation,
        point_stiffness=stiffness,
        friction=own.GetPropertyOrDefault(*FRICTION, CoulombFriction(0.5, 0.5)),
        properties=properties,
    )
    return properties


def _filter(
    scene_graph: SceneGraph,
    corners: Mapping[GeometryId, Sequence[GeometryId]],
    contacts: Sequence[ShapeContact],
    mechanisms: Mechanisms,
    bodies: Mapping[GeometryId, RigidBody],
) -> None:
    """Filters corners' contact with corners, points and shapes that theirs ignore."""
    manager = scene_graph.collision_filter_manager()
    inspector = scene_graph.model_inspector()
    every = GeometrySet([ball for balls in corners.values() for ball in balls])
    patches = {
        c.geometry for c in contacts if c.contact in (COMPLIANT, STIFF, RIGID)
    }
    shapes = set(bodies)
    declaration = CollisionFilterDeclaration().ExcludeWithin(every)
    declaration.ExcludeBetween(every, GeometrySet(list(shapes - patches)))
    kin: dict[object, list[GeometryId]] = {}
    for shape in shapes:
        kin.setdefault(mechanisms.of(bodies[shape]), []).append(shape)
    for geometry, balls in corners.items():
        away = set(kin[mechanisms.of(bodies[geometry])])
        for other in patches - {geometry}:
            if inspector.CollisionFiltered(geometry, other):
                away.add(other)
        others = GeometrySet(sorted(away, key=GeometryId.get_value))
        declaration.ExcludeBetween(GeometrySet(list(balls)), others)
    manager.Apply(declaration)
