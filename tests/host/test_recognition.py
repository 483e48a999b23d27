"""Cameras recognize colours of bodies and imported Solids; supervisors set them."""

import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.errors import InputError
from webmotor_drake.host.senses import renderer
from webmotor_drake.robot import RobotSession
from webmotor_drake.scenario.checks import check_scenario

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"

drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)
EYE = (
    "eye: !Camera {frame: base, pose: {translation: [-2, 0, 0]},"
    " recognition: {%s}}"
)


def world(more="", known=""):
    """Returns a world whose arm sees the origin from 2 m before it."""
    devices = f"devices: {{{EYE % known}}}"
    return loaded(
        FILE,
        "World",
        f"{{stock: 2, model_drivers: {{arm: {{model: PM-1, {devices}}}}}{more}}}",
    )


RED = ", bodies: {box: {box: {recognition_colors: [[1, 0, 0]], model: apple}}}"


def before(box):
    """Puts a box in the middle of the camera's view."""
    box.getField("translation").setSFVec3f([-1, 2, 1])
    box.resetPhysics()


def seen(supervisor):
    supervisor.step(8)
    supervisor.step(8)
    return supervisor.getDevice("eye").getRecognitionObjects()


@pytest.fixture
def supervisor():
    with RobotSession(world(RED)) as session:
        supervisor = session.supervisor("arm")
        supervisor.getDevice("eye").enable(8)
        supervisor.getDevice("eye").recognitionEnable(8)
        yield supervisor


@drawn
def test_a_body_with_colours_is_recognized_by_its_model_and_id(supervisor):
    box = supervisor.getFromDef("BOX")
    before(box)
    (apple,) = seen(supervisor)
    assert apple.getModel() == "apple"
    assert apple.getColors() == [1, 0, 0]
    assert apple.getPosition()[:2] == pytest.approx([1, 0], abs=1e-9)
    assert supervisor.getFromId(apple.getId()).getDef() == "BOX"
    assert box.getField("model").getSFString() == "apple"


@drawn
def test_colours_that_a_supervisor_sets_are_recognized_at_once(supervisor):
    box = supervisor.getFromDef("BOX")
    colors = box.getField("recognitionColors")
    before(box)
    colors.setMFColor(0, [0, 1, 0])
    colors.insertMFColor(-1, [0, 0, 1])
    assert seen(supervisor)[0].getColors() == [0, 1, 0, 0, 0, 1]
    assert colors.getCount() == 2
    colors.removeMF(0)
    colors.removeMF(0)
    before(box)
    assert seen(supervisor) == []
    supervisor.simulationReset()
    supervisor.step(8)
    before(box)
    assert seen(supervisor)[0].getColors() == [1, 0, 0]


@drawn
def test_an_imported_solid_is_recognized_until_it_is_removed(supervisor):
    children = supervisor.getRoot().getField("children")
    text = (
        'Solid { translation -1 2 1 model "pear" recognitionColors [ 0 1 0 ]'
        " children [ Shape { geometry Sphere { radius 0.1 } } ] }"
    )
    children.importMFNodeFromString(-1, text)
    node = children.getMFNode(-1)
    (pear,) = seen(supervisor)
    assert (pear.getModel(), pear.getId()) == ("pear", node.getId())
    assert node.getField("recognitionColors").getMFColor(0) == [0, 1, 0]
    node.remove()
    assert seen(supervisor) == []


def test_colours_beyond_1_are_refused_in_one_line(supervisor, capsys):
    colors = supervisor.getFromDef("BOX").getField("recognitionColors")
    colors.setMFColor(0, [2, 0, 0])
    (line,) = capsys.readouterr().err.splitlines()
    assert "must be from 0 to 1" in line
    assert colors.getMFColor(0) == [1, 0, 0]


def test_models_of_robots_and_devices_are_what_the_scenario_says():
    text = "gps: !GPS {model: Acme GPS 7}"
    scenario = loaded(
        FILE,
        "World",
        f"{{model_drivers: {{arm: {{model: PM-1, devices: {{{text}}}}}}}}}",
    )
    with RobotSession(scenario) as session:
        supervisor = session.supervisor("arm")
        assert supervisor.getModel() == supervisor.model == "PM-1"
        gps = supervisor.getDevice("gps")
        assert gps.getModel() == gps.model == "Acme GPS 7"
        node = supervisor.getFromDevice(gps)
        assert node.getField("model").getSFString() == "Acme GPS 7"
        assert supervisor.getSelf().getField("model").getSFString() == "PM-1"
        # A motor is no Solid, and has none.
        assert supervisor.getDevice("hinge motor").getModel() == ""


@pytest.mark.parametrize(
    ("bodies", "problem"),
    [
        ("{box: {box: {recognition_colors: [[1, 0]]}}}", "3 are needed"),
        ("{box: {box: {recognition_colors: [[1, 0, 7]]}}}", "7 is not allowed"),
    ],
)
def test_what_is_no_colour_is_refused(bodies, problem):
    with pytest.raises(InputError, match=problem) as refused:
        check_scenario(loaded(FILE, "World", f"{{bodies: {bodies}}}"))
    assert refused.value.path[:4] == (
        "bodies",
        "box",
        "box",
        "recognition_colors",
    )
