"""A record of what came into a run and went."""

import pytest
from pydrake.geometry import Box, Rgba
from pydrake.math import RigidTransform

from webmotor_drake.simulation.imports import DrawnShape, Imports

SHAPE = DrawnShape(Box(1, 2, 3), RigidTransform([0, 0, 1]), Rgba(1, 0, 0))


def spans(record):
    """Returns the spans of each of a record's looks."""
    return [look["spans"] for look in record.metadata()]


def test_what_comes_again_with_the_same_looks_is_noted_once():
    record = Imports()
    record.come(1, "box", [SHAPE], 0.5)
    record.come(2, "box", [SHAPE], 1.0)
    record.go(1, 2.0)
    record.come(3, "", [SHAPE], 3.0)
    assert spans(record) == [[[0.5, 2.0], [1.0, None]], [[3.0, None]]]
    assert record.models == ["box"]
    assert [model for model, _ in record.here] == ["box", ""]
    record.go(7, 4.0)  # nobody knows it
    record.go(2, 4.0)
    assert [model for model, _ in record.here] == [""]


def test_a_record_that_begins_anew_has_nothing_of_before():
    record = Imports()
    record.come(1, "box", [SHAPE], 0.5)
    record.forget(2.0)
    assert (record.here, record.models, record.metadata()) == ([], [], [])
    record.go(1, 3.0)
    record.come(1, "box", [SHAPE], 2.5)
    assert spans(record) == [[[0.5, None]]]
    assert len(record.here) == 1


def test_shapes_that_are_not_drawn_are_not_noted():
    record = Imports()
    record.come(1, "box", [], 0.5)
    assert (record.here, record.metadata()) == ([], [])


def test_the_metadata_is_the_callers_own():
    record = Imports()
    record.come(1, "box", [SHAPE], 0.5)
    record.metadata()[0]["spans"].clear()
    assert spans(record) == [[[0.5, None]]]
    (shape,) = record.metadata()[0]["shapes"]
    assert shape["sizes"] == [1, 2, 3]
    assert shape["position"] == [0, 0, 1]
    assert shape["rgba"] == pytest.approx([1, 0, 0, 1])
