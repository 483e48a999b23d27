"""Values written into a YAML text: only they change, and they read as given."""

import random

import pytest
import yaml

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.scenario_yaml import edited
from webmotor_drake.scenario.yaml_document import parse_document

TEXT = """\
# A file with comments, ä, and an anchor.
A:
  shared: &all {x: 1, y: 2}
  motors:   # two
    "h m": !Motor {joint: h, max_torque: 5.0} # stays
    b: !Motor
      joint: g   # a joint
      control_pid: [10, 0, 0]  # P, I, D
      <<: *all
      pd: {kp: 3,
           kd: 1}  # damping
    c: {<<: *all, own: *all}
    d: {}
    e: {a: 1, }
"""


class _Loader(yaml.SafeLoader):
    """Reads tagged mappings as mappings."""


_Loader.add_multi_constructor(
    "!", lambda loader, tag, node: loader.construct_mapping(node, deep=True)
)


def at(text, path):
    node = yaml.load(text, _Loader)
    for key in path:
        node = node[key]
    return node


def put(data, path, value):
    *outer, last = path
    for key in outer:
        data = data.setdefault(key, {}) if isinstance(data, dict) else data[key]
    data[last] = value


PATHS = [
    ("h m", "max_torque"),
    ("h m", "max_velocity"),
    ("b", "control_pid", 1),
    ("b", "x"),
    ("b", "acceleration"),
    ("b", "pd", "kd"),
    ("b", "pd", "other"),
    ("b", "dc_motor", "stall_torque"),
    ("c", "own"),
    ("c", "z"),
    ("d", "inner", "z"),
    ("e", "z"),
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("value", [7.5, 3.0, 1e-5, -2e20, None])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_one_value_changes_and_nothing_else(path, value, ending):
    text = TEXT.replace("\n", ending)
    path = ("A", "motors", *path)
    new = edited(parse_document(text, "f"), {path: value}).text
    assert at(new, path) == value
    expected = yaml.load(text, _Loader)
    put(expected, path, value)
    assert yaml.load(new, _Loader) == expected
    assert new.count("#") == text.count("#")
    gone = set(text.splitlines()) - set(new.splitlines())
    assert len(gone) <= 1
    assert new.count("\r") == (new.count("\n") if ending == "\r\n" else 0)


@pytest.mark.parametrize("seed", range(5))
def test_many_changes_one_after_the_other_keep_each_other(seed):
    draw = random.Random(seed)
    document, expected = parse_document(TEXT, "f"), yaml.load(TEXT, _Loader)
    values = {}
    for path in draw.sample(PATHS, len(PATHS)):
        values["A", "motors", *path] = draw.uniform(-10, 10)
    document = edited(document, values)
    for path, value in values.items():
        put(expected, path, value)
    assert yaml.load(document.text, _Loader) == expected


def test_a_list_that_is_missing_comes_whole():
    path = ("A", "motors", "h m", "control_pid")
    new = edited(parse_document(TEXT, "f"), {path: [12.0, 0.0, 0.5]}).text
    assert at(new, path) == [12, 0, 0.5]
    assert "control_pid: [12, 0, 0.5]} # stays" in new


def test_what_others_share_is_not_changed_for_all():
    document = parse_document(TEXT, "f")
    with pytest.raises(InputError, match="an anchor, which others share"):
        edited(document, {("A", "motors", "c", "own", "x"): 5.0})


def test_a_value_below_a_number_is_refused():
    document = parse_document(TEXT, "f")
    with pytest.raises(InputError, match="there is no mapping for it"):
        edited(document, {("A", "motors", "h m", "joint", "x"): 5.0})
