"""Corners carry shapes, and nobody sees them."""

import itertools
import time

import numpy as np
import pytest
from free_bodies import Free, InDrake
from pydrake.geometry import Box, Capsule, Convex, Cylinder, Role, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
)
from pydrake.multibody.tree import PrismaticJoint, SpatialInertia
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.configure import configure_contact
from webmotor_drake.contact.corner_names import (
    corners_of,
    is_corner,
    own_shapes,
)
from webmotor_drake.contact.corners import _stick_out, balls_of, mesh_file
from webmotor_drake.contact.shape_contact import collision_shapes
from webmotor_drake.errors import MotorWarning

CUBE = Box(0.1, 0.1, 0.1)


@pytest.mark.parametrize("edge", [1e-3, 0.05, 0.2, 100.0])
def test_corners_of_a_box_stick_out_of_each_of_its_faces_alike(edge):
    for ball, middle in balls_of(Box(edge, edge, edge), fixed=False):
        out = abs(middle) + ball.radius() - edge / 2
        np.testing.assert_allclose(out, _stick_out(edge))
        assert 0.99e-4 < out[0] < 5.01e-4


def test_a_capsule_has_a_corner_in_each_of_its_round_ends():
    (ball, low), (_, high) = balls_of(Capsule(0.05, 0.2), fixed=False)
    assert (low[2], high[2]) == (-0.1, 0.1)
    assert ball.radius() - 0.05 == pytest.approx(_stick_out(0.1))


def test_boxes_thinner_than_corners_have_smaller_ones():
    balls = balls_of(Box(0.1, 0.1, 1e-4), fixed=False)
    assert max(ball.radius() for ball, _ in balls) < 5e-5


def test_a_hull_of_thousands_of_corners_has_some(tmp_path):
    random = np.random.default_rng(1)
    points = random.normal(size=(2000, 3))
    points *= 0.1 / np.linalg.norm(points, axis=1)[:, None]
    file = tmp_path / "round.obj"
    faces = "".join(f"f {i} {i + 1} {i + 2}\n" for i in range(1, 1998, 3))
    lines = "".join(f"v {x} {y} {z}\n" for x, y, z in points)
    file.write_text(lines + faces)
    balls = balls_of(Convex(str(file), 1.0), fixed=False)
    places = np.array([p for _, p in balls])
    assert len(places) == 24
    pairs = itertools.combinations(places, 2)
    # Spread over all sides: a 24th of a sphere is a cap of 4 cm.
    assert min(np.linalg.norm(p - q) for p, q in pairs) > 0.03


def test_a_hull_of_thousands_of_vertices_touches_with_some_of_them(tmp_path):
    random = np.random.default_rng(1)
    points = random.normal(size=(1000, 3))
    points *= 2 / np.linalg.norm(points, axis=1)[:, None]
    file = tmp_path / "round.obj"
    lines = "".join(f"v {x} {y} {z}\n" for x, y, z in points)
    file.write_text(f"{lines}f 1 2 3\n")
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.008)
    inertia = SpatialInertia.SolidSphereWithMass(1.0, 0.1)
    body = plant.AddRigidBody("stone", inertia)
    shape, beside = (
        plant.RegisterCollisionGeometry(
            body,
            RigidTransform(),
            form,
            form.__class__.__name__,
            CoulombFriction(),
        )
        for form in (Convex(str(file), 0.05), CUBE)
    )
    with pytest.warns(MotorWarning, match="stone: hulls of more than 300"):
        configure_contact(plant, graph)
    # Drake would let the shapes of a body meet after that.
    assert graph.model_inspector().CollisionFiltered(shape, beside)
    thinned = graph.model_inspector().GetShape(shape)
    hull = thinned.GetConvexHull()
    assert hull.num_vertices() == 200
    # So many points have 2.5 cm around them; between them it is flat.
    heights = [np.linalg.norm(hull.vertex(i)) for i in range(200)]
    np.testing.assert_allclose(heights, 0.1, rtol=1e-6)
    assert mesh_file(thinned) == str(file)
    np.testing.assert_array_equal(thinned.scale3(), [0.05] * 3)


@pytest.mark.parametrize(
    "shape", [CUBE, Cylinder(0.05, 0.1), Capsule(0.05, 0.1)]
)
def test_bodies_in_one_place_step_in_no_time(shape):
    world = InDrake([Free(shape, [0, 0, 0])] * 10, 0.008)
    start = time.process_time()
    world.advance(0.016)
    # Measured 0.1 to 0.5 s; with finer meshes ten capsules took 35.
    assert time.process_time() - start < 5


