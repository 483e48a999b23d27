"""A small sample of the hostile files of benchmarks/fuzz_strangers.py."""

import os
import subprocess
import sys

import fuzz_strangers
import pytest
from drawn import FULL, draws
from folders import ROOT

CLASSES = len(fuzz_strangers.CLASSES)
PROGRAM = """
import sys
from pathlib import Path
from fuzz_strangers import fuzz
calls, folder, kind = sys.argv[1:]
found, fell = fuzz(int(calls), 1, Path(folder), kind)
print(*(f"{kind}={counts.total()}" for kind, counts in found.items()))
sys.exit("\\n".join(fell) or None)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", fuzz_strangers.CLASSES if FULL else [""])
def test_hostile_files_are_read_or_refused_within_their_budget(tmp_path, kind):
    # A process of its own: where something was drawn, a fork waits for ever for the
    # threads that draw.
    calls = str(draws(3 * CLASSES, 700))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, calls, tmp_path, kind],
        cwd=ROOT / "benchmarks",
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tried = {f"{name}=3" for name in fuzz_strangers.CLASSES}
    assert set(done.stdout.split()) == ({f"{kind}=700"} if kind else tried)
