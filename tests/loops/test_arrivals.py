"""Where bodies are at the end of a step, against rotations of Drake."""

import numpy as np
import pytest
from loops_as_text import loops_as_text
from pydrake.common.eigen_geometry import AngleAxis

STEP = 0.016


@pytest.mark.parametrize("speed", [0.0, 1e-5, 3.0, 200.0])
def test_a_body_turns_about_its_angular_velocity_and_goes_straight(speed):
    random = np.random.default_rng(1)
    poses, motions, expected = [], [], []
    for _ in range(3):
        axis, place, velocity = random.standard_normal((3, 3))
        axis /= np.linalg.norm(axis)
        turn = AngleAxis(random.uniform(0, 3), random.permutation(np.eye(3))[0])
        poses.append(np.column_stack([turn.rotation(), place]))
        # Its own origin's velocity; the last three are of no meaning here.
        motions.append([*(speed * axis), *velocity, *np.zeros(3)])
        later = AngleAxis(speed * STEP, axis).rotation() @ turn.rotation()
        expected.append(np.column_stack([later, place + STEP * velocity]))
    then = np.zeros(36)
    loops_as_text().arrivals._advance(
        np.ravel(poses), np.ravel(motions), STEP, then
    )
    # To rounding; below 1e-6 rad the angle's sine is the angle.
    np.testing.assert_allclose(then, np.ravel(expected), rtol=0, atol=1e-14)
