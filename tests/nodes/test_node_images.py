"""Images that cannot be are refused, by what all of them share and by their own."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.images import Camera, Lidar, RangeFinder


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        (Camera(width=8192, height=8192), "pixels"),
        (RangeFinder(width=8192, height=8192), "pixels"),
        (RangeFinder(min_range=2.0, max_range=1.0), "below max_range, 1 m"),
        (RangeFinder(min_range=0.0), "a length above 0"),
        (Lidar(min_range=1.0, max_range=1.0), "below max_range, 1 m"),
    ],
)
def test_what_is_inherited_is_checked_as_well_as_what_is_not(node, problem):
    with pytest.raises(InputError, match=problem):
        check_node(node)


@pytest.mark.parametrize("node", [Camera(), RangeFinder(), Lidar()])
def test_webots_defaults_are_images(node):
    check_node(node)
