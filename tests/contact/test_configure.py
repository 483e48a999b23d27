"""The default contact: what stands, stands; what rolls, rolls."""

import logging
import math

import numpy as np
import pytest
from drawn import FULL, draws
from free_bodies import Free, InDrake, InOde
from pydrake.geometry import Box, Capsule, Cylinder, HalfSpace, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
)
from pydrake.multibody.tree import (
    RevoluteJoint,
    SpatialInertia,
    default_model_instance,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.configure import assign_contact, configure_contact
from webmotor_drake.contact.half_spaces import (
    HalfSpaces,
    silence_deformables,
)
from webmotor_drake.errors import InputError

CUBE = Box(0.1, 0.1, 0.1)
GAP = 1e-4  # between bodies at the start, m
# What has come to rest is looked at for so long, s.
WATCHED = draws(2, 58)
STEPS = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032] if FULL else [0.008, 0.032]


def heap() -> list[Free]:
    """Returns 20 cubes, one above the other, that fall onto a heap."""
    random = np.random.default_rng(7)
    return [
        Free(
            CUBE,
            [*random.uniform(-0.1, 0.1, 2), 0.08 + 0.15 * i],
            random.uniform(-0.3, 0.3, 3),
        )
        for i in range(20)
    ]


RESTING = {
    "cube, tilted": [Free(CUBE, [0, 0, 0.05 + GAP], (0.002, 0.003, 0.3))],
    "cube on each face": [
        Free(CUBE, [0.3 * i, 0, 0.05 + GAP], rpy)
        for i, rpy in enumerate(
            [
                (0, 0, 0),
                (math.pi, 0, 0),
                (math.pi / 2, 0, 0),
                (-math.pi / 2, 0, 0),
                (0, math.pi / 2, 0),
                (0, -math.pi / 2, 0),
            ]
        )
    ],
    "stack": [
        Free(CUBE, [0, 0, 0.05 + GAP + (0.1 + GAP) * i], (0, 0, 0.1 * i))
        for i in range(5)
    ],
    "dominoes": [
        Free(Box(0.02, 0.1, 0.2), [0.12 * i, 0, 0.1 + GAP]) for i in range(6)
    ],
    "cylinder on its rim": [Free(Cylinder(0.05, 0.1), [0, 0, 0.05 + GAP])],
    "cylinder on its side": [
        Free(Cylinder(0.05, 0.1), [0, 0, 0.05 + GAP], (math.pi / 2, 0, 0))
    ],
    "capsule": [
        Free(Capsule(0.05, 0.1), [0, 0, 0.05 + GAP], (math.pi / 2, 0, 0))
    ],
    "100 kg": [Free(Box(0.5, 0.5, 0.5), [0, 0, 0.25 + GAP], mass=100.0)],
    "10 kg on 0.1 kg": [
        Free(Box(0.05, 0.05, 0.05), [0, 0, 0.025 + GAP], mass=0.1),
        Free(CUBE, [0, 0, 0.1 + 2 * GAP], mass=10.0),
    ],
}
# What a facet of a round body is settled into within the first seconds, m.
FACET = 2e-4


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", RESTING)
def test_what_stands_does_not_sink_or_creep(name, step):
    bodies = RESTING[name]
    world = InDrake(bodies, step)
    world.advance(1.0)
    start = world.places()
    sunk = [b.place[2] for b in bodies] - start[:, 2]
    # Each body by at most 1 mm into what it stands on, and by the gap.
    piled = name in ("stack", "10 kg on 0.1 kg")
    into = np.diff(sunk, prepend=0.0) if piled else sunk
    assert into.max() < 1e-3 + (2 if piled else 1) * GAP
    assert sunk.max() < (2e-3 if piled else 1e-3 + GAP)
    world.advance(WATCHED)
    moved = abs(world.places() - start).max()
    round_side = name in ("cylinder on its side", "capsule")
    # At 32 ms patches creep by up to 6 µm/s: under 100 times the weight of what they
    # carry, and where turned boxes have no corner on each other.
    assert moved < (FACET if round_side else 2e-5 if piled else 1e-6)


