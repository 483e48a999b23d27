"""Marks over the robots show what their motors do."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.view.joint_marks import _LEVELS, _level
from webmotor_drake.view.joint_shapes import JointShapes
from webmotor_drake.view.puppet import Puppet


@pytest.fixture(scope="module")
def puppet():
    """Returns the lift, which slides, and the arm, which turns."""
    return {
        name: Puppet(wm.load_scenario(f"package:{name}"))
        for name in ("vertical_lift", "six_axis")
    }


@pytest.mark.parametrize(
    ("effort", "direct", "level"),
    [
        (0.0, False, ""),
        (0.004, False, ""),
        (0.01, False, "1"),
        (-0.5, False, f"-{_LEVELS // 2}"),
        (0.999, False, f"{_LEVELS}"),
        (1.0, False, "+limit"),
        (-1.0, False, "-limit"),
        # Effort that was set is not saturated, whatever it is.
        (-1.0, True, f"-{_LEVELS}"),
        (np.nan, False, ""),
    ],
)
def test_an_effort_has_an_arrow_by_its_share(effort, direct, level):
    assert _level(20 * effort, 20.0, direct=direct) == level
    assert _level(effort, np.inf, direct=direct) == ""


@pytest.mark.parametrize("name", ["six_axis", "vertical_lift"])
def test_what_reaches_from_0_to_a_position_ends_where_the_joint_is(
    puppet, name
):
    plant, context = puppet[name].plant, puppet[name].context
    joints = [
        joint
        for joint in map(plant.get_joint, plant.GetJointIndices())
        if joint.num_velocities() == 1
    ]
    assert joints
    for joint in joints:
        vertices, faces = JointShapes(joint, 0.1).reach(0.0, 0.7)
        positions = puppet[name].positions
        positions[joint.position_start()] = 0.7
        puppet[name].pose(positions)
        X_FM = joint.frame_on_child().CalcPose(context, joint.frame_on_parent())
        np.testing.assert_allclose(
            vertices[:, -2], X_FM @ vertices[:, 0], atol=1e-12
        )
        assert faces.max() == vertices.shape[1] - 1


def test_an_arrow_is_as_long_as_its_share(puppet):
    joint = puppet["six_axis"].plant.GetJointByName("joint_1")
    shapes = JointShapes(joint, 1.0)
    for share in (0.25, -0.25):
        tip = shapes.share(share)[0][:, -1]
        start, _ = shapes.reach(0.0, 0.1)
        angle = np.arccos(tip @ start[:, 0] / np.linalg.norm(tip) / 0.93)
        # Three quarters of a turn are a whole one.
        assert angle == pytest.approx(0.25 * 1.5 * np.pi, abs=1e-9)
