"""Any YAML loading failure names its file, line, column and path."""

import dataclasses as dc
import math
import os
import typing as t

import numpy as np
import pytest
import yaml
from drawn import draws
from hypothesis import given, settings, strategies as st
from pydrake.geometry import SceneGraphConfig
from pydrake.multibody.parsing import ModelDirective
from pydrake.multibody.plant import MultibodyPlantConfig
from pydrake.systems.analysis import SimulatorConfig
from pydrake.visualization import VisualizationConfig

from webmotor_drake.errors import InputError
from webmotor_drake.scenario import yaml_document
from webmotor_drake.scenario.yaml_document import (
    MAX_BYTES,
    load_document,
    parse_document,
)
from webmotor_drake.scenario.yaml_typed import read_typed


@dc.dataclass
class RotationalMotor:
    joint: str = ""
    control_pid: list[float] = dc.field(default_factory=lambda: [10, 0, 0])
    max_velocity: float = 10.0
    max_torque: t.Optional[float] = None  # noqa: UP045
    muscles: t.List[str] = dc.field(default_factory=list)  # noqa: UP006
    gear: int = 1
    enabled: bool = True
    gains: np.ndarray = dc.field(default_factory=lambda: np.zeros(0))


@dc.dataclass
class LinearMotor:
    joint: str = ""
    max_force: float | None = None


@dc.dataclass
class Command:
    time: float = 0.0
    motor: str = ""
    set_position: float | None = None


@dc.dataclass
class ZeroForceDriver:
    pass


@dc.dataclass
class WebotsMotorDriver:
    motors: dict[str, RotationalMotor | LinearMotor] = dc.field(
        default_factory=dict
    )
    commands: list[Command] = dc.field(default_factory=list)
    labels: dict[str, str] = dc.field(default_factory=dict)


@dc.dataclass
class Scenario:
    random_seed: int = 0
    simulation_duration: float = math.inf
    simulator_config: SimulatorConfig = dc.field(
        default_factory=SimulatorConfig
    )
    plant_config: MultibodyPlantConfig = dc.field(
        default_factory=MultibodyPlantConfig
    )
    scene_graph_config: SceneGraphConfig = dc.field(
        default_factory=SceneGraphConfig
    )
    directives: t.List[ModelDirective] = dc.field(  # noqa: UP006
        default_factory=list
    )
    model_drivers: t.Mapping[
        str,
        t.Union[ZeroForceDriver, WebotsMotorDriver],  # noqa: UP007
    ] = dc.field(default_factory=dict)
    visualization: VisualizationConfig = dc.field(
        default_factory=VisualizationConfig
    )
    initial_position: t.Mapping[str, dict[str, np.ndarray]] = dc.field(
        default_factory=dict
    )


VALID = """\
# A pendulum.
_motor: &motor
  control_pid: [10, 0, 1e-5]
  max_velocity: 1e1
Lift:
  simulation_duration: 3.0
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://models/arm.sdf}
  - add_weld:
      parent: world
      child: arm::base
      X_PC:
        translation: [0, 0, 1]
        rotation: !Rpy {deg: [0, 90, 0]}
  initial_position: {arm: {hinge: [0.5]}}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        elbow: !RotationalMotor
          <<: *motor
          joint: hinge
          max_torque: .inf
        slide: !LinearMotor {joint: rail}
      commands:
      - {time: 0.0, motor: elbow, set_position: 1.2}
      - {time: 1.5, motor: slide}
Still: {}
"""


def load(text, child_name=None, defaults=None):
    document = parse_document(text, "a.yaml")
    return read_typed(
        Scenario, document, child_name=child_name, defaults=defaults
    )


def message(function, *args, **kwargs):
    with pytest.raises(InputError) as caught:
        function(*args, **kwargs)
    return str(caught.value)


