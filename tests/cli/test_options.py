"""Commands and options of options.toml: each is carried out, and on a page."""

import importlib.util
import re

import pytest
from folders import ROOT

from webmotor_drake.cli.main import _parser
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
