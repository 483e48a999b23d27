"""Everything that the README shows is true."""

import csv
import dataclasses as dc
import io
import re
import shlex
from pathlib import Path

import pytest
from folders import ROOT

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.motor.driver_config import DRIVES
from webmotor_drake.motor.nodes import (
    JointParameters,
    LinearMotor,
    RotationalMotor,
)
from webmotor_drake.scenario.load import load_scenario

README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("webmotor ")]


@pytest.fixture
def at_root(monkeypatch, tmp_path):
    """A folder to write to, where the README's paths lead into the project."""
    for name in ("models", "scenarios", "webmotor_drake"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        # A sweep starts processes.
        pytest.param(c, marks=[pytest.mark.slow] if " sweep " in c else [])
        for c in commands()
    ],
)
def test_commands_run(command, at_root):
    arguments = shlex.split(command)[1:]
    if "sweep" in arguments:  # the same, but 3 x 3 short runs
        study = Path(arguments[arguments.index("--study") + 1])
        text = study.read_text()
        assert text.count("number: 20") == 2
        Path("small.study.yaml").write_text(
            text.replace("number: 20", "number: 3")
        )
        arguments[arguments.index(str(study))] = "small.study.yaml"
        arguments += ["--scenario_text", "{simulation_duration: 0.05}"]
    assert main(arguments) == 0


@pytest.mark.parametrize(
    "code", blocks("python"), ids=lambda code: code.splitlines()[-1][:40]
)
def test_each_python_snippet_runs_as_pasted(code, at_root):
    exec(compile(code, "README.md", "exec"), {})


def test_the_first_diagram_lifts_its_mast(at_root):
    shown = {}
    (code,) = (c for c in blocks("python") if "lift.urdf" in c)
    exec(compile(code, "README.md", "exec"), shown)
    plant, simulator = shown["plant"], shown["simulator"]
    context = plant.GetMyContextFromRoot(simulator.get_context())
    # After 2.5 s exp(-25) of the way is left; the servo's softness is 1e-5.
    assert plant.GetPositions(context) == pytest.approx([0.4], abs=1e-4)


def test_hardware_sims_lines_work_in_its_program(at_root):
    # The comments, without their signs, in a function with what it has there.
    (code,) = (
        c for c in blocks("python") if "hardware_sim" in c or "sim_plant" in c
    )
    lines = code.split("#     ...\n")[1].replace("#     ", "").replace("# ", "")
    found = {}
    exec(
        "from pydrake.multibody.parsing import *\n"
        "from pydrake.multibody.plant import *\n"
        "from pydrake.systems.framework import DiagramBuilder\n"
        + code
        + "import webmotor_drake as wm\n"
        "scenario = wm.load_scenario(wm.SCENARIOS / 'rover.scenario.yaml',"
        " name='Drive')\n"
        "sim_plant, _ = AddMultibodyPlant(scenario.plant_config,"
        " DiagramBuilder())\n" + lines,
        found,
    )
    assert found["sim_plant"].is_finalized()
    assert found["sim_plant"].HasModelInstanceNamed("rover")


@pytest.mark.parametrize("text", blocks("yaml"))
def test_scenarios_load(text, tmp_path):
    file = tmp_path / "readme.scenario.yaml"
    file.write_text(text)
    load_scenario(file)


@pytest.mark.slow
def test_the_table_is_what_the_main_job_prints(at_root, capsys):
    scenario = "scenarios/six_axis.scenario.yaml"
    assert f"webmotor run {scenario} --plot" in README
    assert main(["run", scenario, "--plot"]) == 0
    assert {file.name for file in (at_root / "runs/SixAxis").iterdir()} == {
        "run.npz",
        "run.json",
        "run.png",
    }
    shown = blocks("text")[0].splitlines()
    printed = capsys.readouterr().out.splitlines()[: len(shown)]
    assert [words(line) for line in printed] == [words(line) for line in shown]
    for here, there in zip(printed, shown, strict=True):
        # Another processor or library may round another way.
        assert numbers(here) == pytest.approx(numbers(there), rel=1e-3)


def words(line: str) -> list[str]:
    return re.sub(r"-?\d[\d.e+-]*", "", line).split()


def numbers(line: str) -> list[float]:
    return [float(n) for n in re.findall(r"(?<!\S)-?\d[\d.e+-]*", line)]


def test_the_mistake_is_told_as_shown(at_root, capsys):
    message = blocks("text")[1].strip()
    text = blocks("yaml")[0].replace("hinge motor", "elbow")
    text = text.replace(
        "elbow: !RotationalMotor {joint: hinge, max_torque: 10}",
        "elbow: !RotationalMotor\n          max_torqe: 10",
    )
    lines = text.splitlines()
    place = next(i for i, line in enumerate(lines) if "max_torqe" in line)
    lines = ["#"] * (11 - place) + lines
    Path("arm.scenario.yaml").write_text("\n".join(lines))
    assert main(["run", "arm.scenario.yaml"]) == 2
    assert capsys.readouterr().err.strip() == message


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", "vertical_lift"])
def test_the_comparison_comes_out_as_shown(name):
    head, *rows = re.findall(
        r"^\| (?:scenario|\w+) \|.*\|$", section("Compare"), re.M
    )
    models = cells(head)[1:]
    shown = next(cells(row)[1:] for row in rows if cells(row)[0] == name)
    pairs = dict(zip(models, map(float, shown), strict=True))
    if not ode_is_here():
        del pairs["ode"]
    scenario = load_scenario(
        ROOT / f"scenarios/{name}.scenario.yaml",
        name="Lift" if name == "pendulum" else None,
        text="{simulation_duration: 3}",
    )
    found = csv.DictReader(
        io.StringIO(wm.compare(scenario, ["webots", *pairs]).csv())
    )
    for row in found:
        if row["model"] != "webots":
            # Two digits are shown; what is below 1e-8 is rounding.
            assert float(row["position_difference"]) == pytest.approx(
                pairs[row["model"]], rel=0.06, abs=1e-8
            )


def section(name: str) -> str:
    return README.split(f"## {name}\n")[1].split("\n## ")[0]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def ode_is_here() -> bool:
    try:
        import odepy  # noqa: F401
    except (ImportError, OSError):
        return False
    return True


def test_every_field_is_in_the_table():
    nodes = RotationalMotor, LinearMotor, JointParameters
    fields = {field.name for node in nodes for field in dc.fields(node)}
    fields |= {field.name for field in dc.fields(WebotsMotorDriver)}
    table = README.split("## Fields")[1].split("## ")[0]
    elsewhere = {"motors", "commands", "controller", "controller_args"}
    missing = {field for field in fields - elsewhere if field not in table}
    assert not missing


def test_every_drive_is_named():
    assert all(
        f"`{drive}`" in README or f"`drive: {drive}`" in README
        for drive in DRIVES
    )


def test_ci_installs_and_tests_as_the_readme_says():
    ci = (ROOT / ".ci/run").read_text()
    assert "'.[all,test]'" in ci.replace('"', "'")
    assert "-m pytest -q" in ci
