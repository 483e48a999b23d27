"""Nearly right input: dashes, misspelt options, names without a prefix."""

import io
import os
import re
import subprocess
import sys
from importlib import metadata

import pytest
from folders import ROOT

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.cli.parser import _with_underscores

PENDULUM = ROOT / "scenarios" / "pendulum.scenario.yaml"
SHORT = "{simulation_duration: 0.08}"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Makes an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(arguments, capsys):
    """Returns what a wrong command line is told, its last line."""
    try:
        status = main(arguments)
    except SystemExit as ending:
        status = ending.code
    assert status == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_a_misspelt_command_gets_the_nearest(capsys):
    assert refused(["swep", "a.yaml"], capsys).endswith("did you mean sweep?")
    assert "did you mean" not in refused(["qqq"], capsys)


def test_version_tells_what_a_run_depends_on(capsys):
    with pytest.raises(SystemExit) as ending:
        main(["--version"])
    assert ending.value.code == 0
    line = capsys.readouterr().out
    assert line.startswith("webmotor 0.") and "(Drake 1." in line


def test_a_checkout_that_is_not_installed_has_no_version(monkeypatch, capsys):
    installed = metadata.version

    def version(name):
        if name == "webmotor-drake":
            raise metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(metadata, "version", version)
    assert wm.__version__ == "of a checkout that is not installed"
    with pytest.raises(SystemExit):
        main(["--version"])
    assert "webmotor of a checkout" in capsys.readouterr().out


def test_dashes_stand_for_underscores_in_names_of_options_only():
    given = ["run", "a-b", "--scenario-text", "{a-b: 1}", "--out=my-run", "--"]
    assert _with_underscores([*given, "--c-d"]) == [
        "run",
        "a-b",
        "--scenario_text",
        "{a-b: 1}",
        "--out=my-run",
        "--",
        "--c-d",
    ]
    # A value may look like an option itself.
    assert _with_underscores(["--a-b=--c-d"]) == ["--a_b=--c-d"]


def test_options_with_dashes_are_understood(capsys):
    arguments = ["--scenario-name", "Lift", f"--scenario-text={SHORT}"]
    assert main(["check", str(PENDULUM), *arguments]) == 0
    assert capsys.readouterr().out.startswith("0.08 s; plant")


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        (["run", "x.yaml", "--outt", "d"], "--out"),
        (["run", "x.yaml", "--scenarioname", "d"], "--scenario_name"),
        (["compare", "x.yaml", "--modles=webots"], "--models"),
        (["--verison", "check", "x.yaml"], "--version"),
    ],
)
def test_a_misspelt_option_is_told_with_the_nearest(arguments, nearest, capsys):
    assert refused(arguments, capsys).endswith(f"; did you mean {nearest}?")


@pytest.mark.parametrize(
    "option",
    [
        "--duration",
        "--simulation-duration=5",
        "--dration",
        "--simulaton_duration",
    ],
)
def test_an_option_named_after_a_field_is_told_how_to_set_it(option, capsys):
    told = "; --scenario_text '{simulation_duration: ...}' sets it"
    assert refused(["run", "x.yaml", option], capsys).endswith(told)


def test_an_option_like_no_other_is_told_without_a_guess(capsys):
    line = refused(["run", "x.yaml", "--zzz"], capsys)
    assert line.endswith("unrecognized arguments: --zzz")


def test_the_standard_input_is_a_scenario(monkeypatch, capsys):
    text = io.TextIOWrapper(io.BytesIO(PENDULUM.read_bytes()))
    monkeypatch.setattr(sys, "stdin", text)
    assert main(["check", "-", "--scenario_name", "Lift"]) == 0
    assert "arm: motor period" in capsys.readouterr().out


def test_errors_of_the_standard_input_have_their_line(monkeypatch, capsys):
    text = io.TextIOWrapper(io.BytesIO(b"A:\n  random_sed: 1\n"))
    monkeypatch.setattr(sys, "stdin", text)
    line = refused(["check", "-"], capsys)
    assert line.startswith("webmotor: <stdin>:2:3: A.random_sed: unknown")


@pytest.mark.parametrize("name", ["six_axis", "six_axs", "six_axis.yaml"])
def test_a_name_of_the_package_is_offered(name, capsys):
    line = refused(["check", name], capsys)
    assert line == (
        f"webmotor: {name}: no such file; did you mean package:six_axis?"
    )


def test_a_file_that_is_missing_is_no_name_of_the_package(capsys):
    assert refused(["check", "zzz.yaml"], capsys).endswith("no such file")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("webmotor co", "compare"),
        ("webmotor run --bes", "--beside"),
        ("webmotor view --ht", "--html"),
    ],
)
def test_a_shell_completes_commands_and_options(tmp_path, line, offered):
    pytest.importorskip("argcomplete")
    answer = tmp_path / "answer"
    shell = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    program = [sys.executable, "-m", "webmotor_drake"]
    subprocess.run(program, env={**os.environ, **shell}, check=True)
    assert offered in re.split(r"[\x0b\s]+", answer.read_text())


def test_what_overrides_does_not_begin_with_the_name_of_the_scenario(
    folder, capsys
):
    (folder / "over.yaml").write_text("Lift:\n  simulation_duration: 1\n")
    lift = ["check", str(PENDULUM), "--scenario_name", "Lift"]
    line = refused([*lift, "--overlay", "over.yaml"], capsys)
    assert line.startswith("webmotor: over.yaml:1:1: Lift: 'Lift' is the scen")
    text = "{Lift: {simulation_duration: 1}}"
    line = refused([*lift, "--scenario_text", text], capsys)
    assert "--scenario_text:1:2: Lift: 'Lift' is the scenario's name" in line
