"""A supervisor over the wire: what its client asks for, and is told of."""

import struct

import numpy as np
import pytest
from connected import connected, port_of_instance
from loaded import loaded
from webots_client import extern_socket

from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.loading import load_scenario

SCENARIO = """
World:
  plant_config: {time_step: 0.008}
  simulation_duration: 2
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  - add_model:
      name: ball
      file: package://webmotor_models/ball.urdf
      default_free_body_pose: {ball: {translation: [3, 0, 2]}}
  defs: {BALL: ball}
  spares: {Ball: [spare]}
  model_drivers:
    arm: !WebotsMotorDriver
      supervisor: true
      custom_data: before
      motors:
        motor: !RotationalMotor {joint: hinge}
      position_sensors:
        sensor: {joint: hinge}
"""
BALL = """
<robot name="ball"><link name="ball">
  <inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision>
</link></robot>
"""


@pytest.fixture
def world(tmp_path):
    """A supervisor on an arm, and a ball that falls."""
    (tmp_path / "ball.urdf").write_text(BALL)
    file = tmp_path / "world.scenario.yaml"
    model = f"file://{tmp_path / 'ball.urdf'}"
    spare = f"""  - add_model: {{name: spare, file: "{model}"}}
  defs"""
    scenario = SCENARIO.replace("package://webmotor_models/ball.urdf", model)
    file.write_text(scenario.replace("  defs", spare))
    return loaded(file, "World", "{}")


def supervise(world, control, *, has_protos=True):
    """Runs a controller that ends by itself."""

    def controller(client):
        client.has_protos = has_protos
        control(client)
        client.clean_up()

    return connected(world, arm=controller)


@pytest.mark.parametrize("has_protos", [False, True])
def test_nodes_are_found_and_their_fields_read(world, has_protos):
    def control(client):
        assert client.supervisor == 1
        assert client.nodes[client.self_node]["kind"] == "Robot"
        ball = client.from_def("BALL")
        assert client.nodes[ball]["type"] == 80
        assert client.nodes[ball]["parent"] == 0
        assert client.get(ball, "translation") == (3, 0, 2)
        assert client.get(ball, "name", inside=True) == "ball"
        assert client.get(client.self_node, "supervisor") == 1
        assert client.get(client.self_node, "customData") == "before"
        count = client.field(0, "children")[3]
        inside = [client.get(0, "children", k) for k in range(count)]
        assert {ball, client.self_node} < set(inside)
        assert client.ask(83, "i", ball) == ball
        assert client.nodes[client.ask(85, "i", 2)]["tag"] == 2
        assert client.ask(65, "IB", ball, 1) > 5

    supervise(world, control, has_protos=has_protos)


TREE = """#VRML_SIM R2023b utf8
WorldInfo { title "t" basicTimeStep 8 }
Viewpoint { fieldOfView 0.5 }
TexturedBackground { }
RectangleArena { floorSize 3 2 }
DEF W1 Wall { translation 1 0 0 size 0.1 1 0.5 }
Wall { translation -1 0 0 name "wall(1)" size 0.1 1 0.5 }
DEF GRP Group { children [ PointLight { intensity 3 } ] }
Robot { name "boss" supervisor TRUE }
"""


@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
@pytest.mark.parametrize("has_protos", [False, True])
def test_a_worlds_tree_is_the_files(tmp_path, has_protos):
    file = tmp_path / "w.wbt"
    file.write_text(TREE)

    def control(client):
        client.has_protos = has_protos
        count = client.field(0, "children")[3]
        nodes = [client.get(0, "children", k) for k in range(count)]
        assert [client.nodes[node]["kind"] for node in nodes] == [
            "WorldInfo",
            "Viewpoint",
            "TexturedBackground",
            "RectangleArena",
            "Wall",
            "Wall",
            "Group",
            "Robot",
        ]
        assert client.from_def("W1") == nodes[4]
        assert client.from_def("GRP") == nodes[6]
        assert client.get(nodes[0], "title") == "t"
        assert client.get(nodes[1], "fieldOfView") == 0.5
        assert client.get(nodes[3], "floorSize") == (3, 2)
        light = client.get(nodes[6], "children", 0)
        assert client.nodes[light]["kind"] == "PointLight"
        assert client.get(light, "intensity") == 3
        # A wall without a DEF moves, too.
        client.set(nodes[5], "translation", "3d", -2, 0, 0)
        client.step(8)
        assert client.ask(90, "I", nodes[5]) == pytest.approx((-2, 0, 0))
        client.clean_up()

    scenario = load_scenario(file, text="{simulation_duration: 1}")
    assert not connected(scenario, boss=control).errors


PROTOS = {
    "Bouncer": """PROTO Bouncer [ field SFVec3f place 3 0 2 field SFFloat radius 0.1 ]
{ Ball { translation IS place } }""",
    "Ball": """PROTO Ball [
  field SFVec3f translation 0 0 0
  field SFString title "ball"
] {
  Solid {
    translation IS translation
    name IS title
    boundingObject Sphere { radius 0.1 }
    physics Physics { }
  }
}""",
}


