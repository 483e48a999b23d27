"""A scenario becomes a diagram, or the line of it that cannot is named."""

import math
import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from drawn import draws
from folders import TEST_SCENARIOS
from hypothesis import HealthCheck, given, settings, strategies as st
from pydrake.systems.analysis import Simulator

from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation import modelled_plant
from webmotor_drake.simulation.diagram import assemble, build_diagram
from webmotor_drake.simulation.modelled_plant import without_samples

ARM = """\
Lift:
  simulation_duration: 0.1
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        motor: !RotationalMotor {joint: shoulder}
"""
# One link on a joint; %s is the joint's limit, and what else there may be.
LINK = """\
<?xml version="1.0"?>
<robot name="link">
  <link name="base"/>
  <link name="link">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="link"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" %s/>
  </joint>
  %s
  <transmission type="SimpleTransmission">
    <joint name="hinge"/><actuator name="hinge"/>
  </transmission>
</robot>
"""
MIMIC = """\
  <link name="other">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="follower" type="revolute">
    <parent link="base"/><child link="other"/><axis xyz="0 0 1"/>
    <limit effort="5"/><mimic joint="hinge"/>
  </joint>
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Returns the working directory, empty but for models that are wrong."""
    monkeypatch.chdir(tmp_path)
    models = {
        "passive.urdf": LINK % ('effort="0"', ""),
        "mimic.urdf": LINK % ('effort="20"', MIMIC),
        "broken.urdf": LINK[:300],
        "broken.sdf": "<sdf version='1.7'><model",
        "empty.sdf": "",
        "field.dmd.yaml": "directives:\n- add_modl: {name: a, file: b}\n",
        "nothing.dmd.yaml": "directives:\n- {}\n",
        "list.dmd.yaml": "[[[",
    }
    for name, content in models.items():
        Path(name).write_text(content)
    return tmp_path


def build(text):
    """Builds the scenario of a text, from a file called s.yaml."""
    Path("s.yaml").write_text(text)
    return build_diagram(load_scenario("s.yaml"))


def message(text):
    """Returns the one line of the InputError that building a text raises."""
    with pytest.raises(InputError) as caught:
        build(text)
    told = str(caught.value)
    assert told.isprintable()
    return told


def with_directive(directive):
    """Returns the scenario with one more directive, in line 7."""
    return ARM.replace("  model_drivers:", f"  - {directive}\n  model_drivers:")


def with_driver(line):
    """Returns the scenario with another driver, in line 8."""
    return ARM[: ARM.index("    arm: !Web")] + f"    {line}\n"


def test_a_diagram_holds_the_plant_and_the_motors(folder):
    # The names are a promise: users find the systems by them.
    diagram = build(ARM)
    plant = diagram.GetSubsystemByName("plant")
    assert plant.time_step() == 0.008
    assert diagram.GetSubsystemByName("arm.motors").period == 0.008
    Simulator(diagram).AdvanceTo(0.1)


def test_models_are_found_beside_the_scenario_from_anywhere(
    folder, monkeypatch
):
    # A folder that is copied elsewhere still runs. Spaces and signs are names.
    cell = folder / "my cell% é"
    cell.mkdir()
    (cell / "a b.urdf").write_text(LINK % ('effort="20"', ""))
    (cell / "in.dmd.yaml").write_text(
        "directives:\n- add_model_instance: {name: nothing}\n"
    )
    (cell / "s.yaml").write_text(
        with_directive("add_directives: {file: in.dmd.yaml}")
        .replace("package://webmotor_models/two_link_arm.urdf", "a b.urdf")
        .replace("shoulder", "hinge")
    )
    monkeypatch.chdir(os.sep)
    assembly = assemble(load_scenario(cell / "s.yaml"))
    assert assembly.plant.HasModelInstanceNamed("nothing")
    assert assembly.plant.HasJointNamed("hinge")


def test_positions_at_the_start_are_those_of_the_scenario(folder):
    text = f"{ARM}  initial_position: {{arm: {{elbow: [0.7]}}}}\n"
    plant = build(text).GetSubsystemByName("plant")
    assert plant.GetJointByName("elbow").default_positions() == [0.7]


