"""The site's pages name all that is there."""

import re
import runpy

import pytest
from folders import ROOT

import webmotor_drake as wm
from webmotor_drake.data import scenario_names
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.motor_models import MODELS

DOCS = ROOT / "docs"


def test_the_gallery_shows_every_scenario_as_its_file_says():
    gallery = runpy.run_path(str(DOCS / "make_gallery.py"))
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    sections = [gallery["section"](name) for name in scenario_names()]
    sections += map(gallery["world_section"], gallery["world_names"]())
    for section in sections:
        assert section in page, "run docs/make_gallery.py"
        (picture,) = re.findall(r"\]\((gallery/.*?)\)", section)
        assert (DOCS / picture).is_file()


def test_the_page_of_nodes_says_what_is_declared():
    made = runpy.run_path(str(DOCS / "make_nodes.py"))
    page = (DOCS / "nodes.md").read_text(encoding="utf-8")
    assert page == made["page"](), "run docs/make_nodes.py"


def test_the_page_of_devices_names_each():
    page = (DOCS / "devices.md").read_text(encoding="utf-8")
    assert [d for d in DEVICES if not re.search(rf"\b{d}\b", page)] == []


def test_the_page_of_motor_models_names_each():
    page = (DOCS / "motor_models.md").read_text(encoding="utf-8")
    missing = [m for m in MODELS if not re.search(rf"\b{m}`", page)]
    assert missing == []


def test_pages_show_the_code_of_examples_as_it_is():
    made = runpy.run_path(str(DOCS / "make_examples.py"))
    shown = 0
    for file in DOCS.glob("*.md"):
        page = file.read_text(encoding="utf-8")
        assert page == made["filled"](page), "run docs/make_examples.py"
        shown += page.count('title="examples/')
    assert shown >= 7


def test_the_reference_has_every_public_name():
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    there = {
        line.rpartition(".")[2]
        for line in re.findall(r"^::: (.+)$", page, re.M)
    }
    others = {"MODELS", "SCENARIOS", "__version__", "nodes"}
    assert there == set(wm.__all__) - others
    for line in re.findall(r"^::: webmotor_drake\.(.+)\.(\w+)$", page, re.M):
        assert wm._NAMES.homes[line[1]] == f"webmotor_drake.{line[0]}"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_modules_that_a_page_names_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+)((?:\.\w+)?)`", text)
    gone = [
        name + ending
        for name, ending in named
        if not any(
            (folder / f"{name}{suffix}").exists()
            for folder in (ROOT, ROOT / "webmotor_drake")
            for suffix in ("", ".py", ending)
        )
    ]
    assert gone == []
    assert len(named) > 10


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in DOCS.glob("*.md"):
        assert re.search(rf"\b{page.name}$", menu, re.M), page.name
