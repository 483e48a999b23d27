"""Everything that the README shows is true."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from drawn import draws
from folders import ROOT
from shown import blocks, commands

from webmotor_drake.cli.main import main
from webmotor_drake.loading import load_scenario

README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(c, marks=[pytest.mark.slow] if " compare " in c else [])
        for c in commands(README)
    ],
)
def test_commands_run(command, at_root):
    assert main(shlex.split(command)[1:]) == 0


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(c, marks=[pytest.mark.slow] if "make_vec" in c else [])
        for c in blocks(README, "python")
    ],
    ids=lambda code: code.splitlines()[-1][:40],
)
def test_each_python_snippet_runs_as_pasted(code, at_root):
    # What learns does the same in each of its ten generations, and 250 steps.
    code = code.replace("range(10)", f"range({draws(2, 10)})")
    code = code.replace("range(250)", f"range({draws(50, 250)})")
    exec(compile(code, "README.md", "exec"), {})


def test_the_first_diagram_lifts_its_mast(at_root):
    shown = {}
    (code,) = (c for c in blocks(README, "python") if "lift.urdf" in c)
    exec(compile(code, "README.md", "exec"), shown)
    plant, simulator = shown["plant"], shown["simulator"]
    context = plant.GetMyContextFromRoot(simulator.get_context())
    # After 2.5 s exp(-25) of the way is left; the servo's softness is 1e-5.
    assert plant.GetPositions(context) == pytest.approx([0.4], abs=1e-4)


def test_the_session_goes_where_the_program_says(at_root):
    shown = {}
    (code,) = (c for c in blocks(README, "python") if "RobotSession" in c)
    exec(compile(code, "README.md", "exec"), shown)
    end = shown["results"]["arm/hinge motor/position"][-1]
    assert end == pytest.approx(0.5, abs=1e-3)  # the servo's softness


def test_the_scenario_that_is_shown_is_the_file_that_is_run():
    (text,) = (b for b in blocks(README, "yaml") if b.startswith("Lift:"))
    file = (ROOT / "scenarios/pendulum.scenario.yaml").read_text()
    assert text.strip() in file


@pytest.mark.parametrize("text", blocks(README, "yaml"))
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
    shown = blocks(README, "text")[0].splitlines()
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
    message = blocks(README, "text")[1].strip()
    text = blocks(README, "yaml")[0].replace("hinge motor", "elbow")
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


def test_the_readme_is_short():
    assert len(README.split()) <= 800


def test_its_links_lead_somewhere():
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / link).is_file(), link


def test_ci_runs_the_two_commands_that_are_shown():
    """It takes them out of the page: what it runs and what is shown are one text."""
    ci = (ROOT / ".ci/run").read_text()
    taken = re.search(r"< <\((sed -n .*) README.md\)", ci)[1]
    shown = subprocess.run(
        ["bash", "-c", f"{taken} {ROOT / 'README.md'}"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.splitlines()
    assert shown == [
        line
        for block in blocks(README, "sh")
        for line in block.splitlines()
        if line.startswith("python3 -m venv")
    ]
    assert len(shown) == 2
    for number in range(2):
        assert f'bash -c "${{commands[{number}]}}"' in ci
