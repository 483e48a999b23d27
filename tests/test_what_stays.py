"""Results have the same bits everywhere, and no foreign code is run."""

import ast
import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from webmotor_drake import InputError, load_scenario
from webmotor_drake.cli.view_command import _model_scenario
from webmotor_drake.fitting.log_file import load_log
from webmotor_drake.results.motion_file import load_motion
from webmotor_drake.results.sound import load_clip
from webmotor_drake.sweep.run_table import load_rows
from webmotor_drake.sweep.study import load_study

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "webmotor_drake"

# What runs code that is data.
DANGEROUS = {"exec", "eval", "compile", "__import__", "os.system", "os.popen"}
LOOKED_AT = {"load", *(name.rpartition(".")[2] for name in DANGEROUS)}
# What runs code or programs that are data.
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "subprocess"}


@functools.cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Returns all syntax of files that have such a word, with where it stands."""
    words = re.compile(rf"\b({'|'.join(LOOKED_AT | MODULES)})\b")
    texts = {file: file.read_text() for file in sorted(PACKAGE.rglob("*.py"))}
    return [
        (str(file.relative_to(PACKAGE)), node)
        for file, text in texts.items()
        if words.search(text)  # parsing all of them would take seconds
        for node in ast.walk(ast.parse(text))
    ]


@functools.cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Returns what is called in the package: the file, the name, the call."""
    return [
        (where, ast.unparse(node.func), node)
        for where, node in nodes()
        if isinstance(node, ast.Call) and _last_name(node.func) in LOOKED_AT
    ]


def _last_name(function: ast.expr) -> str:
    return getattr(function, "attr", "") or getattr(function, "id", "")


def imports() -> Iterator[tuple[str, str]]:
    """Yields files of the package and the modules they import, by first names."""
    for where, node in nodes():
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield where, alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            yield where, (node.module or "").partition(".")[0]


@pytest.mark.slow
def test_the_only_code_that_is_run_is_a_controllers():
    assert {
        (where, name) for where, name, _ in calls() if name in DANGEROUS
    } == {
        ("controllers/in_process/controller_file.py", "compile"),
        ("controllers/in_process/controller_run.py", "exec"),
    }
    assert {(where, name) for where, name in imports() if name in MODULES} == {
        # A scenario or an experiment on its way from our process to our workers.
        ("sweep/study_run.py", "pickle"),
        ("sweep/job.py", "pickle"),
        ("fitting/runs.py", "pickle"),
        # Metrics of the caller's program, likewise.
        ("sweep/study_run.py", "cloudpickle"),
        # A controller that is a program.
        ("protocol/programs.py", "subprocess"),
        # A browser that draws films: pages of ours go in, pictures come back.
        ("view/browser_film.py", "subprocess"),
        # Templates' own process: requests of ours go in, only text comes back.
        ("worlds/template_process.py", "subprocess"),
        ("worlds/template_process.py", "marshal"),
        ("worlds/template_worker.py", "marshal"),
    }


@pytest.mark.parametrize(
    "read",
    [
        load_scenario,
        load_study,
        _model_scenario,
        load_clip,
        load_log,
        load_motion,
        load_rows,
    ],
)
def test_a_file_that_never_ends_is_not_waited_for(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match="a pipe or a device, not a file"):
            read(file)


@pytest.mark.slow
def test_pickles_are_refused_wherever_arrays_are_read():
    loads = [call for _, name, call in calls() if name == "np.load"]
    assert loads
    for load in loads:
        (allowed,) = [k for k in load.keywords if k.arg == "allow_pickle"]
        assert allowed.value.value is False


# Each in one process: an import of Drake takes longer than the runs.
RUNS = {"controller_waits": "ControllerWaits", "rover": "Drive"}
PROGRAM = """
import logging, sys
from webmotor_drake.cli.main import main

kind, folder, *runs = sys.argv[1:]
if kind == "other":
    logging.getLogger("drake").setLevel(logging.DEBUG)
for run in runs:
    file, name = run.split(":")
    options = [] if kind == "plain" else ["--quiet"]
    options += ["--scenario_text", "{simulation_duration: 0.5}"]
    options += ["--scenario_name", name, "--out", f"{folder}/{file}"]
    assert main(["run", f"package:{file}", *options]) == 0
"""


@pytest.mark.slow
def test_a_run_has_the_same_bits_in_any_process(tmp_path):
    # Hash seeds order sets, threads order sums, a log takes time.
    environments = {
        "plain": {"PYTHONHASHSEED": "0"},
        "other": {
            "PYTHONHASHSEED": "4711",
            "OMP_NUM_THREADS": "3",
            "OPENBLAS_NUM_THREADS": "3",
            "NUMBA_NUM_THREADS": "2",
        },
    }
    runs = [f"{file}:{name}" for file, name in RUNS.items()]
    for kind, environment in environments.items():
        subprocess.run(
            [sys.executable, "-c", PROGRAM, kind, tmp_path / kind, *runs],
            env={**os.environ, **environment},
            capture_output=True,
            check=True,
        )
    for file in RUNS:
        plain, other = (
            (tmp_path / kind / file / "run.npz").read_bytes()
            for kind in environments
        )
        assert plain == other
