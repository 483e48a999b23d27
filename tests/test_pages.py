"""The site's pages are true, and arrive in the site as they were meant."""

import csv
import dataclasses as dc
import fcntl
import html
import importlib.util
import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from drawn import FULL, draws
from folders import ROOT
from ode_here import has_ode
from shown import blocks, commands

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.loading import load_scenario
from webmotor_drake.motor.driver_config import DRIVES
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

DOCS = ROOT / "docs"
PAGES = {page.stem: page.read_text() for page in sorted(DOCS.glob("*.md"))}
# Pages of which every command and program is run; a fragment is fenced as `py`.
# `view` and `sweep` have tests of their own, in tests/view and tests/sweep.
RUN = ("compare", "scenario", "start_drake")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(c, marks=[pytest.mark.slow] if " compare " in c else [])
        for name in RUN
        for c in commands(PAGES[name])
    ],
)
def test_commands_run(command, at_root):
    assert main(shlex.split(command)[1:]) == 0


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(c, marks=[pytest.mark.slow] if "compare(" in c else [])
        for name in RUN
        for c in blocks(PAGES[name], "python")
    ],
    ids=lambda code: code.splitlines()[-1][:40],
)
def test_each_python_snippet_runs_as_pasted(code, at_root):
    exec(compile(code, "page.md", "exec"), {})


@pytest.mark.parametrize("text", blocks(PAGES["scenario"], "yaml"))
def test_scenarios_load(text, tmp_path):
    file = tmp_path / "page.scenario.yaml"
    file.write_text(text)
    load_scenario(file)


def test_hardware_sims_lines_work_in_its_program(at_root):
    # The comments, without their signs, in a function with what it has there.
    (code,) = (
        c for c in blocks(PAGES["hardware_sim"], "python") if "#     ..." in c
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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", "vertical_lift"])
def test_the_comparison_comes_out_as_shown(name):
    head, *rows = re.findall(
        r"^\| (?:scenario|\w+) \|.*\|$", PAGES["compare"], re.M
    )
    models = cells(head)[1:]
    shown = next(cells(row)[1:] for row in rows if cells(row)[0] == name)
    pairs = dict(zip(models, map(float, shown), strict=True))
    if not has_ode():
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


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_every_field_is_in_the_table():
    nodes = RotationalMotor, LinearMotor, JointParameters
    fields = {field.name for node in nodes for field in dc.fields(node)}
    fields |= {field.name for field in dc.fields(WebotsMotorDriver)}
    elsewhere = {"motors", "commands", "controller", "controller_args"}
    missing = {
        field for field in fields - elsewhere if field not in PAGES["fields"]
    }
    assert not missing


def test_every_drive_is_named():
    assert all(
        f"`{drive}`" in PAGES["drives"] or f"drive: {drive}" in PAGES["fields"]
        for drive in DRIVES
    )


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory):
    """The folder of the built site; workers share one."""
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("mkdocs is in the extra docs")
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    out = folder / "site"
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "index.html").exists():
            build_site(out)
    return out


def build_site(out):
    """Builds the site in a folder; fails as mkdocs does."""
    # Not with -q: what it hides is not counted.
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", out],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def site(site_folder):
    """The built site: the HTML of each page by its name."""
    out = site_folder
    pages = {"index": out / "index.html"}
    pages |= {file.parent.name: file for file in out.glob("*/index.html")}
    return {name: file.read_text() for name, file in pages.items()}


def text_of(page: str) -> str:
    """Returns what a page shows of its HTML, white space folded."""
    shown = page.partition("<article")[2].partition("</article>")[0]
    shown = re.sub(
        r"<math.*?</math>|<script.*?</script>", "", shown, flags=re.S
    )
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", shown)).split())


@pytest.mark.slow
def test_the_site_shows_no_mark_that_was_meant_to_become_something(site):
    assert set(PAGES) <= set(site)
    for name, page in site.items():
        shown = text_of(page)
        for mark in ("--8", "8<", ".. pydrake_system", "\\(", "\\frac", "$$"):
            assert mark not in shown, name
        assert "::</p>" not in page, name  # an example in a docstring
        # A price would be one as well; there is none. $WEBOTS_HOME is a variable.
        formula = r"\$(?!WEBOTS_HOME\b)[^$({ ][^$]*\$"
        assert not re.search(formula, shown), name


