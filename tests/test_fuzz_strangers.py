"""A small sample of the hostile files of benchmarks/fuzz_strangers.py."""

import os
import re
import subprocess
import sys

import fuzz_strangers
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.parametrize("kind", fuzz_strangers.CLASSES)
def test_hostile_files_are_read_or_refused_within_their_budget(tmp_path, kind):
    # A process of its own: where something was drawn, a fork waits for ever for the
    # threads that draw.
    done = subprocess.run(
        [
            *(sys.executable, fuzz_strangers.__file__, "--seed=1"),
            *(f"--calls={draws(3, 700)}", f"--only={kind}"),
        ],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"(?m)^{kind} +{draws(3, 700)} .* 0$", done.stdout)
