"""What has no corners does not pass either: fast wheels, ball feet, large robots."""

import pytest
from pydrake.geometry import Box, Cylinder, Shape, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import RevoluteJoint, SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake import MotorWarning
from webmotor_drake.contact.configure import configure_contact
from webmotor_drake.data import SCENARIOS
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

ROUGH = CoulombFriction(1, 1)
LYING = RigidTransform(RotationMatrix.MakeXRotation(1.5707963))


def height(
    feet: list[Shape],
    step: float,
    speed: float,
    boxes: int = 1,
    start: float = 0.4,
) -> float:
    """Returns the least height of feet, m, that a chassis of boxes falls on."""
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, step)
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
    plant.SetDefaultFloatingBaseBodyPose(chassis, RigidTransform([0, 0, start]))
    configure_contact(plant, graph)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    root = simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    v = plant.GetVelocities(context)
    v[5] = -speed
    plant.SetVelocities(context, v)
    simulator.AdvanceTo(0.512)
    return min(
        plant.GetBodyByName(f"foot{i}")
        .EvalPoseInWorld(context)
        .translation()[2]
        for i in range(len(feet))
    )


@pytest.mark.parametrize("step", [0.004, 0.008, 0.016, 0.032])
@pytest.mark.parametrize("shape", [Sphere(0.03), Cylinder(0.03, 0.02)])
def test_fast_wheels_and_feet_stay_on_a_floor_of_2_cm(shape, step):
    # They were 17 cm below it at 32 ms; at 4 ms they come in by half, and emerge.
    assert height([shape, shape], step, 4.0) > 0.0


def test_a_wheel_that_has_just_touched_is_stopped_as_one_that_comes():
    # At a look it is .1 mm in; with half an impulse it was 2 cm in for good.
    wheels = [Cylinder(0.03, 0.02)] * 2
    assert height(wheels, 0.032, 4.0, start=0.365) > 0.025


def test_what_may_pass_is_told_once_its_middle_is_in():
    wheels = [Cylinder(0.03, 0.02)] * 2
    with pytest.warns(MotorWarning, match="foot0: its middle is in .*world"):
        height(wheels, 0.032, 4.0, start=0.198)


@pytest.mark.parametrize("step", [0.004, 0.032])
def test_what_creeps_into_something_thin_is_told(step):
    # In the middle of the floor nothing is fast, and the floor holds nothing.
    wheels = [Cylinder(0.03, 0.02)] * 2
    with pytest.warns(MotorWarning, match="foot0: its middle is in .*world"):
        assert height(wheels, step, 0.0, start=0.19) < 0.0


def test_a_chassis_with_corners_is_told_as_wheels_are():
    wheels = [Cylinder(0.03, 0.02)] * 2
    with pytest.warns(MotorWarning, match="chassis: its middle is in .*world"):
        height(wheels, 0.032, 0.0, start=-0.008)


def test_what_lands_well_is_not_told(recwarn):
    height([Cylinder(0.03, 0.02)] * 2, 0.032, 4.0)
    assert not recwarn.list


@pytest.mark.parametrize("step", [0.008, 0.032])
def test_a_robot_of_too_many_corners_stays_on_it(step):
    feet = [Box(0.04, 0.04, 0.04)] * 2
    assert height(feet, step, 4.0, boxes=11) > 0.0


def test_wheels_over_the_edge_of_a_kerb_are_not_stopped_by_its_faces():
    simulation = Simulation(
        load_scenario(SCENARIOS / "suspension.scenario.yaml")
    )
    results = simulation.run()
    drives = results.time > 1.0
    # All run at 8 rad/s; what the kerb's edge takes is back within a step. Taken for
    # deep in its faces, the front wheels stopped the rear ones to 3.7.
    for wheel in ("front left", "rear left"):
        assert results[f"rover/{wheel}/velocity"][drives].min() > 7.0