@pytest.mark.parametrize(
    ("radius", "edge"),
    [(0.05, 0.03), (0.01, 0.006), (0.001, 6e-4)],
)
def test_capsules_on_corners_have_edges_that_are_no_finer_than_needed(
    radius, edge
):
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.008)
    body = plant.AddRigidBody(
        "pin", SpatialInertia.SolidSphereWithMass(1e-3, radius)
    )
    shape = plant.RegisterCollisionGeometry(
        body,
        RigidTransform(),
        Capsule(radius, 0.1),
        "pin",
        CoulombFriction(1.0, 1.0),
    )
    configure_contact(plant, graph)
    properties = graph.model_inspector().GetProximityProperties(shape)
    hint = properties.GetProperty("hydroelastic", "resolution_hint")
    assert hint == pytest.approx(edge, rel=1e-12)


def test_a_thin_capsule_lands_and_stays_on_the_floor():
    pin = Free(Capsule(0.0025, 0.01), [0, 0, 0.05], (1.4, 0, 0), mass=1e-3)
    world = InDrake([pin], 0.008)
    world.advance(1.0)
    # It has to be above the floor, and lie: within a facet and what it sinks.
    assert world.places()[0, 2] == pytest.approx(0.0025, abs=FACET)


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_heap_of_boxes_comes_to_rest_above_the_floor(step):
    world = InDrake(heap(), step)
    # At 32 ms a step brings some deep into the floor; they take seconds to come up.
    world.advance(draws(4 if step < 0.03 else 8, 60))
    low = world.places()[:, 2].min()
    # A cube on its face has its centre at 50 mm; it may sink by 1 mm.
    assert low > 0.049
    # Settled: a tenth of a millimetre per second; it fell at metres per second.
    assert np.linalg.norm(world.velocities(), axis=1).max() < 1e-2


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("share", [0.97, 1.03])
def test_a_box_on_a_slope_slides_beyond_coulombs_angle_only(share, step):
    mu = 0.5
    slope = math.atan(share * mu)
    # Where it rests on its corners.
    box = Free(CUBE, [0, 0, 0.05 + 1.5e-4], friction=mu)
    world = InDrake([box], step, slope=slope, floor_friction=mu)
    world.advance(2.0)
    way = world.places()[0, 0]
    free = 9.81 * (math.sin(slope) - mu * math.cos(slope)) * 2.0**2 / 2
    if share < 1:
        # Drake's stiction lets it creep by 0.4 mm/s (docs/differences.md).
        assert 0 <= way < 2e-3
    else:
        # Coulomb's way; measured 1.08 of it at 1 ms, 1.10 at 32 ms (ODE 1.02, 1.00).
        assert 0.95 * free < way < 1.15 * free


@pytest.mark.parametrize("step", STEPS)
def test_a_ball_rolls_on_as_odes_does(step):
    ball = Free(Sphere(0.1), [0, 0, 0.1], velocity=(0.5, 0, 0), spin=(0, 5, 0))
    ways = []
    for world in (InDrake([ball], step), InOde([ball], step)):
        world.advance(2.0)
        ways.append(world.places()[0, 0])
    # Right is 1 m; at 32 ms ODE has 0.8 % less, Drake 0.8 % more.
    assert ways[0] == pytest.approx(ways[1], rel=0.02)


def test_a_wheel_keeps_point_contact_and_a_box_gets_a_patch():
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.008)
    chassis, wheel = _rover_with_a_wheel(plant, axis=[0, 0, 1])
    contacts = {c.body: c for c in configure_contact(plant, graph)}
    assert contacts[chassis].contact == "compliant"
    assert contacts[wheel].contact == "point"
    assert "axle" in contacts[wheel].reason


def test_a_cylinder_across_its_joint_is_no_wheel():
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.008)
    _, arm = _rover_with_a_wheel(plant, axis=[1, 0, 0])
    contacts = {c.body: c for c in configure_contact(plant, graph)}
    assert contacts[arm].contact == "compliant"


def test_a_hub_that_is_welded_to_the_wheel_is_one_with_it():
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.008)
    _, wheel = _rover_with_a_wheel(plant, axis=[0, 0, 1])
    tyre = plant.AddRigidBody(
        "tyre", SpatialInertia.SolidBoxWithMass(1, 1, 1, 1)
    )
    # Beside the axle, and back onto it by the shape's own pose.
    plant.WeldFrames(
        plant.GetBodyByName(wheel).body_frame(),
        tyre.body_frame(),
        RigidTransform([0.3, 0, 0]),
    )
    plant.RegisterCollisionGeometry(
        tyre,
        RigidTransform([-0.3, 0, 0.05]),
        Cylinder(0.1, 0.02),
        "tyre",
        CoulombFriction(1, 1),
    )
    contacts = {c.body: c for c in configure_contact(plant, graph)}
    assert contacts["tyre"].contact == "point"


