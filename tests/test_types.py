"""The public names have the types that tools show to users."""

import ast
import dataclasses as dc
import inspect
import json
import os
import re
import subprocess
import sys

import pytest
from folders import ROOT

import webmotor_drake as wm
import webmotor_drake.gym
import webmotor_drake.robot
from webmotor_drake.controllers.devices.device import DEVICE_CLASSES, Sensor

# A user's script; the line that ends with "planted" is wrong, all else right.
PROGRAM = """
from pathlib import Path

from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

import webmotor_drake as wm
from webmotor_drake import InputError, RobotSession, compare
from webmotor_drake.robot import Motor, Robot

scenario: wm.Scenario = wm.load_scenario(wm.SCENARIOS / "six_axis.scenario.yaml")
scenario.model_drivers["arm"].commands.clear()
results: wm.Results = wm.run(scenario)
print(results["arm/joint1 motor/position"].max(), wm.__version__)
comparison = compare(scenario, models=["webots", "drake_pd"])
print(comparison.table(), comparison.totals["webots"]["rise_time"])
driver = wm.WebotsMotorDriver(
    motors={"m": wm.RotationalMotor("hinge", max_torque=20.0)},
    position_sensors={"s": wm.PositionSensor("hinge")},
    brakes={"b": wm.Brake("hinge")},
    commands=[wm.TimedCommand(0.0, "m", set_position=1.0)],
)
own = {"m": wm.RotationalMotor("hinge")}
driver.motors = own
with RobotSession(scenario) as session:
    robot: Robot = session.robot("arm")
    robot.getDevice("joint1 motor").setPosition(1)
    motor: Motor = robot.getDevice("joint1 motor")
    motor.setPosition(1.0)
    robot.getDevice("joint1 motor", Motor).setPosition(1.0)
    sensor = robot.getDevice("joint1 sensor")
    sensor.enable(32)
    while robot.step(32) != -1:
        print(sensor.getValue())
results.plot().savefig("run.png")
for run in wm.run_study(scenario, wm.Study(), "out"):
    print(run["status"])
builder = DiagramBuilder()
plant, _ = AddMultibodyPlantSceneGraph(builder, 0.008)
motors = wm.ApplyDriverConfig(driver, "arm", plant, builder=builder)
print(motors.drive.upper())
try:
    wm.run("six_axis.scenario.yaml")
except InputError as error:
    print(error.where, Path(wm.MODELS).name)
except wm.RunInterrupted as interrupt:
    print(interrupt.results.time[-1])
wm.run(scenario, realtime="1")  # planted
"""


@pytest.mark.parametrize(
    "package", [wm, webmotor_drake.robot, webmotor_drake.gym]
)
def test_every_name_of_the_stub_is_there(package):
    assert len(package.__all__) > 5
    assert all(hasattr(package, name) for name in package.__all__)
    assert set(dir(package)) == set(package.__all__)
    missing = f"module '{package.__name__}' has no attribute 'none'"
    with pytest.raises(AttributeError, match=missing):
        _ = package.none


def test_controllers_can_import_the_class_of_each_device():
    classes = {kind.__name__ for kind in DEVICE_CLASSES.values()}
    assert classes <= set(webmotor_drake.robot.__all__)
    assert len(classes) > 20


def closed_forms():
    """Returns the tests that are marked `closed_form`, by the types in the marks."""
    found = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text()
        for test in ast.parse(text).body if "closed_form(" in text else ():
            for mark in getattr(test, "decorator_list", ()):
                if ast.unparse(mark).startswith("pytest.mark.closed_form("):
                    for name in mark.args:
                        place = file.relative_to(ROOT)
                        found[name.value] = f"{place}::{test.name}"
    return found


def test_each_device_that_measures_is_held_against_a_closed_form():
    measuring = {
        k.__name__ for k in DEVICE_CLASSES.values() if issubclass(k, Sensor)
    }
    missing = measuring - closed_forms().keys()
    assert not missing, f"no test is marked closed_form for {sorted(missing)}"
    assert len(measuring) > 12


@pytest.mark.slow  # they run once more, in a process where sensors are off
def test_closed_forms_notice_what_is_wrong():
    tests = sorted(set(closed_forms().values()))
    # With those of CI it would write over the record of this run.
    env = {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", "0"),
            *("-p", "wrong_measurements", *tests),
        ],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    told = re.findall(r"^FAILED (\S+)", done.stdout, re.M)
    passed = set(tests) - {test.partition("[")[0] for test in told}
    assert not passed, f"they pass with wrong measurements: {sorted(passed)}"


def test_all_public_names_document_themselves():
    for name in sorted(
        set(wm.__all__) - {"MODELS", "SCENARIOS", "__version__"}
    ):
        assert (getattr(wm, name).__doc__ or "").strip(), name


@pytest.mark.parametrize(
    "name",
    sorted(n for n in wm.__all__ if dc.is_dataclass(getattr(wm, n))),
)
def test_help_says_what_each_field_is_and_in_which_unit(name):
    kind = getattr(wm, name)
    documented = inspect.getdoc(kind).partition("Attributes:")[2]
    for field in dc.fields(kind):
        about = re.search(rf"\n    {field.name}: (.+(\n     .+)*)", documented)
        assert about, f"{name}.{field.name}"
        if field.type in (float, "float") and field.name != "multiplier":
            unit = (
                r"\b(rad|m|s|N|J|W|A|1|GB|GHz|dBi|dBm)\b|°C|soft limit|the same|"
                "upper stop"
            )
            assert re.search(unit, about[1]), f"{name}.{field.name}: {about[1]}"


@pytest.mark.slow  # a type checker reads all of Drake's stubs: some 10 s
def test_a_type_checker_sees_a_users_mistake_and_nothing_else(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    settings = {"extraPaths": [str(ROOT)], "include": ["program.py"]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    pytest.importorskip("pyright")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pyright", "--outputjson"),
            *("--pythonpath", sys.executable),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    lines = PROGRAM.splitlines()
    told = [lines[e["range"]["start"]["line"]] for e in found]
    assert told == ['wm.run(scenario, realtime="1")  # planted'], found


@pytest.mark.slow  # as above
def test_mypy_sees_the_same(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    # Drake's stubs, which the other one has read, and the sources of extras take two
    # thirds of the time.
    others = (
        "dask distributed gymnasium IPython jinja2 matplotlib mujoco numpy pandas"
        " PIL scipy websockets xarray"
    ).split()
    unread = ",".join(f"{name}.*" for name in others)
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\ncache_dir = /dev/null\n[mypy-pydrake.*]\n"
        "follow_imports = skip\nfollow_imports_for_stubs = True\n"
        f"[mypy-{unread}]\nfollow_imports = skip\n"
    )
    done = subprocess.run(
        [*(sys.executable, "-m", "mypy"), "program.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    lines = PROGRAM.splitlines()
    found = re.findall(r"^program\.py:(\d+): error", done.stdout, re.M)
    told = [lines[int(number) - 1] for number in found]
    assert told == ['wm.run(scenario, realtime="1")  # planted'], done.stdout
