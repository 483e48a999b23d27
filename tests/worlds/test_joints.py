"""The axes of Webots' joints, where a file's are no directions, too."""

import numpy as np
import pytest

from webmotor_drake.worlds.joints import _joint_axes
from webmotor_drake.worlds.reader import read_nodes

BALL = """BallJoint {{
  jointParameters2 JointParameters {{ axis {} }}
  jointParameters3 JointParameters {{ axis {} }}
}}"""


@pytest.mark.parametrize(
    ("second", "third", "expected"),
    [
        ("0 1 0", "0 0 1", [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]),
        # Parallel ones are as the default.
        ("0 3 0", "0 -1 0", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ("0 0 0", "0 0 0", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    ],
)
def test_a_ball_turns_about_three_axes_across(second, third, expected):
    (node,) = read_nodes(BALL.format(second, third))
    given = [None, *map(node.node, ("jointParameters2", "jointParameters3"))]
    np.testing.assert_allclose(_joint_axes(node, given), expected, atol=1e-15)
