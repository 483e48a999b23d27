"""Two and three motors at one anchor."""

import math

import numpy as np
import pytest
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
)
from webmotor_drake.drive.multi_axis_joints import (
    add_ball_joint,
    add_hinge2_joint,
)
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.motor.nodes import RotationalMotor


def head(add, **axes):
    """Returns a builder, a plant with a 1 kg head on the joint, the joints."""
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(0.008))
    model = plant.AddModelInstance("robot")
    body = plant.AddRigidBody(
        "head", model, SpatialInertia.SolidBoxWithMass(1.0, 0.1, 0.1, 0.2)
    )
    joints = add(plant, "neck", plant.world_frame(), body.body_frame(), **axes)
    plant.Finalize()
    return builder, plant, joints


def rotation_at(plant, joints, positions) -> np.ndarray:
    context = plant.CreateDefaultContext()
    for joint, position in zip(joints, positions, strict=True):
        joint.set_angle(context, position)
    X_WH = plant.GetBodyByName("head").EvalPoseInWorld(context)
    return X_WH.rotation().matrix()


def turned(axis, angle) -> np.ndarray:
    axis = np.asarray(axis) / np.linalg.norm(axis)
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (
        np.eye(3)
        + math.sin(angle) * cross
        + (1 - math.cos(angle)) * cross @ cross
    )


def test_the_second_axis_of_a_hinge2_is_carried_along_by_the_first():
    # Section 9 of Webots' joints: R = Rot(axis1, q1) Rot(axis2, q2).
    axis, axis2 = [0, 1, 0], [1, 0, 0]
    _, plant, joints = head(add_hinge2_joint, axis=axis, axis2=axis2)
    np.testing.assert_allclose(
        rotation_at(plant, joints, [0.7, -0.4]),
        turned(axis, 0.7) @ turned(axis2, -0.4),
        atol=1e-14,
    )


def test_a_ball_turns_about_its_three_axes_in_turn():
    _, plant, joints = head(add_ball_joint, axis=[1, 0, 0], axis3=[0, 0, 1])
    np.testing.assert_allclose(
        rotation_at(plant, joints, [0.3, 0.5, -0.9]),
        turned([1, 0, 0], 0.3)
        @ turned([0, 1, 0], 0.5)
        @ turned([0, 0, 1], -0.9),
        atol=1e-14,
    )


def test_the_second_axis_of_a_ball_is_limited_to_a_quarter_turn():
    _, _, joints = head(add_ball_joint)
    assert joints[1].position_lower_limits()[0] == -math.pi / 2
    assert joints[1].position_upper_limits()[0] == math.pi / 2
    assert math.isinf(joints[0].position_upper_limits()[0])


@pytest.mark.parametrize("add", [add_hinge2_joint, add_ball_joint])
def test_parallel_axes_fall_back_to_x_and_z(add):
    last = "axis2" if add is add_hinge2_joint else "axis3"
    _, plant, joints = head(add, **{"axis": [0, 1, 0], last: [0, 2, 0]})
    np.testing.assert_array_equal(joints[0].revolute_axis(), [1, 0, 0])
    np.testing.assert_array_equal(joints[-1].revolute_axis(), [0, 0, 1])


@pytest.mark.parametrize(
    ("add", "targets"),
    [(add_hinge2_joint, [0.5, -0.8]), (add_ball_joint, [0.5, -0.8, 1.2])],
)
def test_motors_reach_their_targets_over_the_small_bodies(add, targets):
    builder, plant, joints = head(add)
    names = [f"motor {i}" for i in range(len(joints))]
    driver = WebotsMotorDriver(
        motors={
            name: RotationalMotor(joint=joint.name())
            for name, joint in zip(names, joints, strict=True)
        },
        commands=[
            TimedCommand(motor=name, set_position=target)
            for name, target in zip(names, targets, strict=True)
        ],
    )
    ApplyDriverConfig(driver, "robot", plant, builder=builder)
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(4.0)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    angles = [joint.get_angle(context) for joint in joints]
    # Gains of 10: after 4 s the error is far below what gravity and the
    # servo's softness leave, cfm * torque / P = 1e-5 * 1 / 10.
    np.testing.assert_allclose(angles, targets, atol=2e-6)
