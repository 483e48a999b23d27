"""run.json as somebody has edited it by hand."""

import json
import os

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.results.results import Results, check_writable


def saved(folder, **changes):
    """Saves a run, and changes its run.json."""
    signals = {"arm/hinge/position": np.zeros(3)}
    about = {"motors": {"arm/hinge": {"joint": "hinge", "unit": "rad"}}}
    Results(time=np.arange(3.0), signals=signals, metadata=about).save(folder)
    file = folder / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    return folder


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"scenario": 5.0}, "scenario: 5.0 is of type float; a text is"),
        ({"scenario_folder": "a\0b"}, r"scenario_folder: .* holds a NUL"),
        ({"positions": 5}, "positions: 5 is of type int; a list is"),
        ({"positions": [5]}, r"positions\[0\]: 5 is of type int; a text is"),
        ({"package_xmls": ["a\0b"]}, r"package_xmls: .* holds a NUL"),
        ({"motors": 5}, "motors: 5 is of type int; a mapping"),
        ({"motors": {"a/b": 5}}, "motors.a/b: 5 is of type int; a mapping"),
        (
            {"motors": {"a/b": {"max_velocity": "x"}}},
            "motors.a/b.max_velocity: 'x' is of type str; a number is",
        ),
        ({"wall_time": True}, "wall_time: True is of type bool; a number is"),
        ({"joints": [1]}, r"joints: \[1\] is of type list; a mapping"),
        (
            {"warnings": ["x" * 99]},
            r"warnings: \['x+'\] is of type list; a mapping",
        ),
    ],
)
def test_a_value_of_another_kind_is_told_with_its_place(
    tmp_path, changes, told
):
    with pytest.raises(InputError, match=rf"run\.json: {told}"):
        Results.load(saved(tmp_path, **changes))


def test_what_is_null_is_not_there(tmp_path):
    nulls = dict.fromkeys(["scenario", "positions", "warnings", "wall_time"])
    metadata = Results.load(saved(tmp_path, **nulls)).metadata
    assert metadata["scenario"] is metadata["wall_time"] is None
    assert not {"positions", "warnings"} & metadata.keys()


@pytest.mark.parametrize("name", ["run.npz", "run.json"])
def test_a_pipe_in_the_folder_is_refused_and_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    told = f"{name} is a pipe or a device"
    for use in (check_writable, saved):
        with pytest.raises(InputError, match=told):
            use(tmp_path)
