"""Rays against Drake's own distances."""

import numpy as np
import pytest
from pydrake.geometry import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Role,
    Sphere,
)
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
)
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.host.senses.ray_scene import RayBatch, RayScene

NOBODY = frozenset()


def scene_of(*shapes, moving=True):
    """Returns the plant, its Context, a query and the rays of some shapes.

    Args:
        shapes: with a pose each.
        moving: whether each is on a body of its own that floats.
    """
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.01)
    bodies = []
    for i, (shape, _) in enumerate(shapes):
        body = plant.world_body()
        if moving:
            inertia = SpatialInertia(1, [0, 0, 0], UnitInertia(1, 1, 1))
            body = plant.AddRigidBody(f"body {i}", inertia)
            bodies.append(body)
        pose = RigidTransform() if moving else shapes[i][1]
        plant.RegisterCollisionGeometry(
            body, pose, shape, f"shape {i}", CoulombFriction(1, 1)
        )
    plant.Finalize()
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    for body, (_, pose) in zip(bodies, shapes, strict=False):
        plant.SetFloatingBaseBodyPoseInWorldFrame(context, body, pose)
    query = plant.get_geometry_query_input_port().Eval(context)
    scene = RayScene(plant, context, query.inspector, Role.kProximity)
    return plant, context, query, scene


TETRAHEDRON = np.array(
    [[0.5, 0, -0.3], [-0.3, 0.4, -0.3], [-0.3, -0.4, -0.3], [0, 0, 0.6]]
).T
SHAPES = [
    Box(0.4, 0.7, 1.0),
    Sphere(0.4),
    Ellipsoid(0.2, 0.5, 0.7),
    Cylinder(0.3, 0.8),
    Capsule(0.3, 0.6),
    HalfSpace(),
    Convex(points=TETRAHEDRON, label="tetrahedron"),
]


def traced(query, origin, direction, reach=8.0):
    """Returns where a ray meets something, by steps of the distance to all."""
    t = 0.0
    while t < reach:
        distances = query.ComputeSignedDistanceToPoint(origin + t * direction)
        nearest = min((d.distance for d in distances), default=np.inf)
        if nearest < 1e-9:
            return t
        t += nearest
    return np.inf


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_a_ray_ends_where_drake_says_that_the_shape_begins(shape):
    pose = RigidTransform(RollPitchYaw(0.3, -0.5, 1.1), [0.2, -0.1, 0.3])
    moving = not isinstance(shape, HalfSpace)
    _, _, query, scene = scene_of((shape, pose), moving=moving)
    random = np.random.default_rng(3)
    rays = 60
    origins = random.normal(size=(rays, 3))
    origins *= (2 / np.linalg.norm(origins, axis=1))[:, None]
    if isinstance(shape, HalfSpace):  # from the side where there is nothing
        normal = pose.rotation().matrix()[:, 2]
        below = (origins - pose.translation()) @ normal < 0
        origins[below] -= 2 * np.outer(
            ((origins - pose.translation()) @ normal)[below], normal
        )
    targets = random.uniform(-0.5, 0.5, size=(rays, 3)) + pose.translation()
    directions = targets - origins
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    batch = RayBatch(scene, origins, directions, [NOBODY] * rays)
    lengths, _ = batch.cast()
    expected = [
        traced(query, o, d) for o, d in zip(origins, directions, strict=True)
    ]
    lengths[lengths > 8] = np.inf
    assert np.isfinite(expected).sum() > 10
    # Tracing ends within 1e-9 m of the surface, further where it grazes it;
    # Drake's distance to an ellipsoid is good to some 1e-5.
    round_one = isinstance(shape, Ellipsoid)
    atol = 1e-4 if round_one else 1e-6
    np.testing.assert_allclose(lengths, expected, atol=atol)
    hit = np.flatnonzero(np.isfinite(lengths))
    cosines = batch.squareness(hit)
    for i, cosine in zip(hit, cosines, strict=True):
        back = origins[i] + (lengths[i] - 1e-4) * directions[i]
        # So much nearer to the surface is a point that is 0.1 mm back.
        distance = query.ComputeSignedDistanceToPoint(back)[0].distance
        if cosine > 0.3 and not round_one:
            assert distance == pytest.approx(1e-4 * cosine, rel=2e-2)