@pytest.mark.filterwarnings("ignore:camera overview")
def test_a_scenario_of_hardware_sim_is_built_and_runs():
    # Drake's own drivers, over LCM in memory, beside a motor of ours.
    scenario = load_scenario(TEST_SCENARIOS / "hardware_sim.scenario.yaml")
    diagram = build_diagram(scenario)
    simulator = Simulator(diagram)
    simulator.AdvanceTo(0.01)
    plant = diagram.GetSubsystemByName("plant")
    context = plant.GetMyContextFromRoot(simulator.get_context())
    assert np.isfinite(plant.GetPositionsAndVelocities(context)).all()
    hinge = plant.GetJointByName("hinge")
    assert hinge.get_angle(context) != 0


@pytest.mark.parametrize(
    ("driver", "told"),
    [
        (
            "arm: !WebotsMotorDriver {motors: {m: !RotationalMotor"
            " {joint: elbo}}}",
            ".arm.motors.m.joint: unknown revolute or prismatic joint 'elbo';"
            " did you mean elbow? (known: shoulder, elbow)",
        ),
        (
            "arm: !WebotsMotorDriver {motors: {m: !RotationalMotor"
            " {joint: world_welds_to_base}}}",
            ".arm.motors.m.joint: world_welds_to_base is a weld joint; revolute"
            " and prismatic ones are driven: shoulder, elbow",
        ),
        (
            "arm: !WebotsMotorDriver {motors: {m: !LinearMotor"
            " {joint: elbow}}}",
            ".arm.motors.m.joint: a LinearMotor cannot drive the revolute joint"
            " elbow; a prismatic joint is allowed",
        ),
        (
            "arm: !WebotsMotorDriver {motors: {m: !RotationalMotor"
            " {joint: elbow}, n: !RotationalMotor {joint: elbow}}}",
            ".arm.motors.n.joint: joint elbow has the motor 'm' already; one is"
            " allowed",
        ),
        (
            "arm: !WebotsMotorDriver {motors: {m: !RotationalMotor"
            " {joint: elbow}}, joints: {wrist: {spring_constant: 1}}}",
            ".arm.joints.wrist: unknown revolute or prismatic joint 'wrist'",
        ),
        ("amr: !ZeroForceDriver {}", ".amr: unknown model 'amr'; did you mean"),
        ("amr: !IiwaDriver {}", ".amr: unknown model 'amr'; did you mean arm?"),
        ("amr: !SchunkWsgDriver {}", ".amr: unknown model 'amr'; did you mean"),
        (
            "arm: !IiwaDriver {lcm_bus: none}",
            ".arm: Drake refuses it: Driver for",
        ),
        ("arm: !IiwaDriver {}", ".arm: Drake refuses it: "),
    ],
)
def test_a_driver_that_does_not_fit_its_model_is_named(folder, driver, told):
    # Line 8 is the driver's.
    assert re.match(
        r"s\.yaml:8:\d+: Lift\.model_drivers" + re.escape(told),
        message(with_driver(driver)),
    )


def test_a_model_whose_effort_limit_is_0_gets_motors_all_the_same(folder):
    # Drake makes such a joint passive without a word.
    text = with_directive("add_model: {name: b, file: passive.urdf}")
    text += "    b: !WebotsMotorDriver {motors: {m: !RotationalMotor {joint: hinge}}}\n"
    assert build(text).GetSubsystemByName("b.motors").model.brought == [True]


@pytest.mark.parametrize(
    ("directive", "told"),
    [
        ("add_model: {name: b, file: no.sdf}", "'{folder}/no.sdf' does not"),
        ("add_model: {name: b, file: package://no/b.sdf}", "URI 'package://no"),
        ("add_model: {name: b, file: s.yaml}", "The file '{folder}/s.yaml' is"),
        ("add_model: {name: b, file: broken.sdf}", "Error parsing XML in file"),
        ("add_model: {name: b, file: broken.urdf}", "{folder}/broken.urdf:"),
        ("add_model: {name: b, file: empty.sdf}", "Error parsing XML in file"),
        (
            "add_model: {name: arm, file: package://webmotor_models/lift.urdf}",
            "This model already contains a model instance named 'arm'.",
        ),
        (
            "add_weld: {parent: world, child: arm::no}",
            "GetFrameByName(): There",
        ),
        (
            "add_weld: {parent: none, child: arm::upper_arm}",
            "GetFrameByName(): T",
        ),
        ("add_weld: {parent: arm::forearm, child: world}", ""),
        ("add_frame: {name: f}", "add_frame directive with empty base frame"),
        (
            "add_collision_filter_group: {name: g, members: [none]}",
            "body with name 'none' not found",
        ),
    ],
)
def test_the_directive_that_drake_refuses_is_named(folder, directive, told):
    # Drake names no place; what no user can use of its text is cut.
    assert message(with_directive(directive)).startswith(
        "s.yaml:7:5: Lift.directives[2]: Drake refuses it: "
        + told.format(folder=folder)
    )


