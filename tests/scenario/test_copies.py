"""The folder of copies goes with its process, also with one that was killed."""

import os
import subprocess
import sys
import tempfile

import pytest

from webmotor_drake.scenario import copies

HOLD = """
import sys, time
from webmotor_drake.scenario.copies import copies_folder
print(copies_folder(), flush=True)
sys.stdin.read()
"""


def test_what_killed_processes_left_goes_a_day_later(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(copies.atexit, "register", lambda *_: None)
    old, held, young, link = (
        tmp_path / f"webmotor_copies_{name}" for name in "abcd"
    )
    other = tmp_path / "webmotor_other"
    for folder in (old, held, young, other):
        (folder / "models").mkdir(parents=True)
    link.symlink_to(other)
    for folder in (old, held, other):
        os.utime(folder, (0, 0))
    lock = copies._lock_of(held)
    mine = copies.copies_folder.__wrapped__()
    os.close(lock)
    assert {*tmp_path.iterdir()} == {mine, held, young, other, link}
    with pytest.raises(OSError, match="unavailable"):
        copies._lock_of(mine)


@pytest.mark.slow
def test_a_process_that_runs_keeps_its_folder_and_a_killed_one_does_not(
    tmp_path,
):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        folder = process.stdout.readline().strip()
        with pytest.raises(OSError, match="unavailable"):
            copies._lock_of(folder)
        process.kill()
        process.wait()
    os.close(copies._lock_of(folder))
