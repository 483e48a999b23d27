"""Stops that give way in Webots, and are hard here: the report has by how much."""

import types

import pytest

from webmotor_drake.worlds.joints import _note_axis_and_stops


def noted(*, has_stops=True, axis=None, **numbers):
    """Returns the entries of the report about a joint with such fields."""
    entries = []
    place = types.SimpleNamespace(add=lambda *entry: entries.append(entry))
    given = types.SimpleNamespace(
        fields={}
        if axis is None
        else {"axis": types.SimpleNamespace(items=axis, place=place)},
        number=numbers.get,
        place=place,
    )
    _note_axis_and_stops(given, has_stops=has_stops)
    return entries


@pytest.mark.parametrize(
    ("erp", "cfm", "give"),
    [
        (-1.0, -1.0, None),  # the engine's own
        (0.5, -1.0, "2e-05"),
        (-1.0, 0.01, "0.05"),
        (0.5, 0.01, "0.02"),
        (0.0, -1.0, "5e-05"),
        (-1.0, 0.0, "0"),
    ],
)
def test_soft_stops_are_told_with_what_they_give(erp, cfm, give):
    entries = noted(stopERP=erp, stopCFM=cfm)
    told = [
        text.partition("give way by ")[2].split()[0] for *_, text in entries
    ]
    assert told == ([] if give is None else [give])
    assert noted(has_stops=False, stopERP=erp, stopCFM=cfm) == []


def test_an_axis_of_length_0_is_told():
    (entry,) = noted(axis=[0, 0, 0], stopERP=-1.0, stopCFM=-1.0)
    assert entry[:2] == ("changed", "axis")
    assert noted(axis=[0, 0, 1], stopERP=-1.0, stopCFM=-1.0) == []