def test_the_directive_that_drake_refuses_is_found_without_trying_each(
    tmp_path, monkeypatch
):
    tried, process = [], modelled_plant.process_directives

    def counted(directives, *others, **options):
        tried.append(len(directives))
        return process(directives, *others, **options)

    monkeypatch.setattr(modelled_plant, "process_directives", counted)
    (tmp_path / "link.urdf").write_text(LINK % ("", ""))
    text = "{name: m%d, file: link.urdf}"
    added = [f"- add_model: {text % i}" for i in range(30)]
    weld = "- add_weld: {parent: world, child: %s::base}"
    directives = "\n  ".join(
        [*added, weld % "m29", weld % "elsewhere", weld % "m28"]
    )
    file = tmp_path / "s.yaml"
    file.write_text(f"Lift:\n  directives:\n  {directives}\n")
    with pytest.raises(InputError, match=r"directives\[31\]: Drake refuses it"):
        build_diagram(load_scenario(file))
    assert len(tried) <= 7  # once, and the logarithm of 33


@pytest.mark.parametrize(
    ("file", "told"),
    [
        (
            "field.dmd.yaml",
            ":2:3: directives[0].add_modl: unknown field; did you mean add_mo",
        ),
        ("nothing.dmd.yaml", ":2:3: directives[0]: nothing in one directive;"),
        ("list.dmd.yaml", ":2:1: not valid YAML: "),
    ],
)
def test_what_is_wrong_in_an_included_file_is_named_there(folder, file, told):
    # Drake would name a C++ type, or read where nothing is.
    text = with_directive(f"add_directives: {{file: {file}}}")
    assert message(text).startswith(f"{folder}/{file}{told}")


def test_models_that_drake_cannot_join_are_refused(folder):
    text = with_directive("add_weld: {parent: world, child: arm::forearm}")
    assert message(text).startswith(
        "s.yaml:4:3: Lift.directives: Drake refuses it: The bodies and joints"
    )


def test_a_turn_about_an_axis_of_0_is_refused(folder):
    # Drake makes a matrix of it that turns nothing.
    text = ARM.replace(
        "child: arm::base}",
        "child: arm::base, X_PC: {rotation: !AngleAxis {angle_deg: 9, axis:"
        " [0, 0, 0]}}}",
    )
    assert message(text) == (
        "s.yaml:4:3: Lift.directives: body arm::base has no valid pose;"
        " translations have to be within 1e+09 m and axes other than 0"
    )


@pytest.mark.filterwarnings("ignore:the plant has constraints")
def test_a_continuous_plant_refuses_constraints_unless_it_can_hold_them(
    folder,
):
    # Drake would fail at the first step.
    text = (
        with_directive("add_model: {name: b, file: mimic.urdf}")
        .replace("0.008", "0")
        .replace("      motors:", "      basic_time_step: 0.01\n      motors:")
    )
    assert message(text).startswith(
        "s.yaml:3:18: Lift.plant_config.time_step: a continuous plant"
        " (time_step 0) cannot hold the constraints of its models, such as"
        " mimic joints (1 of them);"
    )
    build(text + "  simulator_config: {integration_scheme: cenic}\n")


