"""Docstrings are read once: entries begin with their noun, first lines say it."""

import ast
import re

import pytest
from folders import ROOT

PACKAGE = ROOT / "webmotor_drake"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
QUESTIONS = "what where which whose who how when whether why".split()
# Words that no entry begins with: what is it, that is "of the joint"?
UNBEGUN = [*QUESTIONS, "of"]
# An entry that only refers to another one.
REFERS = re.compile(r"the same([,.;]|$)|see |as (for|in|written)\b")
SECTION = re.compile(r"\s*(Args|Attributes):")
ENTRY = re.compile(r"    (?:    )?(\*{0,2}[a-z]\w*): (\S+)(.*)")


def docstrings(room):
    for file in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(
                node, (ast.Module, ast.ClassDef, ast.FunctionDef)
            ) and (text := ast.get_docstring(node)):
                yield file.relative_to(ROOT), text.splitlines()


def entries(lines):
    """Yields name, first word and rest of the entries under Args and Attributes."""
    inside = False
    for line in lines:
        if SECTION.fullmatch(line):
            inside = True
        elif line and not line.startswith("    "):
            inside = False
        elif inside and (found := ENTRY.fullmatch(line)):
            yield found.groups()


@pytest.mark.parametrize("room", ROOMS)
def test_an_entry_begins_with_its_noun_and_has_two_words_at_least(room):
    odd = [
        f"{file}: {name}: {first}{rest}"
        for file, lines in docstrings(room)
        for name, first, rest in entries(lines)
        if first.lower().strip(",.;:") in UNBEGUN
        or not rest.strip()
        or REFERS.match(f"{first}{rest}")
    ]
    assert odd == []


@pytest.mark.parametrize("room", ["motor", "nodes"])
def test_a_field_of_a_node_begins_with_its_noun(room):
    said = [
        call.args[1].value
        for file in sorted((PACKAGE / room).glob("*.py"))
        for call in ast.walk(ast.parse(file.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "field"
        if len(call.args) == 2 and isinstance(call.args[1], ast.Constant)
    ]
    assert len(said) > 20
    assert [t for t in said if re.split(r"\W", t.lower())[0] in QUESTIONS] == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_first_line_says_what(room):
    odd = [
        f"{file}: {first}"
        for file, (first, *_) in docstrings(room)
        if re.search(r"\bwhat\b", first, re.IGNORECASE)
    ]
    assert odd == []


def test_entries_are_found():
    """A check that sees nothing would say nothing."""
    found = [e for _, lines in docstrings("sweep") for e in entries(lines)]
    assert len(found) > 50
