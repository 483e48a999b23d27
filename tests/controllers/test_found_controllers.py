"""Tricks of controllers found in the wild, in our own words: each once failed here."""

import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.errors import InputError
from webmotor_drake.loading import as_scenario, load_scenario
from webmotor_drake.robot import Node, RobotSession
from webmotor_drake.simulation.diagram import build_diagram

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"


@pytest.fixture
def supervisor():
    with RobotSession(loaded(FILE, "World", "{stock: 4}")) as session:
        yield session.supervisor("arm")


@pytest.fixture
def children(supervisor):
    return supervisor.getRoot().getField("children")


def test_nodes_are_compared_and_looked_for_in_lists(supervisor):
    box, again = supervisor.getFromDef("BOX"), supervisor.getFromDef("BOX")
    arm = supervisor.getSelf()
    assert box == again and box != arm and box != "BOX"
    assert again in [arm, box]
    assert len({box, again, arm}) == 2


def test_a_rotation_without_an_angle_and_three_velocities_are_filled_with_0(
    supervisor, capsys
):
    box = supervisor.getFromDef("BOX")
    box.getField("rotation").setSFRotation([0, 0, -1])
    supervisor.step(8)
    assert box.getOrientation() == pytest.approx([1, 0, 0, 0, 1, 0, 0, 0, 1])
    box.setVelocity([0, -2.5, 0])
    assert box.getVelocity()[1] == pytest.approx(-2.5)
    assert capsys.readouterr().err == ""
    box.getField("rotation").setSFRotation([0, 1])
    assert "4 are needed" in capsys.readouterr().err


def test_nodes_of_a_wbo_file_are_imported(children, tmp_path, capsys):
    file = tmp_path / "block.wbo"
    file.write_text(
        "#VRML_OBJ R2022a utf8\n"
        "DEF BLOCK Solid { boundingObject Box { size 0.1 0.1 0.1 }"
        " physics Physics { density -1 mass 0.5 } }\n"
    )
    children.importMFNode(-1, str(file))
    block = children.getMFNode(-1)
    assert block.getDef() == "BLOCK"
    mass = block.getField("physics").getSFNode().getField("mass")
    assert mass.getSFFloat() == 0.5
    children.importMFNode(-1, str(tmp_path / "none.wbo"))
    error = capsys.readouterr().err
    assert "cannot be read" in error and error.count("\n") == 1


def test_the_viewpoint_is_the_second_node_and_stores_what_is_set(
    supervisor, children
):
    view = children.getMFNode(1)
    assert view.getType() == Node.VIEWPOINT
    place = view.getField("position")
    assert place.getSFVec3f() == [-10, 0, 0]
    place.setSFVec3f([0, 0, 3])
    view.getField("orientation").setSFRotation([0, 1, 0, 1.5])
    view.getField("follow").setSFString("arm")
    supervisor.step(8)
    assert place.getSFVec3f() == [0, 0, 3]
    assert view.getField("follow").getSFString() == "arm"
    supervisor.simulationReset()
    supervisor.step(8)
    assert place.getSFVec3f() == [-10, 0, 0]


def test_worldinfo_and_viewpoint_have_the_def_names_of_a_world(tmp_path):
    file = tmp_path / "arena.wbt"
    file.write_text(
        "#VRML_SIM R2023b utf8\nDEF INFO WorldInfo { }\nDEF VIEW Viewpoint { }\n"
        "Robot { supervisor TRUE }\n"
    )
    with RobotSession(as_scenario(str(file))) as session:
        supervisor = session.supervisor("robot")
        assert supervisor.getFromDef("VIEW").getTypeName() == "Viewpoint"
        assert supervisor.getFromDef("INFO").getTypeName() == "WorldInfo"
    text = "{defs: {A.B: Viewpoint}}"
    with pytest.raises(InputError, match="no dots"):
        build_diagram(load_scenario(FILE, name="World", text=text))
