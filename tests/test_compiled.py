"""Functions run the same compiled and not, and are compiled once."""

import errno
import os
import subprocess
import sys
import warnings

import pytest

from webmotor_drake.compiled import (
    ACTIVE,
    _compile_timer,
    _warn_of_no_cache,
    clock,
    compiled,
    numba,
    telling,
)
from webmotor_drake.data import SCENARIOS


@pytest.mark.slow
@pytest.mark.skipif(not ACTIVE, reason="needs the extra fast")
def test_who_runs_first_is_told_of_compiling(tmp_path, motors_are_compiled):
    def start(**environment: str) -> subprocess.Popen:
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "webmotor_drake", "run"),
                SCENARIOS / "pendulum.scenario.yaml",
                *("--scenario_name", "Lift", "--out", tmp_path / "out"),
                *("--scenario_text", "{simulation_duration: 0.08}"),
            ],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    with start(NUMBA_CACHE_DIR=str(tmp_path / "cache")) as first:
        told = first.stderr.readline()
        first.kill()  # it is told before, and compiling takes long
    assert told == (
        "webmotor: compiling for runs such as this one, once; it takes some"
        " seconds\n"
    )
    with start() as later:
        assert later.stderr.read() == ""
    assert later.returncode == 0


@pytest.mark.skipif(not ACTIVE, reason="needs the extra fast")
def test_what_is_compiled_is_told_once_if_it_is_ours():
    def first():
        return 1

    def second():
        return 2

    def foreign():
        return 3

    first.__module__ = second.__module__ = "webmotor_drake.drive.elsewhere"
    told = []
    with telling(lambda: told.append(1)):
        numba.njit(foreign)()
        assert told == []
        ours = numba.njit(first)
        assert (ours(), ours(), numba.njit(second)()) == (1, 1, 2)
    assert told == [1]
    with telling(lambda: told.append(2)):
        ours()  # needs no compiling any more
    assert told == [1]


@pytest.mark.slow
def test_numba_without_compiling_is_as_if_it_were_not_there():
    # As people have it who debug with NUMBA_DISABLE_JIT=1.
    pytest.importorskip("numba")
    code = (
        "from webmotor_drake.compiled import ACTIVE, compiled, telling\n"
        "function = compiled(lambda: 3)\n"
        "with telling(lambda: print('told')):\n"
        "    print(ACTIVE, function())\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert (told.stdout, told.stderr) == ("False 3\n", "")


@pytest.mark.skipif(not ACTIVE, reason="needs the extra fast")
@pytest.mark.parametrize("disk", ["cannot be written", "is full"])
def test_without_a_folder_for_its_code_each_process_compiles(
    monkeypatch, tmp_path, disk
):
    """Containers with another user, read-only images: no home, no site-packages."""
    caching = pytest.importorskip("numba.core.caching")
    implementation = caching.CompileResultCacheImpl
    if disk == "is full":
        refuse = _raise(OSError(errno.ENOSPC, "No space left on device"))
        monkeypatch.setattr(caching.FunctionCache, "save_overload", refuse)
    else:
        monkeypatch.setattr(implementation, "_locator_classes", [])
    _warn_of_no_cache.cache_clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [compiled(lambda x: x + 1)(i) for i in range(3)] == [1, 2, 3]
        assert [compiled(lambda x: x + 2)(i) for i in range(3)] == [2, 3, 4]
    assert [str(w.message)[:30] for w in caught] == [
        "numba finds no writable folder"
    ]


def _raise(error: Exception):
    def function(*_):
        raise error

    return function


@pytest.mark.slow
@pytest.mark.skipif(not ACTIVE, reason="needs the extra fast")
@pytest.mark.parametrize(
    ("module", "run"),
    [
        ("simulation.run_notes", "wm.run(scenario)"),
        ("comparison.known_models", 'wm.compare(scenario, ["drake_pd"])'),
    ],
)
def test_numba_is_loaded_before_a_runs_clock_starts(
    module, run, motors_are_compiled
):
    program = f"""
import sys
import webmotor_drake as wm
import webmotor_drake.{module} as simulation

HEAVY = ("numba", "llvmlite", "scipy", "cffi")

def loaded():
    return {{name for name in sys.modules if name.split(".")[0] in HEAVY}}

at_start = []
clock = simulation.clock

def noting():
    at_start.append(loaded())
    return clock()

simulation.clock = noting
scenario = wm.load_scenario("package:six_axis")
{run}
print(sorted(loaded() - at_start[0]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


@pytest.mark.skipif(not ACTIVE, reason="needs the extra fast")
def test_the_clock_stands_still_while_numba_compiles(monkeypatch):
    from numba.core import event

    ticks = iter(range(100))
    monkeypatch.setattr("webmotor_drake.compiled.time.perf_counter", lambda: 0)
    before = clock()
    timer = _compile_timer()
    monkeypatch.setattr(event, "timer", lambda: next(ticks))
    event.broadcast(event.Event("numba:compile", event.EventStatus.START))
    event.broadcast(event.Event("numba:compile", event.EventStatus.END))
    assert timer.done
    assert before - clock() == pytest.approx(1)
