"""Commands and options of options.toml: each is carried out, and on a page."""

import importlib.util
import re
from pathlib import Path

import pytest
from folders import ROOT

from webmotor_drake.cli.main import _parser, main
from webmotor_drake.cli.options import commands

CODE = "\n".join(
    file.read_text() for file in (ROOT / "webmotor_drake" / "cli").glob("*.py")
)
PAGES = "\n".join(
    file.read_text()
    for file in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
)


@pytest.mark.parametrize("command", commands())
def test_a_command_has_a_module_and_is_on_a_page(command):
    assert importlib.util.find_spec(f"webmotor_drake.cli.{command}_command")
    assert f"webmotor {command}" in PAGES


@pytest.mark.parametrize("command", commands())
def test_somebody_reads_each_option(command):
    [subparsers] = (a for a in _parser()._actions if a.choices)
    names = [a.dest for a in subparsers.choices[command]._actions]
    assert [
        name
        for name in names
        if name != "help" and not re.search(rf"\.{name}\b|\"{name}\"", CODE)
    ] == []


@pytest.mark.parametrize("text", ["[1, 2]", "{a: [", "3", ""])
def test_gains_that_are_no_mapping_are_refused(capsys, text):
    given = ["compare", "arm.scenario.yaml", "--gains"]
    with pytest.raises(SystemExit) as end:
        _parser().parse_args([*given, text])
    assert end.value.code == 2
    assert "--gains: " in capsys.readouterr().err
    gains = _parser().parse_args([*given, "{arm/motor: [1, 2]}"]).gains
    assert gains == {"arm/motor": [1, 2]}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["check", " "], "argument FILE: ' ' is no name of a file or folder"),
        (
            ["plot", ""],
            "argument RUN_FOLDER: '' is no name of a file or folder",
        ),
        (["run", "a", "--out", " "], "argument --out: ' ' is no name"),
        (["view", "a", "--port", "65536"], "65536: 0 to 65535 is needed"),
        (["run", "a", "--page", "--port", "-1"], "-1: 0 to 65535 is needed"),
        (["run", "a", "--extern_port", "x"], "x: 0 to 65535 is needed"),
        (["run", "a", "--realtime", "nan"], "nan: at least 0 is needed"),
    ],
)
def test_names_of_blanks_and_numbers_of_no_port_are_refused(
    capsys, given, told
):
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_missing_file_or_folder_names_its_nearest_neighbour(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("arm.scenario.yaml").touch()
    Path("arm.urdf").touch()
    Path("runs/Lift").mkdir(parents=True)
    for given, told in {
        "check arm.scenarios.yaml": "arm.scenarios.yaml: no such file; did you mean"
        " arm.scenario.yaml?",
        "check arm.scenario.yaml --overlay am.scenario.yaml": "am.scenario.yaml: no"
        " such file; did you mean arm.scenario.yaml?",
        "plot runs/Lft": "cannot read runs/Lft/run.npz: No such file or directory;"
        " did you mean Lift?",
        "plot runs/other": "cannot read runs/other/run.npz: No such file or"
        " directory",
        "view arn.urdf": "cannot read arn.urdf: No such file or directory; did you"
        " mean arm.urdf?",
        "check none/arm.yaml": "none/arm.yaml: no such file",
    }.items():
        assert main(given.split()) == 2
        assert capsys.readouterr().err == f"webmotor: {told}\n"
