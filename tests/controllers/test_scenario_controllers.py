"""Which robot of a scenario has which controller."""

import warnings

import pytest
from robots import FILE, controller, scenario, with_driver

from webmotor_drake.controllers.in_process.controller_file import (
    scenario_controllers,
    set_controller,
)
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.runner import ready
from webmotor_drake.simulation.diagram import build_diagram


def test_a_controller_is_beside_the_scenario_file():
    config = with_driver(
        "controller: ../robots.py, controller_args: [a, '1.5']"
    )
    loaded = scenario_controllers(config)["arm"]
    assert loaded.file == FILE.parents[1] / "robots.py"
    assert loaded.arguments == ("a", "1.5")


def test_most_robots_have_none():
    assert scenario_controllers(scenario("TwoArms")) == {}


def test_a_change_of_folder_does_not_lose_a_controller(tmp_path, monkeypatch):
    controller(tmp_path, "pass\n")
    (tmp_path / "arm.scenario.yaml").write_text(FILE.read_text())
    monkeypatch.chdir(tmp_path)
    config = load_scenario("arm.scenario.yaml", name="Arm")
    config.model_drivers["arm"].controller = "controller_a.py"
    monkeypatch.chdir("/")
    loaded = scenario_controllers(config)["arm"]
    assert loaded.file == (tmp_path / "controller_a.py").resolve()


def test_a_controller_that_is_missing_is_missing_in_the_scenario():
    config = with_driver("controller: none.py")
    with pytest.raises(InputError) as error:
        scenario_controllers(config)
    assert "model_drivers.arm.controller: cannot read" in str(error.value)
    assert "--scenario_text:1:" in str(error.value)


def test_one_that_is_not_python_is_wrong_in_its_own_file(tmp_path):
    file = controller(tmp_path, "x = = 1\n")
    config = with_driver(f"controller: {file}")
    with pytest.raises(InputError, match=r"controller_a\.py:1:5: "):
        scenario_controllers(config)


def test_the_only_robot_needs_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = controller(tmp_path, "pass\n")
    config = scenario()
    set_controller(config, "controller_a.py")
    assert scenario_controllers(config)["arm"].file == file
    set_controller(config, f"arm={file}")
    assert scenario_controllers(config)["arm"].file == file


def test_one_of_several_robots_has_to_be_named(tmp_path):
    file = controller(tmp_path, "pass\n")
    config = scenario("TwoArms")
    with pytest.raises(InputError, match="with one of first, second"):
        set_controller(config, str(file))
    with pytest.raises(InputError, match=r"did you mean second\?"):
        set_controller(config, f"secnd={file}")
    set_controller(config, f"second={file}")
    assert list(scenario_controllers(config)) == ["second"]


def test_a_file_may_have_an_equals_sign_in_its_name(tmp_path):
    file = controller(tmp_path, "pass\n", "a=b.py")
    config = scenario()
    set_controller(config, str(file))
    assert scenario_controllers(config)["arm"].file == file


def test_a_file_that_is_no_controller_is_refused_at_once(tmp_path):
    with pytest.raises(InputError) as error:
        set_controller(scenario(), str(tmp_path / "none.py"))
    assert str(error.value).startswith("cannot read the controller")


def test_a_controller_that_is_not_run_is_told_of_in_a_line(tmp_path):
    # In somebody's own diagram it has no effect, and need not even exist.
    config = with_driver("controller: none.py")
    told = r"^arm: the controller none\.py is not run here; `webmotor run` and"
    with pytest.warns(MotorWarning, match=told):
        build_diagram(config)
    with pytest.warns(MotorWarning, match=told) as warned:
        RobotSession(config)
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config = with_driver(f"controller: {controller(tmp_path, 'pass')}")
        assert ready(config).scenario is config
