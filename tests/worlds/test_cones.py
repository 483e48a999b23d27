"""Cones are drawn where they have a size."""

import numpy as np
import pytest

from webmotor_drake.worlds.reader import read_nodes
from webmotor_drake.worlds.shapes import read_geometry


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ("bottomRadius 0.5 height 0.5", True),
        ("bottomRadius 0", False),
        ("height -1", False),
    ],
)
def test_a_cone_needs_a_size(fields, seen):
    (node,) = read_nodes(f"Cone {{ {fields} }}")
    shape = read_geometry(node, np.ones(3)).shape
    assert (shape is not None) == seen
    if shape is not None:
        points = shape.triangles.reshape(-1, 3)
        assert np.ptp(points, axis=0) == pytest.approx([1, 1, 0.5])