@pytest.mark.slow
def test_the_site_publishes_no_programs_nor_what_python_compiles(site_folder):
    assert not [*site_folder.rglob("*.py*")]


@pytest.mark.slow
def test_the_site_shows_what_stands_for_a_name(site):
    # Browsers took them for elements.
    for page in "reference", "gym", "nodes", "mechanisms":
        written = set(re.findall(r"<(?:name|model|motor|body)>", site[page]))
        assert not written, page
    assert "<model>/<motor>" in text_of(site["reference"])
    assert '"<name>_1" and "<name>_2"' in text_of(site["nodes"])


@pytest.mark.slow
def test_the_site_has_the_code_of_every_example(site):
    everything = " ".join(map(text_of, site.values()))
    for example in sorted((ROOT / "examples").glob("*.py")):
        code = example.read_text().split('"""\n', 1)[1]
        assert " ".join(code.split()) in everything, example.name


@pytest.mark.slow
def test_search_finds_the_field_before_the_code_that_sets_it(site_folder):
    index = json.loads((site_folder / "search/search_index.json").read_text())[
        "docs"
    ]
    texts = {entry["location"]: entry["text"] for entry in index}
    assert any(
        "max_torque" in texts[place] for place in texts if "fields" in place
    )
    # Lines of commands, of which each page has some, are in none.
    assert not [
        p for p in texts if "webmotor run package:six_axis --v" in texts[p]
    ]


@pytest.mark.slow
def test_the_front_page_has_the_film_the_ways_in_and_the_switch(site):
    front = site["index"]
    for part in (
        'src="arm.webm"',
        "start_drake/",
        "start_webots/",
        "tutorial/",
    ):
        assert part in front
    assert front.count("data-md-color-scheme=") >= 2  # light and dark
    named = re.findall(r'<h[2-6] id="([^"]*)"', site["reference"])
    assert len(named) > 100
    assert not [name for name in named if "__" in name]


@pytest.mark.slow
def test_each_picture_of_the_gallery_plays_its_page(site, monkeypatch):
    hooks = runpy.run_path(str(DOCS / "site_hooks.py"))
    monkeypatch.setattr(Path, "is_file", lambda file: True)  # as if made
    page = hooks["on_page_content"](site["gallery"])
    played = re.findall(r'data-page="(\w+)\.html"', page)
    assert {*played} == {p.stem for p in (DOCS / "gallery").glob("*.webp")}


@pytest.mark.slow
def test_the_site_draws_its_formulas_without_fetching_anything(site):
    assert site["metrics"].count("<math") > 20
    for name, page in site.items():
        fetched = re.findall(r'(?:src|href)="(https?://[^"]+)', page)
        assert not [f for f in fetched if re.search(r"\.(js|css|woff2?)", f)], (
            name
        )


@pytest.mark.slow
def test_the_tutorial_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = PAGES["tutorial"]
    for name, text in re.findall(
        r'```\w+ title="(.+?)"\n(.*?)```', page, re.DOTALL
    ):
        (tmp_path / name).write_text(text)
    for command in commands(page):
        # Of the sweep no number is shown: fewer runs. More processes do the same, as
        # tests of sweeps and fits see.
        command = command.replace("=1:10:10", f"=1:10:{draws(2, 10)}")
        many = " sweep " in command or " fit " in command
        command += " --jobs 1" if many and not FULL else ""
        assert main(shlex.split(command)[1:]) == 0, command
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    for line in "".join(blocks(page, "text")).splitlines():
        # Another processor may round the last digits another way.
        assert any(same(line.split(), there) for there in printed), line
    (code,) = blocks(page, "python")
    exec(compile(code, "tutorial.md", "exec"), {})
    assert float(capsys.readouterr().out) == pytest.approx(1.5, abs=1e-3)


def same(shown: list[str], printed: list[str]) -> bool:
    """Tells whether two lines agree but for rounding."""

    def agree(a: str, b: str) -> bool:
        try:
            return float(a) == pytest.approx(float(b), rel=1e-2)
        except ValueError:
            return a == b

    return len(shown) == len(printed) and all(map(agree, shown, printed))
