"""Where a controller is told that its world is."""

import os

import pytest
from robots import FILE, controller, scenario

from webmotor_drake.controllers.in_process.controller_file import (
    scenario_controllers,
)
from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.robot_controllers import controller_file
from webmotor_drake.scenario.scenario import Scenario


def relative_scenario(monkeypatch, then) -> Scenario:
    """Returns the Arm, loaded by a relative name before a change of folder."""
    monkeypatch.chdir(FILE.parent)
    loaded = load_scenario(
        FILE.name, name="Arm", text="{simulation_duration: 0.1}"
    )
    monkeypatch.chdir(then)
    return loaded


def test_the_world_is_where_it_was_loaded_from(tmp_path, monkeypatch):
    with RobotSession(relative_scenario(monkeypatch, tmp_path)) as session:
        robot = session.robot("arm")
        assert robot.getWorldPath() == robot.world_path == str(FILE)
        assert robot.getProjectPath() == str(FILE.parent)


def test_a_controller_in_a_folder_of_its_own_is_told_the_same(
    tmp_path, monkeypatch, capsys
):
    file = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        print(robot.getWorldPath())
        print(robot.getProjectPath())
        """,
    )
    there = relative_scenario(monkeypatch, FILE.parent)
    run_with_controllers(there, {"arm": file})
    assert capsys.readouterr().out == f"{FILE}\n{FILE.parent}\n"


def test_a_controller_is_found_after_a_change_of_folder(tmp_path, monkeypatch):
    there = relative_scenario(monkeypatch, tmp_path)
    file = controller(tmp_path, "pass")
    there.model_drivers["arm"].controller = os.path.relpath(file, FILE.parent)
    assert scenario_controllers(there)["arm"].file == file


def test_a_scenario_that_is_no_file_has_no_path():
    nameless = scenario(text="{simulation_duration: 0.1}")
    nameless.source = None
    with RobotSession(nameless) as session:
        robot = session.robot("arm")
        assert robot.getWorldPath() == robot.getProjectPath() == ""


def test_a_project_is_above_its_worlds_and_names_its_controllers(
    tmp_path, monkeypatch, capsys
):
    worlds, beside = tmp_path / "worlds", tmp_path / "controllers" / "walker"
    worlds.mkdir()
    beside.mkdir(parents=True)
    controller(
        beside,
        """
        from controller import Robot
        print(Robot().getProjectPath())
        """,
        "walker.py",
    )
    (worlds / "arm.scenario.yaml").write_text(FILE.read_text())
    monkeypatch.chdir(beside)
    there = load_scenario(
        "../../worlds/arm.scenario.yaml",
        name="Arm",
        text="{simulation_duration: 0.1, model_drivers: {arm: {controller:"
        " walker}}}",
    )
    monkeypatch.chdir("/")
    run_with_controllers(there)
    assert capsys.readouterr().out == f"{tmp_path}\n"


@pytest.mark.parametrize(
    ("there", "first"),
    [
        (["walk.py", "walk"], "walk"),
        (["walk.m", "walk.py", "build/release/walk"], "build/release/walk"),
        (["walk.py", "walk.jar", "walk.class"], "walk.class"),
        (["walk.m", "walk.py"], "walk.py"),
    ],
)
def test_of_a_projects_controllers_webots_first_is_run(tmp_path, there, first):
    (tmp_path / "arm.scenario.yaml").write_text(FILE.read_text())
    project = load_scenario(tmp_path / "arm.scenario.yaml", name="Arm")
    folder = tmp_path / "controllers" / "walk"
    (folder / "build/release").mkdir(parents=True)
    for name in there:
        (folder / name).touch()
    assert controller_file(project, "walk").samefile(folder / first)
