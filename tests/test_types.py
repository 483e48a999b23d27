"""The public names have the types that tools show to users."""

import ast
import dataclasses as dc
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from folders import ROOT

import webmotor_drake as wm
import webmotor_drake.robot

# A user's script; the line that ends with "planted" is wrong, all else right.
PROGRAM = """
from pathlib import Path

import webmotor_drake as wm
from webmotor_drake import InputError, RobotSession, compare
from webmotor_drake.robot import Motor, Robot

scenario: wm.Scenario = wm.load_scenario(wm.SCENARIOS / "six_axis.scenario.yaml")
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
with RobotSession(scenario) as session:
    robot: Robot = session.robot("arm")
    motor = robot.getDevice("joint1 motor")
    assert isinstance(motor, Motor)
    motor.setPosition(1.0)
    while robot.step(32) != -1:
        pass
try:
    wm.run("six_axis.scenario.yaml")  # planted
except InputError as error:
    print(error.where, Path(wm.MODELS).name)
"""


@pytest.mark.parametrize("package", [wm, webmotor_drake.robot])
def test_the_stub_names_what_the_package_imports_lazily(package):
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text())
    there = {
        alias.asname: node.module.removeprefix("webmotor_drake.")
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module != "webmotor_drake"
        for alias in node.names
    }
    assert there == package._HOME
    assert all(hasattr(package, name) for name in package.__all__)
    assert set(dir(package)) == set(package.__all__)


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
            unit = r"\b(rad|m|s|N|J|W|1|GB)\b|soft limit|the same|upper stop"
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
    assert told == ['    wm.run("six_axis.scenario.yaml")  # planted'], found
