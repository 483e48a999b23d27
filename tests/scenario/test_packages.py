"""Robots in packages of their own are found, wherever their package is named."""

import pickle
from pathlib import Path

import pytest
from mechanisms import warnings_of
from pydrake.multibody.parsing import PackageMap, Parser
from pydrake.multibody.plant import MultibodyPlant

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.directives import needed_files
from webmotor_drake.scenario.packages import (
    add_packages,
    find_package,
    known_packages,
)
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.view.replay import scenario_of

URDF = """<robot name="r"><link name="base"/><link name="a">
<inertial><mass value="1"/><origin xyz="0 0 -0.2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://{mesh}/cube.obj"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/>
<limit lower="-3" upper="3" effort="20" velocity="20"/></joint></robot>
"""
SCENARIO = """S:
  simulation_duration: 0.02
  directives:
  - add_model: {{name: r, file: "{file}"}}
  - add_weld: {{parent: world, child: r::base}}
  model_drivers:
    r: !WebotsMotorDriver {{motors: {{m: !RotationalMotor {{joint: j}}}}}}
"""
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 2 4\nf 2 3 4\n"
IN_PACKAGE = "package://my_robot/urdf/r.urdf"


def package(folder: Path, name: str) -> Path:
    """Writes a package, with a cube; returns its folder."""
    folder.mkdir(parents=True)
    text = f'<package format="2"><name>{name}</name></package>'
    (folder / "package.xml").write_text(text)
    (folder / "cube.obj").write_text(OBJ)
    return folder


@pytest.fixture(autouse=True)
def _without_ros(monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """A package with a robot, in a folder of another name."""
    folder = package(tmp_path / "ws" / "src" / "the robot", "my_robot")
    (folder / "urdf").mkdir()
    (folder / "urdf" / "r.urdf").write_text(URDF.format(mesh="my_robot"))
    return folder


def scenario_at(file: Path, model: str = IN_PACKAGE) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(SCENARIO.format(file=model))
    return file


@pytest.mark.parametrize("model", [IN_PACKAGE, "../urdf/r.urdf"])
def test_a_package_above_the_scenarios_file_is_found(robot, model):
    scenario = scenario_at(robot / "scenarios" / "s.yaml", model)
    assert assemble(wm.load_scenario(scenario)).motors


def test_a_package_above_the_models_file_is_found(robot, tmp_path):
    model = str(robot / "urdf" / "r.urdf")
    assert assemble(wm.load_scenario(scenario_at(tmp_path / "s.yaml", model)))


def test_packages_that_stand_side_by_side_find_each_other(robot, tmp_path):
    package(robot.parent / "meshes_of_it", "meshes_of_it")
    urdf = URDF.format(mesh="meshes_of_it")
    (robot / "urdf" / "r.urdf").write_text(urdf)
    scenario = wm.load_scenario(scenario_at(robot / "s.yaml"))
    assert assemble(scenario)
    # Workers of a sweep elsewhere get the meshes, too.
    names = {file.name for file in needed_files(scenario)}
    assert names == {"r.urdf", "cube.obj"}


def test_ros_package_path_is_searched_as_ros_does(robot, tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'ws'}")
    scenario = scenario_at(tmp_path / "s.yaml")
    assert assemble(wm.load_scenario(scenario))
    (robot.parent / "CATKIN_IGNORE").touch()
    with pytest.raises(
        InputError, match="ROS_PACKAGE_PATH .*ws.*--package DIR"
    ):
        assemble(wm.load_scenario(scenario))


def test_ament_prefix_path_is_searched(robot, tmp_path, monkeypatch):
    prefix = tmp_path / "install"
    (prefix / "share").mkdir(parents=True)
    robot.rename(prefix / "share" / "my_robot")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix))
    assert assemble(wm.load_scenario(scenario_at(tmp_path / "s.yaml")))


def test_a_scenario_names_its_packages_relative_to_itself(robot, tmp_path):
    file = scenario_at(tmp_path / "s.yaml")
    text = "{package_xmls: ['ws/src/the robot']}"
    scenario = wm.load_scenario(file, text=text)
    assert assemble(pickle.loads(pickle.dumps(scenario)))


def test_arguments_give_packages_and_runs_remember_them(
    robot, tmp_path, monkeypatch
):
    file = scenario_at(tmp_path / "s.yaml")
    monkeypatch.chdir(robot)
    results = wm.run(file, package_xmls=["."])
    monkeypatch.chdir("/")
    assert assemble(scenario_of(results)).motors
    assert wm.build_diagram(file, package_xmls=[robot / "package.xml"])
    loaded = wm.load_scenario(file, package_xmls=[robot])
    assert assemble(loaded).motors


def test_a_callback_gets_drakes_parser_before_it_reads(robot, tmp_path):
    def add(parser: Parser) -> None:
        parser.package_map().AddPackageXml(str(robot / "package.xml"))

    file = scenario_at(tmp_path / "s.yaml")
    assert wm.build_diagram(file, parser_preload_callback=add)


def test_add_models_finds_the_package_of_a_model(robot):
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    assert wm.add_models(parser, robot / "urdf" / "r.urdf")


def test_an_unknown_package_names_where_was_looked(tmp_path):
    scenario = wm.load_scenario(scenario_at(tmp_path / "s.yaml"))
    with pytest.raises(InputError) as caught:
        assemble(scenario)
    text = str(caught.value)
    assert "looked for my_robot in package_xmls, a package.xml above" in text
    assert "ROS_PACKAGE_PATH (not set), AMENT_PREFIX_PATH (not set)" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<package/>", "has no name"),
        ("<package><name> </name></package>", "has no name"),
        ("<robot><name>r</name></robot>", "has no name"),
        ("<package>", "cannot be read"),
    ],
)
def test_a_package_xml_without_a_name_is_refused(tmp_path, text, words):
    (tmp_path / "package.xml").write_text(text)
    with pytest.raises(InputError, match=words):
        known_packages([tmp_path])
    # One that is met on the way is no package.
    packages = PackageMap()
    find_package("package://other/x", packages, tmp_path / "x.urdf")
    assert not packages.Contains("other")


def test_two_packages_of_one_name_are_refused(robot, tmp_path):
    other = package(tmp_path / "other", "my_robot")
    with pytest.raises(InputError, match="two packages are called 'my_robot'"):
        known_packages([robot, other])
    known_packages([robot, robot / "package.xml"])  # it is one


def test_a_folder_without_a_package_is_refused_where_it_is_named(tmp_path):
    file = scenario_at(tmp_path / "s.yaml")
    scenario = wm.load_scenario(file, text="{package_xmls: [nowhere]}")
    with pytest.raises(
        InputError, match=r"package_xmls\[0\]: no package.xml in"
    ):
        assemble(scenario)
    with pytest.raises(InputError, match="no package.xml in"):
        wm.load_scenario(file, package_xmls=[tmp_path])


def test_a_package_of_ones_own_takes_the_place_of_drakes_models(tmp_path):
    folder = package(tmp_path / "models", "drake_models")
    packages = PackageMap()
    add_packages(packages, [folder])
    assert packages.GetPath("drake_models") == str(folder)


def test_nothing_is_said_of_packages_that_are_found(robot):
    scenario = wm.load_scenario(scenario_at(robot / "s.yaml"))
    _, said = warnings_of(assemble, scenario)
    assert not said
