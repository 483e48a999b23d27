"""Controllers find what Webots gives them around the API itself."""

import gc
import os

import pytest
from robots import IDLE, controller, scenario

from webmotor_drake import load_scenario
from webmotor_drake.controllers.in_process.controller_file import (
    ControllerError,
)
from webmotor_drake.controllers.in_process.controller_module import installed
from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)


def test_webots_home_is_a_folder_with_what_controllers_append(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    file = controller(
        tmp_path,
        """
        import os, sys
        home = os.environ["WEBOTS_HOME"]
        sys.path.append(home + "/lib/controller/python")
        sys.path.append(
            home + "/projects/samples/robotbenchmark/include/robotbenchmark"
        )
        from controller import Robot
        from robotbenchmark import robotbenchmarkRecord
        print([os.path.isdir(folder) for folder in sys.path[-2:]])
        print(robotbenchmarkRecord("record:x", "pit_escape", 1.0))
        """,
    )
    run_with_controllers(scenario(), {"arm": file})
    done = capsys.readouterr()
    assert done.out.splitlines() == ["[True, True]", "None"]
    assert "no robotbenchmark server" in done.err
    assert "WEBOTS_HOME" not in os.environ
    monkeypatch.setenv("WEBOTS_HOME", "/usr/local/webots")
    with installed():  # an installed one stays
        assert os.environ["WEBOTS_HOME"] == "/usr/local/webots"


def test_lines_of_several_controllers_tell_whose_they_are(tmp_path, capsys):
    # WbController.cpp: "[name] " before each line, on both streams.
    text = """
        import sys
        from controller import Robot
        robot = Robot()
        print("one", end="")
        robot.step(8)
        print(" line")
        print("a\\nb", file=sys.stderr)
        sys.stdout.writelines(["c\\n", "no end"])
    """
    files = {
        "first": controller(tmp_path, text, "left.py"),
        "second": controller(tmp_path, text, "right.py"),
    }
    run_with_controllers(
        scenario("TwoArms", "{simulation_duration: 0.04}"), files
    )
    done = capsys.readouterr()
    for name in "left", "right":
        own = [line for line in done.out.splitlines() if name in line]
        assert own == [f"[{name}] {x}" for x in ("one line", "c", "no end")]
    assert done.err.splitlines() == [
        f"[{name}] {x}" for name in ("left", "right") for x in "ab"
    ]


def test_what_fails_in_one_of_several_is_told_with_its_name(tmp_path, capsys):
    files = {
        "first": controller(tmp_path, "x = 1 / 0", "left.py"),
        "second": controller(tmp_path, IDLE, "right.py"),
    }
    with pytest.raises(ControllerError, match=r"left\.py of first failed"):
        run_with_controllers(scenario("TwoArms"), files)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "[left] Traceback (most recent call last):"
    assert lines[-1] == "[left] ZeroDivisionError: division by zero"


def test_a_subclass_may_clean_up_as_webots_robot_does(tmp_path, capsys):
    file = controller(
        tmp_path,
        """
        from controller import Robot
        class Mine(Robot):
            def __del__(self):
                super().__del__()
                print("gone")
        robot = Mine()
        robot.step(8)
        robot.__del__()
        """,
    )
    run_with_controllers(scenario(), {"arm": file})
    gc.collect()  # not in a later test's output
    assert capsys.readouterr().out.startswith("gone")


def test_a_robot_without_devices_steps(tmp_path, capsys):
    # Webots runs any Robot's controller; a driver with nothing else is enough.
    file = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        print(robot.getNumberOfDevices())
        while robot.step(8) != -1:
            last = robot.getTime()
        print(last)
        """,
    )
    whole = f"""
        Idle:
          simulation_duration: 0.08
          plant_config: {{time_step: 0.008}}
          directives:
          - add_model:
              name: crate
              file: package://webmotor_models/crate.urdf
          model_drivers:
            crate: !WebotsMotorDriver {{controller: {file}}}
        """
    world = tmp_path / "idle.scenario.yaml"
    world.write_text(whole)
    run_with_controllers(load_scenario(world))
    assert capsys.readouterr().out.splitlines() == ["0", "0.08"]
