"""A small sample of the random controllers of benchmarks/fuzz_controllers.py."""

import subprocess
import sys

import pytest
from drawn import draws
from folders import ROOT


@pytest.mark.slow
def test_random_controllers_cost_no_results():
    # In a process of its own: who clears sys.modules has C modules start anew.
    done = subprocess.run(
        [
            *(sys.executable, "benchmarks/fuzz_controllers.py"),
            *("--calls", str(draws(25, 1000)), "--seed", "1"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, done.stdout + done.stderr