@pytest.mark.parametrize(
    ("position", "told"),
    [
        ("{amr: {elbow: [0]}}", ".amr: unknown model 'amr'; did you mean arm?"),
        ("{arm: {elbo: [0]}}", ".arm.elbo: unknown joint 'elbo'; did you mean"),
        (
            "{arm: {elbow: [0, 1]}}",
            ".arm.elbow: 2 numbers; joint elbow takes 1",
        ),
        ("{arm: {elbow: []}}", ".arm.elbow: 0 numbers; joint elbow takes 1"),
        (
            "{arm: {elbow: [.inf]}}",
            ".arm.elbow: [inf] is not allowed; must be finite",
        ),
        (
            "{arm: {elbow: [[0]]}}",
            ".arm.elbow: 1 x 1 numbers; joint elbow take",
        ),
    ],
)
def test_a_wrong_initial_position_is_named(folder, position, told):
    text = f"{ARM}  initial_position: {position}\n"
    assert re.match(
        r"s\.yaml:11:\d+: Lift\.initial_position" + re.escape(told),
        message(text),
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("cameras: {c: {fps: 0}}", "cameras.c: Drake refuses it: Invalid cam"),
        (
            "cameras: {c: {lcm_bus: none}}",
            "cameras.c: Drake refuses it: ApplyC",
        ),
        (
            "cameras: {c: {X_PB: {base_frame: none}}}",
            "cameras.c: Drake refuses",
        ),
        (
            "visualization: {lcm_bus: none, enable_meshcat_creation: false}",
            "visualization: Drake refuses it: ApplyVisualizationConfig",
        ),
        (
            "scene_graph_config: {default_proximity_properties:"
            " {dynamic_friction: 2}}",
            "scene_graph_config: Drake refuses it: The given dynamic friction",
        ),
    ],
)
def test_what_drake_refuses_elsewhere_is_named(folder, line, told):
    assert re.match(
        r"s\.yaml:11:\d+: Lift\." + re.escape(told), message(f"{ARM}  {line}\n")
    )


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            SystemExit(
                "Failure at external/drake+/a/b.cc:46 in AddWeld(): condition"
                " 'found' failed."
            ),
            "AddWeld() needs 'found'",
        ),
        (
            TypeError(
                "Apply(): wrong\n\nInvoked with: <object at 0x1>, kwargs"
            ),
            "Apply(): wrong",
        ),
        (RuntimeError("error: no such thing"), "no such thing"),
        (RuntimeError("system @0000562dcbbaf960 (size 2)"), "system (size 2)"),
        (MemoryError(), "out of memory"),
        (ValueError("x" * 1000), "x" * 400 + "..."),
    ],
)
def test_drakes_texts_lose_what_no_user_can_use(error, told):
    # Made up here: Drake's own differ from version to version.
    with pytest.raises(InputError) as caught, blame(Scenario(), "cameras", "c"):
        raise error
    assert " ".join(str(caught.value).split()) == (
        f"cameras.c: Drake refuses it: {told}"
    )


def test_an_error_with_a_place_of_its_own_keeps_it():
    # As those of an included file do.
    with pytest.raises(InputError) as caught, blame(Scenario(), "directives"):
        raise InputError("wrong", path=("a",), where="b.dmd.yaml:1:1")
    assert str(caught.value) == "b.dmd.yaml:1:1: a: wrong"


def test_a_bug_of_ours_is_no_error_of_the_user():
    # It has to show itself with its traceback.
    with pytest.raises(AttributeError), blame(Scenario(), "directives"):
        raise AttributeError("bug")


VALUES = [
    *("null", "true", "-1", "0", "1", "1.5", "1e300", "-1e300", "1e-320"),
    *(".nan", ".inf", "-.inf", "0x10", "99999999999999999999", "2024-01-01"),
    *("''", "text", "é", '"\\0"', "'a/b'", "'::'", "!!binary x", "*a", "&a 1"),
    *("[]", "{}", "[1]", "[.nan]", "[[1]]", "{x: 1}", "!No {}", "- 1"),
    *("!RotationalMotor {}", "!AngleAxis {axis: [0, 0, 0]}", "world", "arm"),
    *("arm::base", "sap", "tamsi", "cenic", "implicit", "kinematic"),
    *("memq://", "package://webmotor_models/lift.urdf"),
]