@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
def test_a_proto_and_what_it_derives_from_have_their_parameters(tmp_path):
    head = "#VRML_SIM R2023b utf8\n"
    for name, text in PROTOS.items():
        url = 'EXTERNPROTO "Ball.proto"\n' * (name == "Bouncer")
        (tmp_path / f"{name}.proto").write_text(head + url + text)
    file = tmp_path / "w.wbt"
    file.write_text(
        f'{head}EXTERNPROTO "Bouncer.proto"\nWorldInfo {{ basicTimeStep 8 }}\n'
        'DEF BALL Bouncer { } Robot { name "boss" supervisor TRUE }'
    )

    def control(client):
        client.has_protos = True
        ball = client.from_def("BALL")
        assert client.nodes[ball]["kind"] == "Bouncer"
        assert client.nodes[ball]["is_proto"]
        assert not client.nodes[client.self_node].get("is_proto")
        assert client.ask(65, "IB", ball, 0) == 2
        assert client.ask(78, "Ii", ball, -1) == (0, 1, 2, "Bouncer")
        assert client.ask(78, "Ii", ball, 0) == (1, 0, 2, "Ball")
        assert client.ask(78, "Ii", ball, 1) == (-1, 0, 0, "")
        # Index, type, inside, count, the field to set and the name.
        place = client.field(ball, "place", proto=0)
        assert place == (0, 5, 0, -1, ball, 0, "place")
        title = client.field(ball, "title", proto=1)
        assert title == (1, 8, 0, -1, "title")
        assert client.get(ball, "title", proto=1) == "ball"
        client.set(ball, "place", "3d", 1, 2, 3)
        client.step(8)
        assert client.ask(93, "I", ball)[:2] == (1, 2)
        client.clean_up()

    scenario = load_scenario(file, text="{simulation_duration: 1}")
    assert not connected(scenario, boss=control).errors


def test_groups_and_shapes_are_found_by_def_names(world):
    world.groups = {"THINGS": ["ball"]}
    world.defs["ROUND"] = "ball::ball.collision[0]"

    def control(client):
        things = client.from_def("THINGS")
        assert client.nodes[things]["kind"] == "Group"
        assert client.field(things, "children")[3] == 1
        ball = client.get(things, "children", 0)
        assert client.from_def("THINGS.BALL") == ball
        assert client.nodes[ball]["parent"] == things
        round_ = client.from_def("BALL.ROUND")
        assert client.nodes[round_]["kind"] == "Sphere"
        client.set(round_, "radius", "d", 0.25)
        client.step(8)
        assert client.get(round_, "radius") == 0.25

    supervise(world, control)


@pytest.mark.parametrize("has_protos", [False, True])
def test_what_is_not_there_has_an_answer_too(world, has_protos, capsys):
    def control(client):
        assert client.from_def("NOBODY") == 0
        assert client.field(client.self_node, "nonsense")[0] == -1
        assert client.ask(83, "i", 999) is None
        assert client.ask(86) is None
        assert client.ask(90, "I", 999) is None
        assert client.ask(94, "IB", 0, 1) == (0, 1, [])
        assert client.ask(98) == 0
        assert client.ask(82, "B", 0) == 0
        assert client.ask(60, text="a.html") is None
        assert client.seen["", 16] == 0
        assert client.ask(78, "Ii", 0, -1) == (-1, 0, 0, "")

    supervise(world, control, has_protos=has_protos)
    told = capsys.readouterr().err
    assert "unknown DEF or model 'NOBODY' (known: BALL, arm" in told
    assert "unknown field 'nonsense' (known: translation" in told


def test_what_is_set_acts_when_time_passes(world):
    def control(client):
        ball = client.from_def("BALL")
        client.set(ball, "translation", "3d", 1, 2, 3)
        client.set(client.self_node, "customData", "6s", b"after\0")
        assert client.ask(90, "I", ball) == (3, 0, 2)  # with the next step
        client.step(8)
        place = client.seen["", 90] = client.ask(90, "I", ball)
        assert place == pytest.approx((1, 2, 3), abs=1e-3)  # it falls
        assert client.custom_data == "after"

    supervise(world, control)


