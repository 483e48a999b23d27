"""Functions run the same compiled and not, and are compiled once."""

import os
import subprocess
import sys

import pytest

from webmotor_drake.compiled import ACTIVE
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
        "webmotor: compiling the motors, this once; it takes some 5 s\n"
    )
    with start() as later:
        assert later.stderr.read() == ""
    assert later.returncode == 0


def test_numba_without_compiling_is_as_if_it_were_not_there():
    # As people have it who debug with NUMBA_DISABLE_JIT=1.
    pytest.importorskip("numba")
    code = (
        "from webmotor_drake.compiled import ACTIVE, compiled, is_ready\n"
        "function = compiled(lambda: 3)\n"
        "print(ACTIVE, is_ready(function), function())\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert (told.stdout, told.stderr) == ("False True 3\n", "")
