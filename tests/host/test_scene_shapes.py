"""The scene tree has a WorldInfo, shapes, masses and Groups, as Webots' has."""

import math

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.errors import InputError
from webmotor_drake.host.senses import renderer
from webmotor_drake.robot import Node, RobotSession

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"
G, H = 9.81, 0.008

drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)


def session_of(text="{}"):
    return RobotSession(loaded(FILE, "World", text))


@pytest.fixture
def supervisor():
    with session_of() as session:
        yield session.supervisor("arm")


@pytest.fixture
def box(supervisor):
    return supervisor.getFromDef("BOX")


def in_field(node, name):
    return node.getField(name).getSFNode()


def test_the_first_node_is_the_worldinfo(supervisor):
    info = supervisor.getRoot().getField("children").getMFNode(0)
    assert info.getType() == Node.WORLD_INFO
    assert info.getField("basicTimeStep").getSFFloat() == 8
    assert info.getField("gravity").getSFFloat() == 9.81
    assert info.getField("coordinateSystem").getSFString() == "ENU"
    assert info.getField("title").getSFString() == "World"


def test_a_solid_has_shapes_a_bounding_object_and_physics(box, supervisor):
    shape = box.getField("children").getMFNode(0)
    assert shape.getTypeName() == "Shape"
    geometry = in_field(shape, "geometry")
    assert geometry.getType() == Node.BOX
    assert geometry.getField("size").getSFVec3f() == [0.05] * 3
    look = in_field(shape, "appearance")
    assert look.getTypeName() == "PBRAppearance"
    assert look.getField("baseColor").getSFColor() == [0.2, 0.4, 0.8]
    assert look.getField("transparency").getSFFloat() == 0
    bounding = in_field(box, "boundingObject")  # a box and four feet
    assert bounding.getTypeName() == "Group"
    parts = bounding.getField("children")
    kinds = [parts.getMFNode(i).getTypeName() for i in range(5)]
    assert kinds == ["Box", *["Pose"] * 4]
    foot = parts.getMFNode(1).getField("children").getMFNode(0)
    assert foot.getField("radius").getSFFloat() == 0.002
    physics = in_field(box, "physics")
    assert physics.getField("mass").getSFFloat() == 0.2
    matrix = physics.getField("inertiaMatrix")
    np.testing.assert_allclose(matrix.getMFVec3f(0), [8.333e-5] * 3)
    # What does not move has no Physics.
    assert in_field(supervisor.getFromDef("ground"), "physics") is None


def test_velocities_are_fields_of_a_solid(box, supervisor):
    box.getField("linearVelocity").setSFVec3f([1, 0, 2])
    supervisor.step(8)
    velocity = box.getField("linearVelocity").getSFVec3f()
    np.testing.assert_allclose(velocity, [1, 0, 2 - G * H], atol=1e-12)
    assert box.getField("angularVelocity").getSFVec3f() == [0] * 3


def test_a_mass_that_is_set_acts_in_the_next_step(box, supervisor):
    box.getField("translation").setSFVec3f([0, 0, 5])
    in_field(box, "physics").getField("mass").setSFFloat(0.8)
    supervisor.step(8)
    before = box.getVelocity()[0]
    box.addForce([1, 0, 0], False)
    supervisor.step(8)
    gained = box.getVelocity()[0] - before
    assert gained == pytest.approx(H / 0.8, rel=1e-9)
    matrix = in_field(box, "physics").getField("inertiaMatrix").getMFVec3f(0)
    np.testing.assert_allclose(matrix, [4 * 8.333e-5] * 3)  # in proportion
    supervisor.simulationReset()
    supervisor.step(8)
    assert in_field(box, "physics").getField("mass").getSFFloat() == 0.2


def test_a_links_mass_that_is_set_is_what_its_motor_carries():
    # The torque drive solves with masses of its own.
    for drive in ("torque", "implicit"):
        with session_of(
            f"{{model_drivers: {{arm: {{drive: {drive}}}}}}}"
        ) as session:
            supervisor = session.supervisor("arm")
            link = supervisor.getFromDef("arm.link")
            motor = supervisor.getDevice("hinge motor")
            motor.enableTorqueFeedback(8)
            motor.setPosition(1.0)
            supervisor.step(1600)
            torque = motor.getTorqueFeedback()
            mass = in_field(link, "physics").getField("mass")
            mass.setSFFloat(1.5 * mass.getSFFloat())
            supervisor.step(1600)
            assert motor.getTorqueFeedback() == pytest.approx(
                1.5 * torque, rel=1e-3
            )


def test_a_size_that_is_set_counts_in_contact_and_is_back_after_a_reset(
    box, supervisor
):
    parts = in_field(box, "boundingObject").getField("children")
    parts.getMFNode(0).getField("size").setSFVec3f([0.4, 0.4, 0.4])
    box.getField("translation").setSFVec3f([0, 0, 0.25])
    supervisor.step(1600)
    # It stands on the box, not on its feet: on corners that stick out by 0.5 mm.
    assert box.getPosition()[2] == pytest.approx(0.2005, abs=1e-4)
    supervisor.simulationReset()
    supervisor.step(8)
    assert parts.getMFNode(0).getField("size").getSFVec3f() == [0.05] * 3
    supervisor.step(1600)
    assert box.getPosition()[2] == pytest.approx(0.0255, abs=1e-4)


