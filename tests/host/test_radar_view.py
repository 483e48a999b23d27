"""The part of a body that is in a radar's view, all around it."""

import math

import numpy as np
import pytest

from webmotor_drake import nodes
from webmotor_drake.host.senses.radar import _visible_part

SIDES = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def box(distance, turn, tilt=0.0):
    """Returns the corners of a box of 0.2 m in a direction, facing the radar."""
    corners = SIDES * 0.1 + [distance, 0, 0]
    for axes, angle in (((0, 2), tilt), ((0, 1), turn)):
        c, s = math.cos(angle), math.sin(angle)
        a, b = corners[:, axes].T
        corners[:, axes[0]], corners[:, axes[1]] = c * a - s * b, s * a + c * b
    return corners


@pytest.mark.parametrize("degrees", range(-180, 180, 15))
def test_what_is_beside_its_view_is_not_seen_and_the_rest_is_where_it_is(
    degrees,
):
    radar = nodes.Radar(
        horizontal_field_of_view=1.0, vertical_field_of_view=0.5
    )
    turn, corners = math.radians(degrees), box(5.0, math.radians(degrees))
    seen = _visible_part(corners, radar)
    # Half of the box is 0.1 / 4.9 rad wide.
    if abs(turn) > 0.5 + 0.03:
        assert seen is None
    elif abs(turn) < 0.5 - 0.03:
        low, high = corners.min(axis=0), corners.max(axis=0)
        np.testing.assert_allclose(seen[0], (low + high) / 2, atol=1e-12)
        np.testing.assert_allclose(seen[1], high - low, atol=1e-12)


@pytest.mark.parametrize("tilt", [-0.3, -0.2, 0.2, 0.3])
def test_its_view_ends_above_and_below(tilt):
    radar = nodes.Radar(
        horizontal_field_of_view=1.0, vertical_field_of_view=0.5
    )
    seen = _visible_part(box(5.0, 0.0, tilt), radar)
    assert (seen is None) == (abs(tilt) > 0.25)


def test_with_a_view_all_around_what_is_behind_is_whole():
    radar = nodes.Radar(
        horizontal_field_of_view=2 * math.pi, vertical_field_of_view=1.0
    )
    for degrees in range(-175, 180, 10):
        corners = box(5.0, math.radians(degrees))
        if abs(degrees) < 170:  # beyond it is on both sides of the seam
            _, size = _visible_part(corners, radar)
            np.testing.assert_allclose(
                size, np.ptp(corners, axis=0), atol=1e-12
            )