def test_a_valid_scenario_loads_as_it_is():
    lift = load(VALID, "Lift")
    elbow = lift.model_drivers["arm"].motors["elbow"]
    assert isinstance(elbow, RotationalMotor)
    assert elbow.joint == "hinge"
    assert elbow.max_torque == math.inf
    assert elbow.control_pid == [10.0, 0.0, 1e-5]
    assert elbow.max_velocity == 10.0
    assert isinstance(lift.model_drivers["arm"].motors["slide"], LinearMotor)
    assert lift.model_drivers["arm"].commands[1].set_position is None
    assert lift.initial_position["arm"]["hinge"].tolist() == [0.5]
    assert lift.directives[1].add_weld.child == "arm::base"
    assert lift.plant_config.time_step == 0.008


def test_a_document_lists_its_public_names_in_order():
    document = parse_document(VALID, "a.yaml")
    assert document.names == ["Lift", "Still"]
    assert document.text == VALID
    assert document.file == "a.yaml"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), "2:1"),
        (("Lift",), "5:1"),
        (("Lift", "plant_config", "time_step"), "7:18"),
        (("Lift", "directives", 1), "10:5"),
        (("Lift", "directives", 1, "add_weld", "child"), "12:7"),
        (("Lift", "directives", 2, "add_model"), "8:3"),
        (("Lift", "model_drivers", "arm", "commands", 1), "27:9"),
        (("Lift", "model_drivers", "arm", "commands", 1, "motor"), "27:21"),
        (("Lift", "simulation_duration", "deeper"), "6:3"),
        (("Nowhere", "at", "all"), "2:1"),
    ],
)
def test_a_place_is_that_of_the_key_or_item_or_nearest_parent(path, place):
    document = parse_document(VALID, "a.yaml")
    assert document.locate(path) == f"a.yaml:{place}"


def test_a_place_follows_merges_and_aliases_to_where_the_text_is():
    elbow = ("Lift", "model_drivers", "arm", "motors", "elbow")
    document = parse_document(VALID, "a.yaml")
    assert document.locate((*elbow, "max_velocity")) == "a.yaml:4:3"
    assert document.locate((*elbow, "control_pid", 2)) == "a.yaml:3:24"
    assert document.locate((*elbow, "joint")) == "a.yaml:22:11"
    alias = parse_document("_m: &m {f: 1}\na:\n  b: *m\n", "b.yaml")
    assert alias.locate(("a", "b")) == "b.yaml:3:3"
    assert alias.locate(("a", "b", "f")) == "b.yaml:1:9"


def test_the_first_of_several_merges_wins_and_own_keys_win_over_all():
    text = (
        "_a: &a {x: 1, y: 1, z: 1}\n"
        "_b: &b {x: 2, y: 2}\n"
        "c: {<<: [*b, *a], x: 3}\n"
    )
    document = parse_document(text, "a.yaml")
    places = [document.locate(("c", name)) for name in "xyz"]
    assert places == ["a.yaml:3:19", "a.yaml:2:15", "a.yaml:1:21"]


def test_columns_count_characters_and_lines_end_as_on_any_system():
    document = parse_document("\ufeffé: {ü: 1, z: 2}\r\nb: 3\r\n", "a.yaml")
    assert document.locate(("é", "z")) == "a.yaml:1:11"
    assert document.locate(("b",)) == "a.yaml:2:1"


def test_an_error_has_the_place_of_its_path():
    error = parse_document(VALID, "a.yaml").error("too slow", ("Lift",))
    assert str(error) == "a.yaml:5:1: Lift: too slow"
    assert error.path == ("Lift",)


def test_marks_are_the_same_without_libyaml(monkeypatch):
    def places(node):
        marks = [(node.start_mark.line, node.start_mark.column)]
        for child in node.value if isinstance(node.value, list) else ():
            for inner in child if isinstance(child, tuple) else (child,):
                marks += places(inner)
        return marks

    expected = places(parse_document(VALID, "a.yaml").root)
    monkeypatch.setattr(yaml_document, "_LOADER", yaml.SafeLoader)
    assert places(parse_document(VALID, "a.yaml").root) == expected