@st.composite
def garbled(draw, text):
    """Draws the text with one to three accidents."""
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["value", "value", "key", "line", "sign"]))
        if kind in ("value", "key"):
            pattern = {
                "value": r"(?<=: )[^,{}\[\]\n]+|(?<=[\[,] )[^,\]\n]+",
                "key": r"\w+(?=:)",
            }[kind]
            there = draw(st.sampled_from(list(re.finditer(pattern, text))))
            value = draw(st.sampled_from(VALUES))
            text = text[: there.start()] + value + text[there.end() :]
        elif kind == "line":
            lines = text.split("\n")
            line = lines.pop(draw(st.integers(0, len(lines) - 1)))
            copies = draw(st.sampled_from([[], [line, line], [f"  {line}"]]))
            place = draw(st.integers(0, len(lines)))
            text = "\n".join(lines[:place] + copies + lines[place:])
        else:
            place = draw(st.integers(0, len(text) - 1))
            sign = draw(st.sampled_from("{}[]:,'\"#&*!|>-?%@\t\n 0.~\0"))
            text = text[:place] + sign + text[place + 1 :]
    return text


EVERY_FIELD = (TEST_SCENARIOS / "every_field.scenario.yaml").read_text()


@pytest.mark.slow
@given(garbled(EVERY_FIELD))
@settings(
    max_examples=draws(20, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_garbled_scenario_is_built_or_refused_in_a_line(folder, text):
    # No traceback, no end of the process, whatever fingers can do to a file.
    Path("s.yaml").write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scenario = load_scenario("s.yaml", name="EveryField")
            build_diagram(scenario)
        except InputError as error:
            assert str(error).isprintable()
            assert str(error).startswith("s.yaml")
            return
    assert scenario.simulation_duration <= math.inf


def test_a_camera_whose_images_go_nowhere_is_warned_of(folder):
    text = f"{ARM}  cameras: {{eye: {{name: eye, fps: 10}}}}\n"
    with pytest.warns(MotorWarning, match="^camera eye: publishing takes"):
        build(text)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "camera")
        build(f'{text}  lcm_buses: {{default: {{lcm_url: "memq://"}}}}\n')


def test_a_controller_is_no_part_of_a_diagram_and_that_is_told(folder):
    with pytest.warns(
        MotorWarning, match=r"^arm: the controller c\.py is not run here"
    ):
        build(f"{ARM}      controller: c.py\n")


@pytest.mark.parametrize("number", ["1.0e+160", "-2.0e+9"])
def test_a_place_beyond_all_measure_is_refused(folder, number):
    # Squared it overflows in Drake, which ends the process.
    told = message(
        with_directive(
            "add_frame: {name: far, X_PF: {base_frame: world, translation:"
            f" [{number}, 0, 0]}}}}"
        )
    )
    assert told.endswith(
        "is not allowed; must be a number from -1e+09 to 1e+09"
    )


def test_a_model_beyond_all_measure_is_refused(folder):
    far = LINK.replace("<axis", '<origin xyz="1e200 0 0"/><axis')
    Path("far.urdf").write_text(far % ('effort="1"', ""))
    told = message(with_directive("add_model: {name: far, file: far.urdf}"))
    assert "far::link has no valid pose" in told


def test_more_lcm_buses_than_a_process_can_have_are_refused(folder):
    buses = "".join(f"    b{i}: {{lcm_url: 'memq://'}}\n" for i in range(60))
    told = message(f"{ARM}  lcm_buses:\n{buses}")
    assert told.endswith("Lift.lcm_buses.b49: 61 buses; 50 are allowed")


def test_motors_have_ports_of_the_diagram_as_stations_do(folder):
    diagram = build(ARM)
    inputs, outputs = (
        {get(i).get_name(): get(i).size() for i in range(number)}
        for get, number in (
            (diagram.get_input_port, diagram.num_input_ports()),
            (diagram.get_output_port, diagram.num_output_ports()),
        )
    )
    assert inputs == {
        f"arm.{name}": 1
        for name in (
            "target_position",
            "target_velocity",
            "available_effort",
            "direct_effort",
        )
    } | {"arm.desired_state": 2}
    assert outputs == {
        f"arm.{name}": 1 for name in ("position", "velocity", "effort")
    }


def test_a_diagrams_ports_command_and_show_the_motors(folder):
    diagram = build(
        ARM.replace("joint: shoulder", "joint: shoulder, max_torque: 50")
    )
    simulator = Simulator(diagram)
    context = simulator.get_mutable_context()
    diagram.GetInputPort("arm.target_velocity").FixValue(context, [0.4])
    simulator.AdvanceTo(1.0)
    plant = diagram.GetSubsystemByName("plant")
    state = plant.GetPositionsAndVelocities(plant.GetMyContextFromRoot(context))
    joint = plant.GetJointByName("shoulder")
    for name, index in (
        ("position", joint.position_start()),
        ("velocity", plant.num_positions() + joint.velocity_start()),
    ):
        shown = diagram.GetOutputPort(f"arm.{name}").Eval(context)
        np.testing.assert_array_equal(shown, state[[index]])
    # Slip: cfm times some 10 N m.
    velocity = diagram.GetOutputPort("arm.velocity").Eval(context)
    assert velocity[0] == pytest.approx(0.4, abs=1e-3)
    # It lifts the arm: against gravity.
    assert diagram.GetOutputPort("arm.effort").Eval(context)[0] > 0.1


@pytest.mark.parametrize("drive", ["auto", "torque", "implicit", "kinematic"])
def test_a_motor_with_nothing_to_move_is_named(folder, drive):
    empty = LINK.replace('mass value="1"', 'mass value="0"')
    empty = re.sub('i(xx|yy|zz)="1"', r'i\1="0"', empty)
    Path("empty.urdf").write_text(empty % ('effort="1"', ""))
    text = with_directive("add_model: {name: e, file: empty.urdf}").replace(
        "  model_drivers:\n",
        "  model_drivers:\n"
        f"    e: !WebotsMotorDriver {{drive: {drive},"
        " motors: {m: !RotationalMotor {joint: hinge}}}\n",
    )
    assert re.fullmatch(
        r"s\.yaml:9:\d+: Lift\.model_drivers\.e\.motors\.m\.joint: joint hinge"
        " moves no mass about its axis; give body link, or what it carries, a"
        " mass and an inertia",
        message(text),
    )


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_joint_without_a_motor_and_with_nothing_to_move_is_named(drive):
    tip = """<link name="tip"/><joint name="wrist" type="revolute">
      <parent link="link"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>"""
    model = LINK % ('effort="1"', "")
    Path("tip.urdf").write_text(model.replace("</robot>", tip))
    text = with_directive("add_model: {name: e, file: tip.urdf}").replace(
        "  model_drivers:\n",
        "  model_drivers:\n"
        f"    e: !WebotsMotorDriver {{drive: {drive},"
        " motors: {m: !RotationalMotor {joint: hinge}}}\n",
    )
    assert re.fullmatch(
        r"s\.yaml:9:\d+: Lift\.model_drivers\.e\.joints\.wrist: joint wrist moves no"
        " mass about its axis; give body tip, or what it carries, a mass and an"
        " inertia",
        message(text),
    )


FLAT = """\
Flat:
  simulation_duration: 0.1
  directives:
  - add_model: {name: ground, file: package://webmotor_models/ground.urdf}
  - add_model: {name: cube, file: package://webmotor_models/cube.urdf}
"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("{}", False),
        ("{plant_config: {use_sampled_output_ports: true}}", True),
        ("{plant_config: {time_step: 0.001}}", False),
    ],
)
def test_a_file_that_wants_sampled_ports_keeps_them(folder, text, kept):
    (folder / "flat.yaml").write_text(FLAT)
    scenario = load_scenario(folder / "flat.yaml", text=text)
    config = without_samples(scenario).plant_config
    assert config.use_sampled_output_ports is kept
    (folder / "flat.yaml").write_text(FLAT + f"  {text[1:-1]}\n")
    scenario = load_scenario(folder / "flat.yaml")
    config = without_samples(scenario).plant_config
    assert config.use_sampled_output_ports is kept


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("{}", False),
        (
            "{scene_graph_config: {default_proximity_properties:"
            " {compliance_type: undefined}}}",
            True,
        ),
        ("{plant_config: {contact_model: point}}", True),
    ],
)
@pytest.mark.filterwarnings("ignore:.*rest on each other")
def test_a_file_that_asks_for_point_contact_keeps_it(folder, text, own):
    (folder / "flat.yaml").write_text(FLAT)
    scenario = load_scenario(folder / "flat.yaml", text=text)
    contacts = assemble(scenario).contacts
    assert {c.contact == "own" for c in contacts} == {own}
