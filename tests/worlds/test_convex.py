import numpy as np
import pytest

from webmotor_drake.worlds import convex
from webmotor_drake.worlds.convex import _is_convex, convex_parts


def box(size=(1.0, 1.0, 1.0), at=(0.0, 0.0, 0.0)):
    """Returns the triangles of a box, anticlockwise from outside."""
    corners = np.array(
        [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    )
    faces = [
        (0, 1, 3, 2),
        (4, 6, 7, 5),
        (0, 4, 5, 1),
        (2, 3, 7, 6),
        (0, 2, 6, 4),
        (1, 5, 7, 3),
    ]
    index = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return (corners * size + at)[np.array(index)]


def test_a_box_is_convex_and_stays_whole():
    parts, filled = convex_parts(box(), fixed=True)
    assert len(parts) == 1 and not filled
    assert _is_convex(box()) and _is_convex(box()[:, ::-1])


def test_a_box_without_a_lid_is_hollow():
    lid = box()[..., 2].min(axis=1) == 1
    parts, filled = convex_parts(box()[~lid], fixed=True)
    assert len(parts) == 10 and not filled


def test_boxes_that_do_not_touch_are_parts():
    mesh = np.concatenate([box(), box(at=(3, 0, 0)), box(at=(0, 5, 0))])
    parts, filled = convex_parts(mesh, fixed=False)
    assert len(parts) == 3 and not filled


@pytest.fixture
def corner():
    """Two boxes that share corners: an L."""
    return np.concatenate([box(), box(size=(2, 1, 1), at=(0, 1, 0))])


def test_what_stands_still_and_is_hollow_gets_prisms(corner):
    parts, filled = convex_parts(corner, fixed=True)
    assert len(parts) == len(corner) and not filled
    # No prism reaches into the free corner of the L.
    points = np.concatenate(parts).reshape(-1, 3)
    inside = (points[:, 0] > 1.02) & (points[:, 1] < 0.98)
    assert not inside.any()


def test_what_moves_and_is_hollow_is_its_hull(corner):
    parts, filled = convex_parts(corner, fixed=False)
    assert len(parts) == 1 and filled


def test_what_has_too_many_parts_is_one_hull(monkeypatch):
    monkeypatch.setattr(convex, "MOST_PRISMS", 2)
    many = np.concatenate([box(at=(7 * i, 0, 0)) for i in range(3)])
    parts, filled = convex_parts(many, fixed=False)
    assert len(parts) == 1 and len(parts[0]) == len(many) and filled