def test_motion_is_read_and_set(world):
    def control(client):
        ball = client.from_def("BALL")
        assert client.ask(91, "I", ball) == (1, 0, 0, 0, 1, 0, 0, 0, 1)
        pose = np.eye(4)
        pose[:3, 3] = 3, 0, 2
        assert client.ask(92, "II", 0, ball) == (0, ball, *pose.ravel())
        assert client.ask(93, "I", ball) == (3, 0, 2)
        client.ask(66, "I6d", ball, 1, 0, 0, 0, 0, 2)
        assert client.ask(96, "I", ball) == (1, 0, 0, 0, 0, 2)
        client.ask(67, "I", ball)
        assert client.ask(96, "I", ball) == (0,) * 6
        client.ask(71, "I3dB", ball, 125, 0, 0, 0)
        client.step(8)  # a push lasts 8 ms: 125 N on 1 kg
        assert client.ask(96, "I", ball)[0] == pytest.approx(1)
        client.ask(74, "I5s", ball, b"here\0")
        client.step(80)
        client.ask(75, "I5s", ball, b"here\0")
        assert client.ask(90, "I", ball)[0] == pytest.approx(3.008)

    supervise(world, control)


def test_a_reset_sets_the_time_to_0_and_motors_to_the_start(world):
    def control(client):
        ball = client.from_def("BALL")
        client.motor("motor", 6, 5.0)
        client.step(400)
        assert client.seen["motor", 0][4] == 5
        client.ask(55)
        client.step(8)
        assert client.time == 0
        assert client.seen["motor", 0][4] == -1
        assert client.ask(90, "I", ball) == (3, 0, 2)
        client.step(8)
        assert client.time == 0.008

    supervise(world, control)


def test_imported_nodes_come_and_are_told_of_when_they_go(world):
    text = b"DEF NEW Ball { translation 0 5 1 }\0"

    def control(client):
        number, _, _, count, _ = client.field(0, "children")
        head = struct.pack("<BIIi", 89, 0, number, count)
        new = client._asked(89, head + text)
        assert client.from_def("NEW") == new
        assert ("", 20, (0, "children", count + 1)) in told
        assert client.ask(90, "I", new) == (0, 5, 1)
        client.ask(97, "I", new)
        assert client.seen["", 97] == new
        assert client.seen["", 20] == (0, "children", count)
        assert new not in client.nodes
        assert client.from_def("NEW") == 0

    told = []

    def noted(client):
        step = client.step

        def remember(milliseconds):
            result = step(milliseconds)
            told.extend(client.messages)
            return result

        client.step = remember
        control(client)

    supervise(world, noted)


def test_tracked_values_come_with_each_step(world):
    def control(client):
        ball = client.from_def("BALL")
        number = client.field(ball, "translation")[0]
        client.ask(101, "iiBBi", ball, number, 0, 1, 8)
        client.ask(102, "IIBi", 0, ball, 1, 0)
        client.ask(103, "IBBi", ball, 1, 1, 0)
        client.seen.clear()
        client.step(8)
        assert client.seen["", 88][:2] == (3, 0)
        assert client.seen["", 92][:2] == (0, ball)
        assert client.seen["", 94] == (ball, 1, [])
        client.ask(101, "iiBB", ball, number, 0, 0)
        client.ask(102, "IIB", 0, ball, 0)
        client.ask(103, "IBB", ball, 0, 0)
        client.seen.clear()
        client.step(8)
        assert set(client.seen) == {("", 4)}

    supervise(world, control)


def test_quit_ends_the_run_with_its_status(world):
    def control(client):
        client.step(80)
        client.ask(54, "i", 7)
        assert client.step(8) == -1

    run = supervise(world, control)
    assert run.results.time[-1] == pytest.approx(0.08)
    assert run.exit_status == 7


def test_a_supervisor_ends_the_program_of_a_robot(world):
    def control(client):
        client.ask(68, "I", client.self_node)
        assert client.step(8) == -1
        client.clean_up()
        port = port_of_instance()  # the run waits for the next program
        client.__init__(local=extern_socket(port, "arm"))
        assert client.step(8) == 0

    assert supervise(world, control).results.time[-1] == pytest.approx(2)


def test_a_reload_starts_over_for_the_next_program(world):
    starts = []

    def control(client):
        starts.append(client.time)
        client.step(80)
        if len(starts) == 1:
            client.ask(52)
            assert client.step(8) == -1

    def twice(client):
        control(client)
        client.clean_up()
        again = type(client)(local=client_socket(), has_protos=True)
        control(again)
        while again.step(80) != -1:
            pass
        again.clean_up()

    def client_socket():
        return extern_socket(port_of_instance(), "arm")

    connected(world, arm=twice)
    assert starts == [0, 0]


def test_the_mode_is_told_when_a_pause_is_refused(world, capsys):
    def control(client):
        assert client.ask(56, "i", 0) is None
        assert client.seen["", 10] == 2

    supervise(world, control)
    assert "nobody to end a pause" in capsys.readouterr().err


def test_a_pause_is_one_of_whoever_watches_and_its_end_is_told(
    world, monkeypatch
):
    pauses = []
    monkeypatch.setattr(
        SteppedSimulation, "pause", lambda self: pauses.append(self.now) or ""
    )

    def control(client):
        client.command("", struct.pack("<Bi", 56, 0))
        assert client.step(8) == 0
        assert client.seen["", 10] == 2

    supervise(world, control)
    assert pauses == [0]
