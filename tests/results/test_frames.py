"""Results in a notebook: short, as tables, and in the frames of others."""

import sys

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.results.results import Results

TIME = np.array([0.0, 0.1, 0.2])


def run() -> Results:
    """Returns two motors, of which one has an extra signal, and a body."""
    signals = {
        "arm/<a>/position": TIME,
        "arm/<a>/effort": 2 * TIME,
        "lift/b/position": 3 * TIME,
        "box/box/position": np.column_stack([TIME, 0 * TIME, 5 * TIME]),
        "box/box/quaternion": np.tile([1.0, 0, 0, 0], (3, 1)),
    }
    units = {"arm/<a>": {"unit": "rad"}, "lift/b": {"unit": "m"}}
    return Results(TIME, signals, {"scenario_name": "Demo", "motors": units})


def test_a_run_says_what_it_is_in_a_line():
    assert repr(run()) == (
        "<Results of Demo, 2 motors, 1 body, 3 rows from 0 to 0.2 s>"
    )
    assert repr(Results([0.0], {})) == "<Results of a run, 1 row from 0 to 0 s>"


def test_a_run_is_a_mapping_of_its_signals():
    results = run()
    assert results.keys() == list(results) == list(results.signals)
    assert np.array_equal(dict(results)["lift/b/position"], 3 * TIME)
    with pytest.raises(InputError, match="unknown signal 0"):
        results[0]


def test_a_dataframe_has_a_column_per_number_by_time():
    pandas = pytest.importorskip("pandas")
    frame = run().to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "time"
    assert frame.index.tolist() == TIME.tolist()
    assert frame["lift/b/position"].tolist() == (3 * TIME).tolist()
    assert frame["box/box/position/z"].tolist() == (5 * TIME).tolist()
    assert frame["box/box/quaternion/w"].tolist() == [1, 1, 1]
    assert frame.shape == (3, 3 + 3 + 4)


@pytest.mark.slow
def test_a_dataset_has_motors_and_bodies_as_dimensions():
    pytest.importorskip("xarray")
    data = run().to_xarray()
    assert data.position.sel(motor="lift/b").values == pytest.approx(3 * TIME)
    assert np.isnan(data.effort.sel(motor="lift/b")).all()
    assert data.unit.values.tolist() == ["rad", "m"]
    height = data.body_position.sel(body="box/box", axis="z")
    assert height.values == pytest.approx(5 * TIME)
    assert data.body_quaternion.dims == ("time", "body", "component")


@pytest.mark.parametrize(
    ("library", "method"),
    [("pandas", "to_dataframe"), ("xarray", "to_xarray")],
)
def test_without_a_library_the_extra_is_named(monkeypatch, library, method):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        InputError,
        match=rf"^{library} is missing: pip install 'webmotor-drake\[notebook\]'$",
    ):
        getattr(run(), method)()
