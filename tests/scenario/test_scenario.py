"""A scenario loads as Drake's hardware_sim does, or says where it is wrong."""

import dataclasses as dc
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from folders import TEST_SCENARIOS
from pydrake.manipulation import IiwaDriver, SchunkWsgDriver, ZeroForceDriver

from webmotor_drake import nodes
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario, file_in

PENDULUM = """\
Lift:
  simulation_duration: 0.1
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        hinge motor: !RotationalMotor
          joint: hinge
      commands:
      - {time: 0, motor: hinge motor, set_position: 1}
"""
MOTOR = "Lift.model_drivers.arm.motors.hinge motor"
COMMAND = "Lift.model_drivers.arm.commands[0]"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Returns what loads a text from a file called s.yaml."""
    monkeypatch.chdir(tmp_path)

    def load(content, **options):
        if isinstance(content, str):
            content = content.encode()
        Path("s.yaml").write_bytes(content)
        return load_scenario("s.yaml", **options)

    return load


def message(function, *args, **options):
    """Returns the one line of the InputError that a call raises."""
    with pytest.raises(InputError) as caught:
        function(*args, **options)
    text = str(caught.value)
    assert "\n" not in text
    return text


def with_motor(line):
    """Returns the scenario with one more line in its motor, line 12."""
    there = "          joint: hinge\n"
    return PENDULUM.replace(there, f"{there}          {line}\n")


def with_driver(line):
    """Returns the scenario with one more line in its driver, line 9."""
    return PENDULUM.replace("      motors:\n", f"      {line}\n      motors:\n")


def with_top(line):
    """Returns the scenario with one more line at its end, line 14."""
    return f"{PENDULUM}  {line}\n"


def with_command(command):
    """Returns the scenario with this one command, line 13."""
    there = "{time: 0, motor: hinge motor, set_position: 1}"
    return PENDULUM.replace(there, command)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "max_torqe: 1",
            f"12:11: {MOTOR}.max_torqe: unknown field; did you mean max_torque?",
        ),
        (
            "max_torque: much",
            f"12:11: {MOTOR}.max_torque: expected a number, not the text 'much'",
        ),
        (
            "max_torque: null",
            f"12:11: {MOTOR}.max_torque: expected a number, not null",
        ),
        (
            "control_pid: [1, null, 0]",
            f"12:28: {MOTOR}.control_pid[1]: expected a number, not null",
        ),
        (
            "joint: hinge",
            f"12:11: {MOTOR}.joint: given twice; first on line 11",
        ),
        (
            "max_velocity: .inf",
            f"12:11: {MOTOR}.max_velocity: inf is not allowed; must be a finite number",
        ),
        (
            "control_pid: [10, .nan, 0]",
            f"12:29: {MOTOR}.control_pid[1]: nan is not allowed; must be a finite"
            " number",
        ),
        (
            "control_pid: [10, 0, -1]",
            f"12:32: {MOTOR}.control_pid[2]: -1 is not allowed; must be at least 0",
        ),
        (
            "muscles: [{volume: .nan}]",
            f"12:22: {MOTOR}.muscles[0].volume: nan is not allowed; must be a finite"
            " number",
        ),
    ],
)
def test_a_wrong_field_of_a_motor_is_told_with_its_place(load, line, told):
    # The whole line: it is all that the user sees.
    assert message(load, with_motor(line)) == f"s.yaml:{told}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "basic_time_step: 0.012",
            "9:7: Lift.model_drivers.arm.basic_time_step: 0.012 s is not a"
            " multiple of the plant's time_step 0.008 s; one such as 0.016 s"
            " is allowed",
        ),
        (
            "cfm: .nan",
            "9:7: Lift.model_drivers.arm.cfm: nan is not allowed; must be a finite"
            " number",
        ),
        (
            "joints: {hinge: {min_stop: -.inf}}",
            "9:24: Lift.model_drivers.arm.joints.hinge.min_stop: -inf is not"
            " allowed; must be a finite number",
        ),
    ],
)
def test_a_wrong_field_of_a_driver_is_told_with_its_place(load, line, told):
    assert message(load, with_driver(line)) == f"s.yaml:{told}"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            "{time: 0, motor: elbow motor, set_position: 1}",
            f"13:19: {COMMAND}.motor: unknown motor 'elbow motor'; did you mean"
            " hinge motor? (known: hinge motor)",
        ),
        (
            "{time: 0, motor: hinge motor}",
            f"13:9: {COMMAND}: nothing is commanded; give one of set_position",
        ),
        (
            "{time: -1, motor: hinge motor, set_position: 1}",
            f"13:10: {COMMAND}.time: -1.0 s; a time from 0 to 1e+09 s is allowed",
        ),
        (
            "{time: .nan, motor: hinge motor, set_position: 1}",
            f"13:10: {COMMAND}.time: nan s; a time from 0 to 1e+09 s is allowed",
        ),
        (
            "{motor: hinge motor, set_position: .nan}",
            f"13:30: {COMMAND}.set_position: nan is not allowed; must be a number or"
            " .inf",
        ),
        (
            "{motor: hinge motor, set_velocity: .inf}",
            f"13:30: {COMMAND}.set_velocity: inf is not allowed; must be a finite"
            " number",
        ),
        (
            "{motor: hinge motor, set_control_pid: [10, 0]}",
            f"13:30: {COMMAND}.set_control_pid: [10.0, 0.0] is not allowed;"
            " must be three numbers P > 0, I >= 0, D >= 0",
        ),
    ],
)
def test_a_wrong_command_is_told_with_its_place(load, command, told):
    assert message(load, with_command(command)).startswith(f"s.yaml:{told}")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "random_seed: -1",
            "14:3: Lift.random_seed: -1 is not allowed; must be a whole number from 0"
            " to 4294967295",
        ),
        (
            "simulator_config: {max_step_size: 0}",
            "14:22: Lift.simulator_config.max_step_size: 0.0 is not allowed; must be a"
            " time from 1e-09 s on",
        ),
        (
            "simulator_config: {accuracy: 1e-300}",
            "14:22: Lift.simulator_config.accuracy: 1e-300 is not allowed; must be a"
            " number from 1e-12 to 1",
        ),
        (
            "simulator_config: {start_time: 5}",
            "14:22: Lift.simulator_config.start_time: 5.0 is not allowed; must be 0 s",
        ),
        (
            "simulator_config: {target_realtime_rate: -1}",
            "14:22: Lift.simulator_config.target_realtime_rate: -1.0 is not"
            " allowed; must be 0 (as fast as possible) or above",
        ),
        (
            "simulator_config: {integration_scheme: runge_kuta3}",
            "14:22: Lift.simulator_config.integration_scheme: unknown"
            " integration scheme 'runge_kuta3'; did you mean runge_kutta3?",
        ),
        (
            "visualization: {publish_period: -1}",
            "14:19: Lift.visualization.publish_period: -1.0 is not allowed; must be a"
            " time from 1e-09 s on",
        ),
        (  # Drake before 1.58 took it for each step.
            "visualization: {publish_period: 0}",
            "14:19: Lift.visualization.publish_period: 0.0 is not allowed; must be a"
            " time from 1e-09 s on",
        ),
        (
            "visualization: {publish_period: .inf}",
            "14:19: Lift.visualization.publish_period: inf is not allowed; must be a"
            " time from 1e-09 s on",
        ),
        (
            "lcm_buses: {traffic: {lcm_url: 'ucpm://'}}",
            "14:25: Lift.lcm_buses.traffic.lcm_url: 'ucpm://' is not one of"
            " memq://, udpm://, mpudpm://, tcpq://, file://",
        ),
        (
            "lcm_buses: {traffic: {lcm_url: 'udpm://127.0.0.1:7667'}}",
            "14:25: Lift.lcm_buses.traffic.lcm_url: 'udpm://127.0.0.1:7667' has"
            " no such address as udpm://239.255.76.67:7667",
        ),
        (
            "lcm_buses: {traffic: {lcm_url: 'udpm://239.255.76.67:99999'}}",
            "14:25: Lift.lcm_buses.traffic.lcm_url: 'udpm://239.255.76.67:99999'"
            " has no such address as udpm://239.255.76.67:7667",
        ),
        (
            "cameras: {a: {}, b: {}}",
            "14:20: Lift.cameras.b.name: camera 'a' is called 'preview_camera'"
            " too; give each a name of its own",
        ),
        (
            "cameras: {a: {width: 100000}}",
            "14:17: Lift.cameras.a.width: 100000 is not allowed; must be a whole number"
            " from 1 to 8192",
        ),
        (
            "cameras: {a: {focal: !FovDegrees {y: .nan}}}",
            "14:37: Lift.cameras.a.focal.y: nan is not allowed; must be a finite"
            " number",
        ),
        (
            "model_drivers: {}",
            "14:3: Lift.model_drivers: given twice; first on line 7",
        ),
    ],
)
def test_a_wrong_field_of_a_scenario_is_told_with_its_place(load, line, told):
    # Drake takes or ignores most of these, then hangs or ends the process.
    assert message(load, with_top(line)).startswith(f"s.yaml:{told}")


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (
            "time_step: -1",
            "time_step: -1.0 is not allowed; must be 0 (a continuous",
        ),
        (
            "time_step: .nan",
            "time_step: nan is not allowed; must be 0 (a continuous",
        ),
        (
            "time_step: 1e-300",
            "time_step: 1e-300 is not allowed; must be 0 (a contin",
        ),
        (
            "stiction_tolerance: 0",
            "stiction_tolerance: 0.0 is not allowed; must be a",
        ),
        ("penetration_allowance: 0", "penetration_allowance: 0.0 is not allo"),
        ("sap_near_rigid_threshold: -1", "sap_near_rigid_threshold: -1.0 is "),
        ("contact_model: pont", "contact_model: unknown contact model 'pont';"),
        (
            "discrete_contact_approximation: lag",
            "discrete_contact_approximation: unknown discrete contact"
            " approximation 'lag'; did you mean lagged? (known:",
        ),
        (
            "contact_surface_representation: x",
            "contact_surface_representation: unknown contact surface"
            " representation 'x' (known: triangle, polygon)",
        ),
    ],
)
def test_a_plant_that_drake_cannot_make_is_told_with_the_field(
    load, config, told
):
    # From most of these Drake asserts, which ends the process.
    text = PENDULUM.replace("time_step: 0.008", config)
    expected = f"s.yaml:3:18: Lift.plant_config.{told}"
    assert message(load, text).startswith(expected)


@pytest.mark.parametrize(
    "drake",
    ["hydroelastic", "point", "hydroelastic_with_fallback"],
)
def test_every_contact_model_of_drake_is_known(load, drake):
    # The names are made from those of an enumeration.
    text = PENDULUM.replace("time_step: 0.008", f"contact_model: {drake}")
    assert load(text).plant_config.contact_model == drake


def test_a_continuous_plant_needs_a_motor_period(load):
    text = PENDULUM.replace("0.008", "0")
    assert message(load, text) == (
        "s.yaml:8:5: Lift.model_drivers.arm.basic_time_step: a continuous plant"
        " (time_step 0) has no step to take it from; give the motor period in"
        " seconds"
    )


def test_a_motor_without_a_name_is_refused(load):
    text = PENDULUM.replace("hinge motor", "''")
    assert message(load, text).endswith(
        "Lift.model_drivers.arm.motors: an entry without a name"
    )


@pytest.mark.parametrize(
    "name", ["left/right", r'"a\nb"', r'"a\0b"', ".", '".."']
)
def test_a_motor_whose_signals_could_not_be_saved_is_refused(load, name):
    # Found only after the run, they would cost all of it.
    text = PENDULUM.replace("hinge motor", name)
    assert "cannot be part of the name of a signal" in message(load, text)


@pytest.mark.parametrize(
    ("directive", "told"),
    [
        ("{}", ": nothing in one directive; one of add_model, "),
        (
            "{add_model_instance: {name: a}, add_directives: {file: b}}",
            ": add_model_instance and add_directives in one directive; one of",
        ),
        ("add_model: {file: a.sdf}", ".add_model: a name is needed"),
        ("add_model: {name: a}", ".add_model: a file is needed"),
        (
            f"add_model: {{file: b.sdf, name: {'a' * 5_001}}}",
            ".add_model.name: 5,001 characters; at most 5,000 are allowed",
        ),
        ("add_model_instance: {}", ".add_model_instance: a name is needed"),
        ("add_weld: {parent: world}", ".add_weld: a child is needed"),
        ("add_directives: {}", ".add_directives: a file is needed"),
        (
            "add_weld: {parent: a, child: b, X_PC: {translation: [.inf, 0, 0]}}",
            ".add_weld.X_PC.translation[0]: inf is not allowed; must be a finite",
        ),
        (
            "add_model: {name: a, file: b, default_joint_positions: {j: [.nan]}}",
            ".add_model.default_joint_positions.j[0]: nan is not allowed",
        ),
    ],
)
def test_a_directive_that_drake_would_misread_is_refused(load, directive, told):
    # Of an empty one Drake reads memory that is not there.
    text = PENDULUM.replace("  - add_weld", f"  - {directive}\n  - add_weld")
    expected = r"^s\.yaml:6:\d+: Lift\.directives\[1\]"
    with pytest.raises(InputError, match=expected) as caught:
        load(text)
    assert told in str(caught.value)


BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "s.yaml: empty; expected a mapping"),
        ("# nothing\n", "s.yaml: empty; expected a mapping"),
        ("{}", "s.yaml: no scenario; at least one, under its name, is needed"),
        ("_a: {}", "s.yaml: no scenario; at least one, under its name, is"),
        ("- 1", "s.yaml:1:1: expected a mapping at the top level, not a list"),
        ("A:", "s.yaml:1:1: A: expected a mapping, not null"),
        ("A: {x: [1", "s.yaml:2:1: not valid YAML: "),
        ("A: {}\n---\nB: {}", "s.yaml:2:1: not valid YAML: expected a single"),
        (
            bytes(range(9, 256)),
            "s.yaml:2:118: not UTF-8 text: byte 0x80",
        ),
        (b"A: \0{}", "s.yaml:1:4: not a YAML text: control character U+0000"),
        (b"#" * 10_000_000, "s.yaml: more than 2,000,000 bytes"),
        (f"{BOMB}\nA: {{}}", "s.yaml:6:5: a5: more than 200,000 values"),
        ("A: " + "[" * 999, "s.yaml:1:103: nested deeper than 100 levels"),
    ],
)
def test_a_file_that_is_no_scenario_is_told_in_a_line(load, content, told):
    # From an empty file to one that would fill the memory.
    assert message(load, content).startswith(told)


@pytest.mark.parametrize("level", ["[", "{a: ", "- "])
def test_what_is_nested_deeper_than_libyaml_reads_is_told_in_a_line(
    load, level
):
    # The place is where libyaml gives up, or where our own limit is.
    told = message(load, "A:\n  " + level * 9999)
    assert re.fullmatch(
        r"s\.yaml:2:\d+: (A\S*: )?nested deeper than 100 levels", told
    )


def test_a_file_that_cannot_be_read_is_told_in_a_line(tmp_path):
    missing = tmp_path / "missing.yaml"
    assert message(load_scenario, missing) == f"{missing}: no such file"
    assert message(load_scenario, tmp_path) == (
        f"{tmp_path}: a directory, not a file"
    )


def test_one_of_several_scenarios_has_to_be_named(load):
    two = f"{PENDULUM}Turn: {{}}\n"
    assert message(load, two) == (
        "s.yaml: several scenarios; give the name of one: Lift, Turn"
    )
    assert message(load, two, name="Turm").endswith(
        ": unknown scenario 'Turm'; did you mean Turn? (known: Lift, Turn)"
    )
    assert load(two, name="Turn").simulation_duration == math.inf


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("parameters: {a: 1}\nmetrics: [b]", "webmotor sweep SCENARIO --study"),
        ("experiments: [{log: a.csv}]", "webmotor fit SCENARIO --experiment"),
    ],
)
def test_a_file_of_another_kind_names_the_command_that_takes_it(
    load, text, taken
):
    told = message(load, text)
    assert told.startswith("s.yaml: no scenario but ")
    assert f"`{taken} FILE` takes them" in told


def test_a_text_overrides_parts_and_leaves_the_rest(load):
    # A mapping is merged; a list is replaced, as hardware_sim does.
    scenario = load(
        PENDULUM,
        text="{plant_config: {contact_model: point}, model_drivers: {arm:"
        " {motors: {hinge motor: !RotationalMotor {max_torque: 3}},"
        " commands: []}}}",
    )
    driver = scenario.model_drivers["arm"]
    assert scenario.plant_config.contact_model == "point"
    assert scenario.plant_config.time_step == 0.008
    assert driver.motors["hinge motor"].max_torque == 3
    assert driver.motors["hinge motor"].joint == "hinge"
    assert driver.commands == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "--scenario_text: empty; expected a mapping"),
        ("[", "--scenario_text:2:1: not valid YAML: "),
        (
            "word",
            "--scenario_text:1:1: expected a mapping at the top level, no",
        ),
        (
            "{duration: 1}",
            "--scenario_text:1:2: duration: unknown field (known",
        ),
        (
            "{Lift: {simulation_duration: 1}}",
            "--scenario_text:1:2: Lift: 'Lift' is the scenario's name;",
        ),
        # The first key of a block stands where the block does.
        (
            "simulation_duration: -1",
            "--scenario_text:1:1: simulation_duration: -1.0 is not allowed;",
        ),
        (
            "simulation_duration: 1e+300",
            "--scenario_text:1:1: simulation_duration: 1e+300 is not allowed;",
        ),
        # What the text says is checked beside what the file says.
        (
            "{plant_config: {time_step: 0.005}, model_drivers: {arm:"
            " {basic_time_step: 0.008}}}",
            "--scenario_text:1:58: model_drivers.arm.basic_time_step: 0.008 s",
        ),
        (
            "{model_drivers: {arm: {motors: {m: !RotationalMotor {}}}}}",
            "--scenario_text:1:33: model_drivers.arm.motors.m.joint: a motor",
        ),
    ],
)
def test_what_is_wrong_with_the_text_is_told_with_its_place_there(
    load, text, told
):
    assert message(load, PENDULUM, text=text).startswith(told)


def test_what_the_text_makes_wrong_in_the_file_is_told_with_the_file(load):
    # The culprit is in the file: the text never names basic_time_step.
    text = with_driver("basic_time_step: 0.008")
    assert message(
        load, text, text="{plant_config: {time_step: 0.005}}"
    ).startswith("s.yaml:9:7: Lift.model_drivers.arm.basic_time_step: 0.008 s")


def test_a_scenario_without_a_file_is_checked_too():
    # Built in Python, it has a path and no place.
    scenario = Scenario(random_seed=-1)
    assert message(check_scenario, scenario) == (
        "random_seed: -1 is not allowed; must be a whole number from 0 to 4294967295"
    )


def test_defaults_are_those_of_the_class():
    defaults = load_scenario(
        TEST_SCENARIOS / "every_field.scenario.yaml", name="Defaults"
    )
    for field in dc.fields(Scenario):
        loaded, default = (
            getattr(s, field.name) for s in (defaults, Scenario())
        )
        assert repr(loaded) == repr(default)


def _ours(node):
    """Gives the objects of this project in a scenario."""
    if dc.is_dataclass(node):
        yield node
        node = [getattr(node, field.name) for field in dc.fields(node)]
    elif isinstance(node, dict):
        node = node.values()
    if not isinstance(node, str) and isinstance(node, Iterable):
        for item in node:
            yield from _ours(item)


def test_every_field_of_ours_can_be_given():
    # Each once at least, at a value other than the default.
    scenario = load_scenario(
        TEST_SCENARIOS / "every_field.scenario.yaml", name="EveryField"
    )
    missing = {}
    for node in _ours(scenario):
        default = type(node)()
        fields = missing.setdefault(
            type(node).__name__, {f.name for f in dc.fields(node)}
        )
        for name in set(fields):
            if repr(getattr(node, name)) != repr(getattr(default, name)):
                fields.remove(name)
    kinds = {
        name
        for name, kind in vars(nodes).items()
        if isinstance(kind, type) and dc.is_dataclass(kind)
    }
    # One is part of others, and one needs a newer Drake than the oldest.
    assert kinds - set(missing) == {"MotorModel", "Track"}
    # A controller would be a program to run, a kinematic joint no motor's.
    # The suspension of a hinge with an actuator needs a newer Drake, too.
    missing["JointParameters"] -= {
        "suspension_axis",
        "suspension_damping_constant",
        "suspension_spring_constant",
    }
    missing["WebotsMotorDriver"] -= {"controller", "tracks"}
    assert not set().union(*missing.values())


def test_the_vocabulary_of_hardware_sim_loads():
    # Its users bring their files and add a driver.
    cell = load_scenario(TEST_SCENARIOS / "hardware_sim.scenario.yaml")
    kinds = {name: type(d) for name, d in cell.model_drivers.items()}
    assert kinds == {
        "iiwa": IiwaDriver,
        "wsg": SchunkWsgDriver,
        "cart_pole": ZeroForceDriver,
        "arm": WebotsMotorDriver,
    }
    assert cell.model_drivers["iiwa"].hand_model_name == "wsg"
    assert cell.lcm_buses["driver_traffic"].lcm_url == "memq://"
    assert cell.cameras["overview"].lcm_bus == "pictures"
    assert cell.directives[0].add_model.name == "iiwa"


def test_files_are_relative_to_the_scenario_wherever_one_goes(
    load, tmp_path, monkeypatch
):
    # Also after the working directory has changed; names with :// stay.
    scenario = load(PENDULUM)
    monkeypatch.chdir(os.sep)
    assert file_in(scenario, "a/b c.sdf") == f"file://{tmp_path}/a/b c.sdf"
    assert file_in(scenario, "/a.sdf") == "file:///a.sdf"
    assert file_in(scenario, "package://p/a.sdf") == "package://p/a.sdf"