def _rover_with_a_wheel(plant, axis) -> tuple[str, str]:
    inertia = SpatialInertia.SolidBoxWithMass(1, 0.1, 0.1, 0.1)
    bodies = [plant.AddRigidBody(n, inertia) for n in ("chassis", "wheel")]
    plant.AddJoint(
        RevoluteJoint("axle", *(b.body_frame() for b in bodies), axis)
    )
    for body, shape in zip(bodies, (CUBE, Cylinder(0.1, 0.02)), strict=True):
        plant.RegisterCollisionGeometry(
            body, RigidTransform(), shape, body.name(), CoulombFriction(1, 1)
        )
    return "chassis", "wheel"


@pytest.mark.parametrize("compliance", ["rigid", "compliant"])
def test_what_the_scene_graph_is_told_stays(compliance):
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.008)
    config = graph.get_config()
    config.default_proximity_properties.compliance_type = compliance
    graph.set_config(config)
    _rover_with_a_wheel(plant, axis=[0, 0, 1])
    contacts = configure_contact(plant, graph)
    assert {c.contact for c in contacts} == {"own"}
    assert compliance in contacts[0].reason


def test_a_number_of_the_config_is_kept():
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.008)
    config = graph.get_config()
    config.default_proximity_properties.hydroelastic_modulus = 3e5
    graph.set_config(config)
    _rover_with_a_wheel(plant, axis=[0, 0, 1])
    box = configure_contact(plant, graph)[0]
    properties = graph.model_inspector().GetProximityProperties(box.geometry)
    name = "hydroelastic", "hydroelastic_modulus"
    assert properties.GetProperty(*name) == 3e5


def test_after_finalize_is_too_late():
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.008)
    plant.Finalize()
    with pytest.raises(InputError, match="before the plant's Finalize"):
        configure_contact(plant, graph)


@pytest.mark.parametrize("number", [3, 25])
def test_boxes_rest_on_a_half_space_that_is_welded_to_the_world(number):
    # From some 15 bodies on Drake ended the process.
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.016)
    floor_model = plant.AddModelInstance("floor")
    unit = SpatialInertia.SolidBoxWithMass(1, 1, 1, 1)
    floor = plant.AddRigidBody("floor", floor_model, unit)
    friction = CoulombFriction(1, 1)
    plant.RegisterCollisionGeometry(
        floor, RigidTransform([0, 0, -0.5]), HalfSpace(), "plane", friction
    )
    plant.WeldFrames(
        plant.world_frame(), floor.body_frame(), RigidTransform([0, 0, 0.5])
    )
    half_spaces = HalfSpaces(plant, graph)
    half_spaces.take()
    inertia = SpatialInertia.SolidBoxWithMass(1, 0.1, 0.1, 0.1)
    for i in range(number):
        body = plant.AddRigidBody(f"b{i}", default_model_instance(), inertia)
        plant.RegisterCollisionGeometry(
            body, RigidTransform(), CUBE, f"b{i}", friction
        )
        plant.SetDefaultFloatingBaseBodyPose(
            body, RigidTransform([0.2 * i, 0, 0.0501])
        )
    contacts = assign_contact(plant, graph, half_spaces)
    (plane,) = (c for c in contacts if c.shape == "HalfSpace")
    assert (plane.model, plane.body, plane.contact) == (
        "floor",
        "floor",
        "rigid",
    )
    plant.Finalize()
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(1.0)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    for i in range(number):
        X_WB = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(f"b{i}"))
        # Corners stick out by 0.2 mm, and four of them give way by a quarter of it.
        z = 0.05 + 1.5e-4
        assert X_WB.translation()[2] == pytest.approx(z, abs=1e-6)


def test_half_spaces_do_not_tell_of_deformable_bodies_and_others_are_heard(
    caplog,
):
    silence_deformables()
    log = logging.getLogger("drake")
    with caplog.at_level(logging.WARNING, "drake"):
        log.warning("half spaces are not currently supported for deformable")
        log.warning("something else")
    assert [record.message for record in caplog.records] == ["something else"]