@pytest.mark.parametrize("shape", SHAPES[:5], ids=lambda s: type(s).__name__)
def test_a_ray_from_inside_ends_where_it_leaves(shape):
    _, _, query, scene = scene_of((shape, RigidTransform()))
    directions = np.vstack([np.eye(3), -np.eye(3)])
    origins = np.full((6, 3), 0.05)
    lengths, _ = RayBatch(scene, origins, directions, [NOBODY] * 6).cast()
    for end in origins + lengths[:, None] * directions:
        distance = query.ComputeSignedDistanceToPoint(end)[0].distance
        # Of an ellipsoid Drake's is an approximation.
        assert distance == pytest.approx(0, abs=1e-5)


def test_the_first_of_many_shapes_counts_and_those_unseen_do_not():
    poses = [RigidTransform([x, 0, 0]) for x in (1, 2, 3)]
    shapes = Sphere(0.1), Box(0.2, 0.2, 0.2), Cylinder(0.1, 1)
    plant, context, _, scene = scene_of(*zip(shapes, poses, strict=True))
    first = frozenset({plant.GetBodyByName("body 0").index()})
    both = first | {plant.GetBodyByName("body 1").index()}
    x = np.array([[1.0, 0, 0]] * 3)
    batch = RayBatch(scene, np.zeros((3, 3)), x, [NOBODY, first, both])
    lengths, met = batch.cast()
    assert lengths == pytest.approx([0.9, 1.9, 2.9])
    assert [batch.solids[i].body.name() for i in met] == [
        "body 0",
        "body 1",
        "body 2",
    ]
    # What moves is seen where it is.
    plant.SetFloatingBaseBodyPoseInWorldFrame(
        context, plant.GetBodyByName("body 0"), RigidTransform([0, 5, 0])
    )
    lengths, _ = batch.cast()
    assert lengths == pytest.approx([1.9, 1.9, 2.9])


def test_nothing_is_met_where_nothing_is():
    _, _, _, scene = scene_of()
    origin, direction = np.zeros((1, 3)), np.eye(3)[:1]
    lengths, met = RayBatch(scene, origin, direction, [NOBODY]).cast()
    assert lengths == [np.inf]
    assert met == [-1]
    near = RayBatch(scene, origin, direction, [NOBODY], ranges=[2.0])
    assert near.cast()[0] == [2]
    assert not scene.blocked(np.zeros(3), np.ones(3), NOBODY)


def test_something_between_two_points_blocks():
    plant, _, _, scene = scene_of((Sphere(0.1), RigidTransform([1, 0, 0])))
    ball = frozenset({plant.GetBodyByName("body 0").index()})
    far, near = np.array([2.0, 0, 0]), np.array([0.8, 0, 0])
    assert scene.blocked(np.zeros(3), far, NOBODY)
    assert not scene.blocked(np.zeros(3), near, NOBODY)
    assert not scene.blocked(np.zeros(3), far, ball)
    assert not scene.blocked(far, far, NOBODY)


def test_a_ray_meets_a_half_space_beside_other_shapes():
    shapes = [
        (HalfSpace(), RigidTransform()),
        (Box(1, 1, 1), RigidTransform([3, 0, 0.5])),
    ]
    *_, scene = scene_of(*shapes, moving=False)
    origins = np.array([[0, 0, 2.0], [0, 0, 0.5]])
    directions = np.array([[0, 0, -1.0], [1, 0, 0]])
    batch = RayBatch(scene, origins, directions, [NOBODY, NOBODY])
    lengths, _ = batch.cast()
    np.testing.assert_allclose(lengths, [2, 2.5])
