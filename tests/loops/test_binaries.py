"""Binaries of the loops: never those of another text, and a package without them."""

import importlib.util
import os
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest
from folders import ROOT

from webmotor_drake.loops import UNCOMPILED, binaries, record

ASKED = "from webmotor_drake.loops import COMPILED, law_rows; print(COMPILED)"


def loaded(file):
    """Returns a file of Python as a module of its own."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path):
    """The module of a copy of the loops, which was not compiled."""
    folder = tmp_path / "webmotor_drake/loops"
    ignored = shutil.ignore_patterns("compiled", "__pycache__")
    shutil.copytree(binaries.HERE, folder, ignore=ignored)
    return loaded(folder / "binaries.py")


def pretend_compiled(copy):
    """Has the copy's binaries be there, empty."""
    copy.folder().mkdir(parents=True)
    for name in (*copy.modules(), copy._SHARED):
        (copy.folder() / f"{name}{copy.SUFFIX}").touch()


@pytest.mark.parametrize("name", ["rays.py", "rays.pxd", "binaries.py"])
def test_an_edit_leaves_binaries_behind_until_it_is_taken_back(copy, name):
    assert copy.found() is None
    pretend_compiled(copy)
    there = copy.found()
    assert there == copy.folder() is not None
    file = copy.HERE / name
    text = file.read_text()
    file.write_text(text + "\n")
    assert copy.found() is None
    file.write_text(text)
    assert copy.found() == there


def test_binaries_are_taken_all_or_none(copy):
    pretend_compiled(copy)
    next(copy.folder().iterdir()).unlink()
    assert copy.found() is None


def test_binaries_of_another_python_or_processor_are_not_found(copy):
    pretend_compiled(copy)
    copy.SUFFIX = ".cpython-399-riscv64-linux-gnu.so"
    assert copy.found() is None


def test_a_variable_has_the_text_run():
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        env={**os.environ, UNCOMPILED: "1"},
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def hooked(binaries, version: str) -> tuple[dict, list[str]]:
    """Returns what the hook tells hatchling of a build, and its warnings."""
    module = loaded(ROOT / "hatch_build.py")
    module._binaries = lambda: binaries
    told: list[str] = []
    hook = types.SimpleNamespace(
        target_name="wheel",
        app=types.SimpleNamespace(display_warning=told.append),
    )
    data: dict = {"force_include": {}}
    module.CompiledLoops.initialize(hook, version, data)
    return data, told


def test_a_compiler_that_fails_leaves_a_wheel_of_python_alone(monkeypatch):
    def fail():
        raise RuntimeError("first line\ncommand 'cc' failed: No such file")

    monkeypatch.setattr(binaries, "compile_loops", fail)
    data, told = hooked(binaries, "standard")
    assert data == {"force_include": {}}
    assert told == [
        "motors are not compiled: command 'cc' failed: No such file"
    ]


def test_a_wheel_holds_the_binaries_and_an_editable_one_finds_them(monkeypatch):
    copied = types.SimpleNamespace(
        compile_loops=lambda: ROOT / "webmotor_drake/loops", SUFFIX="rays.pxd"
    )
    data, told = hooked(copied, "standard")
    inside = {
        str(ROOT / f"{path}"): path
        for path in ["webmotor_drake/loops/rays.pxd"]
    }
    assert data == {
        "force_include": inside,
        "pure_python": False,
        "infer_tag": True,
    }
    assert hooked(copied, "editable")[0]["force_include"] == {}
    assert told == []


@pytest.mark.slow
def test_a_broken_compiler_is_told_and_leaves_nothing(copy, monkeypatch):
    pytest.importorskip("Cython")
    monkeypatch.setenv("CC", "/bin/false")
    monkeypatch.setattr(copy, "modules", lambda: ["usual_commands"])
    with pytest.raises(BaseException, match="/bin/false"):
        copy.compile_loops()
    assert not copy.folder().exists()


def test_a_record_has_the_fields_of_its_text_as_c_lays_them_out():
    law = record("Law")
    assert law.names[:4] == ("place", "kp", "kd", "explicit")
    assert law.fields["explicit"] == (
        np.dtype(bool),
        24,
    )  # three of 8 bytes before
    assert record("Member") == np.dtype([("joint", int), ("row", int)])
