"""What has no corners that land is told as it comes in so far that it can pass."""

import warnings

import pytest
from pydrake.geometry import Box, Cylinder, Shape, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import RevoluteJoint, SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.configure import configure_contact

ROUGH = CoulombFriction(1, 1)
LYING = RigidTransform(RotationMatrix.MakeXRotation(1.5707963))


def told_of(feet: list[Shape], speed: float, boxes: int = 1) -> list[str]:
    """Returns the warnings about a chassis of boxes on feet that turn; it falls."""
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.008)
    add = plant.RegisterCollisionGeometry
    floor = RigidTransform([0, 0, -0.01])
    add(plant.world_body(), floor, Box(8, 8, 0.02), "floor", ROUGH)
    inertia = SpatialInertia.SolidSphereWithMass(1.0, 0.05)
    chassis = plant.AddRigidBody("chassis", inertia)
    for i in range(boxes):
        box = RigidTransform([0.1 * i, 0, 0.0])
        add(chassis, box, Box(0.05, 0.05, 0.05), f"box{i}", ROUGH)
    for i, shape in enumerate(feet):
        foot = plant.AddRigidBody(f"foot{i}", inertia)
        add(foot, LYING, shape, "foot", ROUGH)
        frame = plant.AddRigidBody(f"leg{i}", inertia).body_frame()
        plant.WeldFrames(
            chassis.body_frame(), frame, RigidTransform([0.1 * i, 0, -0.2])
        )
        joint = RevoluteJoint(f"axle{i}", frame, foot.body_frame(), [0, 1, 0])
        plant.AddJoint(joint)
    plant.SetDefaultFloatingBaseBodyPose(chassis, RigidTransform([0, 0, 0.4]))
    configure_contact(plant, graph)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    root = simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    v = plant.GetVelocities(context)
    v[5] = -speed
    plant.SetVelocities(context, v)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulator.AdvanceTo(0.4)
    return [str(w.message) for w in told if "can pass" in str(w.message)]


@pytest.mark.parametrize("shape", [Sphere(0.03), Cylinder(0.03, 0.02)])
def test_a_robot_on_wheels_is_told_once_and_only_if_it_is_fast(shape):
    told = told_of([shape, shape], 4.0)
    assert len(told) == 1
    assert "::foot0 comes into" in told[0]
    assert "in one step of 8 ms" in told[0]
    # It falls by 0.4 m/s or so more until then: 14 mm per step of its 30.
    assert told_of([shape, shape], 0.2) == []


def test_a_robot_of_too_many_corners_is_told():
    feet = [Box(0.04, 0.04, 0.04)]
    assert told_of(feet, 4.0, boxes=2) == []
    assert "::foot0 comes into" in told_of(feet, 4.0, boxes=12)[0]