def test_rays_meet_a_shape_as_it_is_now():
    eye = (
        "devices: {eye: !DistanceSensor {frame: world, type: laser,"
        " pose: {translation: [0, 0, 0.05]}, lookup_table: [[0, 0, 0], [9, 9, 0]]}}"
    )
    with session_of(f"{{model_drivers: {{referee: {{{eye}}}}}}}") as session:
        supervisor = session.supervisor("arm")
        sensor = session.robot("referee").getDevice("eye")
        sensor.enable(8)
        supervisor.step(16)
        assert sensor.getValue() == pytest.approx(0.475, abs=1e-6)
        box = supervisor.getFromDef("BOX")
        part = in_field(box, "boundingObject").getField("children").getMFNode(0)
        part.getField("size").setSFVec3f([0.25, 0.05, 0.05])
        supervisor.step(16)
        assert sensor.getValue() == pytest.approx(0.375, abs=1e-6)


def test_sizes_and_colours_that_cannot_be_are_refused(box, supervisor, capsys):
    shape = box.getField("children").getMFNode(0)
    in_field(shape, "geometry").getField("size").setSFVec3f([1, 0, 1])
    in_field(shape, "appearance").getField("baseColor").setSFColor([2, 0, 0])
    in_field(box, "physics").getField("mass").setSFFloat(-1)
    supervisor.step(8)
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 3
    assert "above 0" in errors[0] and "not a colour" in errors[1]
    assert in_field(shape, "geometry").getField("size").value == [0.05] * 3


@drawn
def test_cameras_see_colours_and_sizes_as_they_are_now():
    eye = (
        "devices: {eye: !Camera {frame: world, width: 32, height: 32,"
        " pose: {translation: [0.2, 0, 0.03]}}}"
    )
    with session_of(f"{{model_drivers: {{referee: {{{eye}}}}}}}") as session:
        supervisor = session.supervisor("arm")
        camera = session.robot("referee").getDevice("eye")
        camera.enable(8)
        supervisor.step(16)

        def middle():
            image = camera.getImage()
            return [
                f(image, 32, 16, 16)
                for f in (
                    camera.imageGetRed,
                    camera.imageGetGreen,
                    camera.imageGetBlue,
                )
            ]

        assert np.argmax(middle()) == 2
        shape = supervisor.getFromDef("BOX").getField("children").getMFNode(0)
        colour = in_field(shape, "appearance").getField("baseColor")
        colour.setSFColor([1, 0, 0])
        supervisor.step(16)
        assert np.argmax(middle()) == 0
        supervisor.simulationReset()
        supervisor.step(16)
        assert np.argmax(middle()) == 2
        assert colour.getSFColor() == [0.2, 0.4, 0.8]


DEFS = """{
  defs: {
    HINGE_PARAMETERS: "arm::hinge.jointParameters", BODY: "box.physics",
    LOOK: "box.children[0].appearance", LINK: "arm::hinge.endPoint",
    EYE: "arm::hinge sensor", NOTHING: "box.children[7]"
  },
  groups: {THINGS: [box, ground]}
}"""


def test_defs_name_what_is_in_fields_and_groups_have_children(capsys):
    with session_of(DEFS) as session:
        supervisor = session.supervisor("arm")
        parameters = supervisor.getFromDef("HINGE_PARAMETERS")
        assert parameters.getField("position").getSFFloat() == 0.25
        assert parameters.getDef() == "HINGE_PARAMETERS"
        assert supervisor.getFromDef("BODY").getTypeName() == "Physics"
        assert supervisor.getFromDef("LOOK").getTypeName() == "PBRAppearance"
        link = supervisor.getFromDef("LINK")
        assert link.getField("name").getSFString() == "link"
        assert supervisor.getFromDef("EYE").getTypeName() == "PositionSensor"
        assert capsys.readouterr().err.count("DEF NOTHING: there is no") == 1
        assert supervisor.getFromDef("NOTHING") is None
        assert supervisor.getFromDef(None) is None  # supervisor.py
        things = supervisor.getFromDef("THINGS")
        assert (things.getTypeName(), things.getDef()) == ("Group", "THINGS")
        children = things.getField("children")
        names = [
            children.getMFNode(i).getField("name").getSFString()
            for i in range(children.getCount())
        ]
        assert names == ["box", "ground"]
        box = supervisor.getFromDef("THINGS.box")
        assert box.getParentNode().getId() == things.getId()
        assert box.getPosition() == [0.5, 0, 0.05]
        box.getField("translation").setSFVec3f([0, 0, 3])
        supervisor.step(8)
        assert box.getPosition()[2] == pytest.approx(3, abs=1e-3)
        box.remove()
        assert children.getCount() == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{groups: {G: [nobody]}}", "groups.G[0]: unknown model 'nobody'"),
        ("{groups: {G: [box, box]}}", "box is in a group already"),
        ("{groups: {G: [ball_1]}}", "is a spare"),
        ("{groups: {BOX: [box]}}", "is the name of something else"),
        ('{defs: {X: "box.nothing"}}', "defs.X: unknown model 'box.nothing'"),
    ],
)
def test_wrong_groups_are_refused_with_their_place(text, problem):
    with pytest.raises(InputError) as caught:
        session_of(text)
    assert problem in str(caught.value) and "\n" not in str(caught.value)


def test_a_welded_model_can_be_removed_and_stays_away(supervisor, capsys):
    ground = supervisor.getFromDef("ground")
    box = supervisor.getFromDef("BOX")
    ground.remove()
    assert supervisor.getFromDef("ground") is None
    supervisor.step(400)
    assert box.getPosition()[2] < -0.5  # nothing holds it
    supervisor.simulationReset()
    supervisor.step(400)
    assert box.getPosition()[2] < -0.5
    assert "Error" not in capsys.readouterr().err


def test_a_node_as_text_says_what_its_fields_do(box):
    text = box.exportString()
    assert text.startswith("DEF BOX Solid {\n  translation 0.5 0 0.05\n")
    assert "size 0.05 0.05 0.05" in text
    assert "mass 0.2" in text
    assert math.isclose(text.count("{") - text.count("}"), 0)