@pytest.mark.parametrize("shape", [Cylinder(0.05, 0.1), Capsule(0.05, 0.1)])
def test_what_is_fixed_does_not_roll(shape):
    assert balls_of(shape, fixed=True) == []
    assert len(balls_of(shape, fixed=False)) > 1


def plant_with_a_slide() -> tuple:
    """Returns a plant with a carriage, an arm on it and a free cube; its graph."""
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.008)
    friction = CoulombFriction(0.7, 0.7)
    names = "carriage", "arm", "cube"
    inertia = SpatialInertia.SolidBoxWithMass(1, 0.1, 0.1, 0.1)
    robot = plant.AddModelInstance("robot")
    other = plant.AddModelInstance("other")
    bodies = {
        name: plant.AddRigidBody(
            name, other if name == "cube" else robot, inertia
        )
        for name in names
    }
    for name in names:
        plant.RegisterCollisionGeometry(
            bodies[name], RigidTransform(), CUBE, name, friction
        )
    plant.RegisterCollisionGeometry(
        bodies["cube"], RigidTransform(), Sphere(0.1), "ball", friction
    )
    parents = plant.world_frame(), bodies["carriage"].body_frame()
    for parent, name in zip(parents, names, strict=False):
        plant.AddJoint(
            PrismaticJoint(name, parent, bodies[name].body_frame(), [1, 0, 0])
        )
    return plant, graph, bodies


def test_users_see_the_shapes_of_their_models():
    plant, graph, bodies = plant_with_a_slide()
    contacts = configure_contact(plant, graph)
    inspector = graph.model_inspector()
    assert [c.body for c in contacts] == ["carriage", "arm", "cube", "cube"]
    for body in bodies.values():
        frame = plant.GetBodyFrameIdOrThrow(body.index())
        found = inspector.GetGeometries(frame, Role.kProximity)
        own = collision_shapes(plant, inspector, body)
        assert len(own) == (2 if body.name() == "cube" else 1)
        assert set(own_shapes(inspector, found)) == set(own)
        assert len(found) == len(own) + 8
        for shape in own:
            round_one = isinstance(inspector.GetShape(shape), Sphere)
            number = 0 if round_one else 8
            assert len(corners_of(inspector, shape)) == number


def test_corners_have_the_friction_of_their_shape():
    plant, graph, _ = plant_with_a_slide()
    contact = configure_contact(plant, graph)[2]
    inspector = graph.model_inspector()
    assert len(corners_of(inspector, contact.geometry)) == 8
    for corner in corners_of(inspector, contact.geometry):
        properties = inspector.GetProximityProperties(corner)
        friction = properties.GetProperty("material", "coulomb_friction")
        assert friction.static_friction() == 0.7


@pytest.mark.parametrize(("number", "told"), [(12, 0), (13, 1)])
def test_a_body_of_many_shapes_carries_with_some_corners_and_says_so(
    number, told, recwarn
):
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.008)
    inertia = SpatialInertia.SolidBoxWithMass(1, 0.1, 0.1, 0.1)
    body = plant.AddRigidBody("wall", inertia)
    for i in range(number):
        plant.RegisterCollisionGeometry(
            body, RigidTransform([i, 0, 0]), CUBE, f"{i}", CoulombFriction()
        )
    configure_contact(plant, graph)
    frame = plant.GetBodyFrameIdOrThrow(body.index())
    found = graph.model_inspector().GetGeometries(frame, Role.kProximity)
    assert len(found) == number + 96
    assert [str(w.message) for w in recwarn] == told * [
        "DefaultModelInstance::wall: 104 corners of its shapes are too many;"
        " 96 of them carry, the others not"
    ]


def test_corners_meet_the_patches_of_other_mechanisms_only():
    plant, graph, _ = plant_with_a_slide()
    carriage, arm, cube, ball = configure_contact(plant, graph)
    inspector = graph.model_inspector()
    corners = corners_of(inspector, cube.geometry)
    assert all(is_corner(inspector, corner) for corner in corners)
    for other, meets in ((carriage, True), (arm, True), (ball, False)):
        filtered = inspector.CollisionFiltered(corners[0], other.geometry)
        assert meets != filtered
    assert inspector.CollisionFiltered(corners[0], corners[-1])


@pytest.mark.parametrize(
    ("edge", "mass"), [(1e-3, 1e-3), (0.02, 0.02), (1.0, 1e4), (100.0, 1e5)]
)
def test_small_and_large_boxes_rest_within_a_millimetre(edge, mass):
    body = Free(Box(edge, edge, edge), [0, 0, edge / 2 + 1e-4], mass=mass)
    world = InDrake([body], 0.016, floor=Box(400, 400, 10))
    world.advance(0.8)
    assert world.places()[0, 2] - edge / 2 == pytest.approx(0, abs=1e-3)