def test_a_file_is_read_with_its_name(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: {b: 1}\n")
    document = load_document(file)
    assert document.names == ["a"]
    assert document.text == "a: {b: 1}\n"
    assert load_document(str(file)).locate(("a", "b")) == f"{file}:1:5"


def test_a_missing_file_says_so(tmp_path):
    file = tmp_path / "no.yaml"
    assert message(load_document, file) == f"{file}: no such file"


def test_a_directory_is_not_a_file(tmp_path):
    assert message(load_document, tmp_path) == (
        f"{tmp_path}: a directory, not a file"
    )


def test_an_unreadable_path_says_why(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\n")
    inside = file / "b.yaml"
    assert message(load_document, inside) == (
        f"{inside}: cannot be read: Not a directory"
    )
    assert message(load_document, "a\0b").startswith("a b: cannot be read: ")
    endless = "x" * 5000
    said = message(load_document, endless)
    assert said.startswith("xxx")  # of a line this long the middle is left out
    assert said.endswith("xxx: cannot be read: File name too long")


def test_a_forbidden_file_says_so(without_rights):
    file = without_rights / "a.yaml"
    file.write_text("a: 1\n")
    file.chmod(0)
    assert message(load_document, file) == (
        f"{file}: cannot be read: Permission denied"
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", ": empty; expected a mapping"),
        (b"# only\n# comments\n", ": empty; expected a mapping"),
        (b"\xff\xfea\0", ":1:1: not UTF-8 text: byte 0xff"),
        (b"a: 1\nb: \xe9t\xe9\n", ":2:4: not UTF-8 text: byte 0xe9"),
        (b"a: \xe2\x82", ":1:4: not UTF-8 text: byte 0xe2"),
        (b"a: 1\nb\0", ":2:2: not a YAML text: control character U+0000"),
        (b"\x1b[0m", ":1:1: not a YAML text: control character U+001B"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, content, problem):
    file = tmp_path / "a.yaml"
    file.write_bytes(content)
    assert message(load_document, file) == f"{file}{problem}"


def test_a_file_above_the_limit_is_refused_with_the_option_that_lifts_it(
    tmp_path,
):
    file = tmp_path / "a.yaml"
    with open(file, "wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    assert message(load_document, file) == (
        f"{file}: more than 2,000,000 bytes (--unlimited lifts this limit)"
    )
    text = "a: " + "é" * (MAX_BYTES // 2)
    assert message(parse_document, text, "a.yaml") == (
        "a.yaml: more than 2,000,000 bytes (--unlimited lifts this limit)"
    )


def test_a_device_without_end_is_not_read():
    if not os.path.exists("/dev/zero"):
        pytest.skip("no /dev/zero here")
    assert message(load_document, "/dev/zero") == (
        "/dev/zero: a pipe or a device, not a file"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "a:\n  b: [1, 2\nc: 3\n",
            "3:2: not valid YAML: while parsing a flow sequence (line 2), "
            "did not find expected ',' or ']'",
        ),
        (
            "a: b: c\n",
            "1:5: not valid YAML: "
            "mapping values are not allowed in this context",
        ),
        ("a: *b\n", "1:4: not valid YAML: found undefined alias"),
        (
            "a: 1\n---\nb: 2\n",
            "2:1: not valid YAML: expected a single document in the stream "
            "(line 1), but found another document",
        ),
        ("---\n", "2:1: expected a mapping at the top level, not null"),
        ("[a]", "1:1: expected a mapping at the top level, not a list of 1"),
        ("a", "1:1: expected a mapping at the top level, not the text 'a'"),
        ("a: 1\n1: 2\n", "2:1: expected a name in quotes, not the number 1"),
        ("~: 2\n", "1:1: expected a name in quotes, not null"),
        ("on: 2\n", "1:1: expected a name in quotes, not the truth value on"),
        ("a: {2: 3}", "1:5: a: expected a name in quotes, not the number 2"),
        ("? [b]\n: 1", "1:3: expected a name in quotes, not a list of 1"),
        ("a: 1\nb: 2\na: 3", "3:1: a: given twice; first on line 1"),
        (
            "a:\n- {b: {c: 1,\n  'c': 2}}",
            "3:3: a[0].b.c: given twice; first on line 2",
        ),
        ("a: {<<: 3}", "1:5: a.<<: expected a mapping, not the number 3"),
        ("a: {<<: [b]}", "1:5: a.<<: expected a mapping, not the text 'b'"),
        ("a: &b [*b]", "1:4: a[0]: an anchor that contains itself"),
        ("&a\n<<: *a\n", "1:1: <<: an anchor that contains itself"),
        (
            "a: 2024-13-01",
            "1:4: a: the value 2024-13-01 is not a valid !!timestamp; "
            "put text in quotes",
        ),
        (
            f"a: {'9' * 5000}",
            f"1:4: a: the number {'9' * 40}... is not a valid !!int; "
            "put text in quotes",
        ),
        (
            "a: =",
            "1:4: a: the value = is not a valid !!value; put text in quotes",
        ),
        (
            "a: !ZeroForceDriver",
            "1:4: a: !ZeroForceDriver takes a mapping, "
            "such as !ZeroForceDriver {}",
        ),
        ("a: [!b [1]]", "1:5: a[0]: !b takes a mapping, such as !b {}"),
        (
            "a: !!set {b}",
            "1:4: a: a mapping is not a valid !!set; put text in quotes",
        ),
        (
            "a: !!str [b]",
            "1:4: a: a list of 1 is not a valid !!str; put text in quotes",
        ),
        (
            "a: !!seq b",
            "1:4: a: the value b is not a valid !!seq; put text in quotes",
        ),
        (
            "a: {<<: !!seq b}",
            "1:5: a.<<: expected a mapping, not the value b",
        ),
    ],
)
def test_a_document_that_means_nothing_is_refused(text, problem):
    assert message(parse_document, text, "a.yaml") == f"a.yaml:{problem}"


def test_an_anchor_may_be_overridden_and_merged_twice():
    text = "_a: &a {gear: 1}\n_b: &b {joint: x}\nc:\n  <<: *a\n  <<: *b\n"
    document = parse_document(text + "  gear: 2\n", "a.yaml")
    motor = read_typed(RotationalMotor, document, child_name="c")
    assert (motor.gear, motor.joint) == (2, "x")


@pytest.mark.parametrize(
    "text",
    ["[", "{a: ", "- ", "? ", "[a,", "[[", "!a [", "{<<: ", "a: [{"],
)
@pytest.mark.parametrize("loader", [yaml_document._LOADER, yaml.SafeLoader])
def test_deep_nesting_is_refused_before_it_hurts(monkeypatch, text, loader):
    monkeypatch.setattr(yaml_document, "_LOADER", loader)
    result = message(parse_document, text * 100_000, "a.yaml")
    assert "nested deeper than 100 levels" in result or "not valid" in result


def test_nesting_may_be_100_levels_deep_but_no_deeper():
    deepest = "a: " + 99 * "[" + 99 * "]"
    assert parse_document(deepest, "a.yaml").names == ["a"]
    assert message(load, deepest).startswith("a.yaml:1:1: a: unknown field")
    deeper = "a: " + 100 * "[" + 100 * "]"
    assert message(parse_document, deeper, "a.yaml") == (
        "a.yaml:1:103: nested deeper than 100 levels"
    )


def chain(links, anchor):
    lines = [anchor.format(0, "b")]
    lines += [anchor.format(i, links(f"*a{i - 1}")) for i in range(1, 150)]
    return "".join(lines)


def test_aliases_do_not_hide_depth_or_size():
    anchor = "a{0}: &a{0} [{1}]\n"
    assert message(parse_document, chain(str, anchor), "a.yaml") == (
        "a.yaml:101:7: a100: nested deeper than 100 levels"
    )
    bomb = chain(lambda alias: ", ".join(10 * [alias]), anchor)
    assert message(parse_document, bomb, "a.yaml") == (
        "a.yaml:6:5: a5: more than 200,000 values, aliases expanded"
        " (--unlimited lifts this limit)"
    )
    merges = chain(
        lambda alias: f"<<: [{', '.join(10 * [alias])}]",
        "a{0}: &a{0} {{{1}}}\n",
    )
    assert "more than 200,000 values" in message(
        parse_document, merges, "a.yaml"
    )


def test_a_long_list_is_refused_before_it_is_composed():
    text = "a:\n" + "-\n" * 900_000
    assert message(parse_document, text, "a.yaml") == (
        "a.yaml:199999:2: more than 200,000 values, aliases expanded"
        " (--unlimited lifts this limit)"
    )


def test_a_misspelt_field_is_located_and_guessed():
    text = VALID.replace("max_torque", "max_torqe")
    assert message(load, text, "Lift") == (
        "a.yaml:23:11: Lift.model_drivers.arm.motors.elbow.max_torqe: "
        "unknown field; did you mean max_torque?"
    )


def test_an_unknown_scenario_lists_those_that_exist():
    assert message(load, VALID, "Lfit") == (
        "a.yaml:2:1: unknown scenario 'Lfit'; did you mean Lift? "
        "(known: Lift, Still)"
    )
    assert message(load, VALID, "_motor") == (
        "a.yaml:2:1: unknown scenario '_motor' (known: Lift, Still)"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("random_sed: 1", "random_sed: unknown field; "
         "did you mean random_seed?"),
        ("plant_config: {step: 1}", "plant_config.step: unknown field; "
         "did you mean time_step?"),
        ("random_seed: 2.5", "random_seed: expected a whole number, "
         "not the number 2.5"),
        ("random_seed: 0x" + "f" * 5000, "random_seed: "
         "Drake refuses the number 0x" + "f" * 38 + "...: "
         "it has more than 4,000 digits"),
        ("random_seed: 1e3", "random_seed: expected a whole number, "
         "not the text '1e3'"),
        ("simulation_duration: 3 s", "simulation_duration: "
         "expected a number, not the text '3 s'"),
        ("simulation_duration: yes", "simulation_duration: "
         "expected a number, not the truth value yes"),
        ("simulation_duration:", "simulation_duration: "
         "expected a number, not null"),
        ("simulation_duration: [1]", "simulation_duration: "
         "expected a number, not a list of 1"),
        ("simulation_duration: {a: 1}", "simulation_duration: "
         "expected a number, not a mapping"),
        ("simulation_duration: " + "9" * 400, "simulation_duration: "
         "Drake refuses the number " + "9" * 40 + "...: "
         "int too large to convert to float"),
        ("plant_config:", "plant_config: expected a mapping, not null"),
        ("plant_config: 1", "plant_config: expected a mapping, "
         "not the number 1"),
        ("plant_config: [1, 2]", "plant_config: expected a mapping, "
         "not a list of 2"),
        ("plant_config: !Foo {}", "plant_config: expected no tag here, "
         "not !Foo"),
        ("plant_config: {time_step: fast}", "plant_config.time_step: "
         "expected a number, not the text 'fast'"),
        ("plant_config: {contact_model: 3}", "plant_config.contact_model: "
         "expected text in quotes, not the number 3"),
        ("simulator_config: {use_error_control: 1}",
         "simulator_config.use_error_control: "
         "expected true or false, not the number 1"),
        ("scene_graph_config: {default_proximity_properties: "
         "{slab_thickness: thin}}",
         "scene_graph_config.default_proximity_properties.slab_thickness: "
         "expected a number, not the text 'thin'"),
        ("visualization: {default_proximity_color: {rgba: [1, 0]}}",
         "visualization.default_proximity_color.rgba: "
         "expected a list of 4 numbers, not a list of 2"),
        ("directives: {add_model: {}}", "directives: expected a list, "
         "not a mapping"),
        ("directives:", "directives: expected a list, not null"),
        ("directives: [{add_weld: {parnt: a}}]",
         "directives[0].add_weld.parnt: unknown field; "
         "did you mean parent?"),
        ("directives: [{}, []]", "directives[1]: expected a mapping, "
         "not a list of 0"),
        ("directives: [{add_weld: {X_PC: {translation: [1, 2]}}}]",
         "directives[0].add_weld.X_PC.translation: "
         "expected a list of 3 numbers, not a list of 2"),
        ("directives: [{add_weld: {X_PC: {translation: 1}}}]",
         "directives[0].add_weld.X_PC.translation: "
         "expected a list of numbers, not the number 1"),
        ("directives: [{add_weld: {X_PC: {rotation: {deg: [1, 2, 3]}}}}]",
         "directives[0].add_weld.X_PC.rotation: expected one of "
         "!Identity, !Rpy, !AngleAxis, !Uniform, "
         "not a mapping without tag"),
        ("directives: [{add_weld: {X_PC: {rotation: !Rpi {}}}}]",
         "directives[0].add_weld.X_PC.rotation: unknown tag '!Rpi'; did "
         "you mean !Rpy? (known: !Identity, !Rpy, !AngleAxis, !Uniform)"),
        ("initial_position: {arm: {hinge: 0.5}}",
         "initial_position.arm.hinge: "
         "expected a list of numbers, not the number 0.5"),
        ("initial_position: {arm: {hinge: [0.5, null]}}",
         "initial_position.arm.hinge[1]: expected a number, not null"),
        ("initial_position: {arm: {hinge: [true]}}",
         "initial_position.arm.hinge[0]: "
         "expected a number, not the truth value true"),
        ("initial_position: {arm: {hinge: [[1, 2], [3, x]]}}",
         "initial_position.arm.hinge[1][1]: "
         "expected a number, not the text 'x'"),
        ("model_drivers: {arm: }", "model_drivers.arm: expected one of "
         "!ZeroForceDriver, !WebotsMotorDriver, not null"),
        ("model_drivers: {arm: {motors: {}}}", "model_drivers.arm: "
         "expected one of !ZeroForceDriver, !WebotsMotorDriver, "
         "not a mapping without tag"),
        ("model_drivers: {arm: !WebotsDriver {}}", "model_drivers.arm: "
         "unknown tag '!WebotsDriver'; did you mean !WebotsMotorDriver? "
         "(known: !ZeroForceDriver, !WebotsMotorDriver)"),
        ("model_drivers: {arm: !ZeroForceDriver {a: 1}}",
         "model_drivers.arm.a: unknown field (known: none)"),
        ("<<: {random_seed: x}", "random_seed: expected a whole number, "
         "not the text 'x'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_schema_is_refused(text, problem):
    result = message(load, text)
    assert result.partition(": ")[2] == problem
    assert message(load, f"Lift: {{{text} }}", "Lift").endswith(
        f": Lift.{problem}"
    )


@pytest.mark.parametrize(
    ("motor", "problem"),
    [
        ("{elbow: !RotationalMotor {joint: }}", "1:35: motors.elbow.joint: "
         "expected text in quotes, not null"),
        ("{elbow: !RotationalMotor {joint: no}}", "1:35: motors.elbow.joint: "
         "expected text in quotes, not the truth value no"),
        ("{elbow: !RotationalMotor {control_pid: '123'}}",
         "1:35: motors.elbow.control_pid: "
         "expected a list of numbers, not the text '123'"),
        ("{elbow: !RotationalMotor {control_pid: {a: 1}}}",
         "1:35: motors.elbow.control_pid: "
         "expected a list of numbers, not a mapping"),
        ("{elbow: !RotationalMotor {control_pid: [1, 2, x]}}",
         "1:55: motors.elbow.control_pid[2]: "
         "expected a number, not the text 'x'"),
        ("{elbow: !RotationalMotor {muscles: biceps}}",
         "1:35: motors.elbow.muscles: expected a list, not the text 'biceps'"),
        ("{elbow: !RotationalMotor {gear: .inf}}", "1:35: motors.elbow.gear: "
         "expected a whole number, not the number .inf"),
        ("{elbow: !RotationalMotor {enabled: maybe}}",
         "1:35: motors.elbow.enabled: "
         "expected true or false, not the text 'maybe'"),
        ("{elbow: !RotationalMotor {max_torque: {}}}",
         "1:35: motors.elbow.max_torque: expected a number, not a mapping"),
        ("{elbow: !RotationalMotor {gains: }}", "1:35: motors.elbow.gains: "
         "expected a list of numbers, not null"),
        ("{elbow: {max_force: 3}}", "1:10: motors.elbow: expected one of "
         "!RotationalMotor, !LinearMotor, not a mapping without tag"),
        ("{elbow: {jont: hinge}}", "1:18: motors.elbow.jont: "
         "unknown field; did you mean joint?"),
        ("{elbow: hinge}", "1:10: motors.elbow: expected one of "
         "!RotationalMotor, !LinearMotor, not the text 'hinge'"),
        ("{elbow: !LinearMotor {max_torque: 3}}",
         "1:31: motors.elbow.max_torque: "
         "unknown field; did you mean max_force?"),
        ("!Foo {}", "1:1: motors: expected no tag here, not !Foo"),
        ("[a]", "1:1: motors: expected a mapping, not a list of 1"),
    ],
)  # fmt: skip
def test_a_wrong_motor_is_located(motor, problem):
    document = parse_document(f"motors: {motor}", "a.yaml")
    result = message(read_typed, WebotsMotorDriver, document)
    assert result == f"a.yaml:{problem}"


def test_a_list_among_the_numbers_of_a_list_is_located():
    for numbers in ("[[1, 2],\n[3]]", "[[1],\n2, 3]"):
        result = message(
            load, f"a: {{initial_position: {{b: {{c: {numbers}}}}}}}", "a"
        )
        assert result.startswith(
            "a.yaml:1:32: a.initial_position.b.c[0]: expected a number, not a"
        )


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("{time: soon}", "8: .time: expected a number, not the text 'soon'"),
        ("{time: 1, motor: true}",
         "17: .motor: expected text in quotes, not the truth value true"),
        ("{time: 1, motor: 5}",
         "17: .motor: expected text in quotes, not the number 5"),
    ],
)  # fmt: skip
def test_a_wrong_value_among_many_is_located(wrong, problem):
    commands = [f"    - {{time: {i}, motor: m}}" for i in range(100)]
    commands[90] = f"    - {wrong}"
    head = "a:\n model_drivers:\n  b: !WebotsMotorDriver\n   commands:\n"
    column, _, what = problem.partition(": ")
    assert message(load, head + "\n".join(commands), "a") == (
        f"a.yaml:95:{column}: a.model_drivers.b.commands[90]{what}"
    )


def test_a_fault_in_a_template_is_located_in_the_template():
    text = VALID.replace("1e1", "fast")
    assert message(load, text, "Lift") == (
        "a.yaml:4:3: Lift.model_drivers.arm.motors.elbow.max_velocity: "
        "expected a number, not the text 'fast'"
    )


def test_a_fault_in_another_scenario_does_not_count():
    text = VALID.replace("Still: {}", "Still: {random_sed: 1}")
    assert load(text, "Lift").simulation_duration == 3.0


@pytest.mark.parametrize("number", ["1e-5", "1.0e-5", "1E-5", "'1e-5'"])
def test_a_number_that_yaml_takes_for_text_is_a_number(number):
    text = (
        f"a: {{max_velocity: {number}, max_torque: {number}, "
        f"control_pid: [{number}], gains: [1, {number}]}}"
    )
    document = parse_document(text, "a.yaml")
    motor = read_typed(RotationalMotor, document, child_name="a")
    assert motor.max_velocity == motor.max_torque == 1e-5
    assert motor.control_pid == [1e-5]
    assert motor.gains.tolist() == [1, 1e-5]
    direct = load(f"plant_config: {{time_step: {number}}}")
    assert direct.plant_config.time_step == 1e-5


def test_special_and_large_numbers_load_as_drake_loads_them():
    scenario = load(f"{{random_seed: {10**30}, simulation_duration: -.inf}}")
    assert scenario.random_seed == 10**30
    assert scenario.simulation_duration == -math.inf
    assert math.isnan(load("simulation_duration: .nan").simulation_duration)
    assert load("random_seed: 3.0").random_seed == 3


def test_an_untagged_mapping_is_the_first_type_of_a_union():
    document = parse_document("motors: {a: {joint: b}}", "a.yaml")
    driver = read_typed(WebotsMotorDriver, document)
    assert isinstance(driver.motors["a"], RotationalMotor)
    assert driver.motors["a"].joint == "b"


def test_defaults_stay_where_the_document_is_silent():
    lift = load(VALID, "Lift")
    text = (
        "{simulation_duration: 1, model_drivers: {arm: "
        "!WebotsMotorDriver {commands: []}}}"
    )
    document = parse_document(text, "--scenario_text")
    changed = read_typed(Scenario, document, defaults=lift)
    assert changed.simulation_duration == 1.0
    assert changed.plant_config.time_step == 0.008
    assert list(changed.model_drivers["arm"].motors) == ["elbow", "slide"]
    assert changed.model_drivers["arm"].commands == []
    assert lift.simulation_duration == 3.0


def test_an_error_on_the_command_line_names_the_flag():
    document = parse_document("{simulation_duration: abc}", "--scenario_text")
    assert message(read_typed, Scenario, document, defaults=Scenario()) == (
        "--scenario_text:1:2: simulation_duration: "
        "expected a number, not the text 'abc'"
    )


TOKENS = [
    *("{", "}", "[", "]", ":", ": ", ",", "- ", "? ", "\n", "\n  ", "  "),
    *("&a ", "*a", "&motor ", "*motor", "<<: ", "!", "!!", "!Rpy ", "#"),
    *("!RotationalMotor ", "!!int ", "!!float ", "!!set ", "!!binary "),
    *("!!str ", "!!seq ", "!!map ", "!!null ", "!!merge ", "!!omap "),
    *("null", "~", "true", "1", "1e-5", ".nan", ".inf", "2024-99-99", "="),
    *("'", '"', "|", ">", "%", "@", "`", "\\", "\t", "\0", "\x85", "---"),
    *("\r", "\ufeff", "\ud800", "é", "...", "_tag", "Lift", "joint", "0x_"),
]
LINES = VALID.splitlines(keepends=True)
mutation = st.tuples(
    st.integers(0, len(VALID)),
    st.integers(0, 12),
    st.one_of(st.sampled_from(TOKENS), st.sampled_from(LINES)),
)


def load_or_refuse(text, child_name):
    """Loads `text`; fails if anything but an InputError of one line comes."""
    try:
        load(text, child_name)
    except InputError as error:
        assert str(error).isprintable()


@settings(derandomize=True, deadline=None, max_examples=draws(130, 400))
@given(st.lists(mutation, min_size=1, max_size=4))
def test_a_mutated_scenario_loads_or_is_refused_in_one_line(mutations):
    text = VALID
    for start, length, token in mutations:
        text = text[:start] + token + text[start + length :]
    load_or_refuse(text, "Lift")


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=draws(100, 300))
@given(st.one_of(st.text(), st.lists(st.sampled_from(TOKENS)).map("".join)))
def test_any_text_loads_or_is_refused_in_one_line(text):
    load_or_refuse(text, None)


@settings(derandomize=True, deadline=None, max_examples=draws(30, 100))
@given(st.binary())
def test_any_file_loads_or_is_refused_in_one_line(tmp_path_factory, content):
    file = tmp_path_factory.mktemp("any") / "a.yaml"
    file.write_bytes(content)
    try:
        load_document(file)
    except InputError as error:
        assert str(error).isprintable()
