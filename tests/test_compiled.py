"""Functions run the same compiled and not, and are compiled once."""

import os
import subprocess
import sys

import pytest

from webmotor_drake.compiled import ACTIVE, numba, telling
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
                *("--scenario_text", "{simulation_duration: 0.1}"),
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
