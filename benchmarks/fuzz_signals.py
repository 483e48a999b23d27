"""Signals that hit the command line at random moments, once or again and again.

    python benchmarks/fuzz_signals.py [--calls N] [--seed S]

Whenever they come, the command ends soon, with the status of its end or of the signal,
without a traceback; what it has saved is whole, and no process of it is left. After
SIGKILL what is there is whole, and the same sweep goes on. Anything else is shown, and
the exit status is 1.
"""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from _lib.random_calls import show

from webmotor_drake.errors import InputError
from webmotor_drake.results.results import Results
from webmotor_drake.sweep.run_table import load_rows

# Nothing takes as long to end, s.
_SOON = 120
# Within this the first signal comes, s, and others after it.
_FIRST, _OTHERS = 6.0, 0.3
# What workers of a killed sweep may take to see it, s.
_ORPHANED = 20

_WEBMOTOR = (sys.executable, "-m", "webmotor_drake")
_GAIN = 'model_drivers.lift.motors."mast motor".control_pid[0]'
_SWEEP = (
    *("sweep", "package:vertical_lift", "--vary", f"{_GAIN}=1:20:40"),
    *("--jobs", "2", "--scenario_text", "{simulation_duration: 0.5}"),
)
_CONTROLLER = """
from controller import Robot
robot = Robot()
while robot.step(8) != -1:
    pass
"""


def commands(folder: Path) -> list[list[str]]:
    """Returns what is interrupted."""
    file = folder / "idle.py"
    file.write_text(_CONTROLLER)
    long = ["--scenario_text", "{simulation_duration: 60}"]
    lift = ["package:pendulum", "--scenario_name", "Lift"]
    return [
        ["run", *lift, *long],
        ["run", *lift, *long, "--html", str(folder / "page.html")],
        ["run", *lift, *long, "--controller", str(file)],
        ["compare", *lift, *long, "--models", "webots,drake_pd,ideal"],
        [*_SWEEP],
        [*_SWEEP, "--traces"],
    ]


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Interrupts commands.

    Args:
        number: how many.
        seed: of the commands, signals and moments.
        folder: where they save.

    Returns:
        How they ended, and what was wrong.
    """
    random = np.random.default_rng(seed)
    known = commands(folder)
    found: Counter[str] = Counter()
    wrong = []
    for i in range(number):
        command = known[random.integers(len(known))]
        out = folder / f"out {i}"
        first = random.uniform(0.2, _FIRST)
        signals = _signals(random)
        ended, problems = _interrupted(command, out, first, signals)
        problems += _odd_files(out)
        found[f"{command[0]} {ended}"] += 1
        names = "+".join(signal.Signals(s).name for s in signals)
        wrong += [
            f"{i} {command[0]}, {names} after {first:.2f} s: {problem}"
            for problem in problems
        ]
    return found, wrong


def _signals(random: np.random.Generator) -> list[int]:
    """Returns which signals come, one after the other."""
    known = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    if random.random() < 0.2:
        return [signal.SIGKILL]
    number = 1 if random.random() < 0.5 else int(random.integers(2, 6))
    return [int(known[i]) for i in random.integers(3, size=number)]


def _interrupted(
    command: list[str], out: Path, first: float, signals: list[int]
) -> tuple[str, list[str]]:
    """Interrupts a command; returns how it ended, and what is wrong with that."""
    # Its own group: so its processes are found when it is gone.
    process = subprocess.Popen(
        [*_WEBMOTOR, *command, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.default_int_handler
        ),
    )
    time.sleep(first)
    for number in signals:
        process.send_signal(number)
        if len(signals) > 1:
            time.sleep(_OTHERS)
    try:
        _, said = process.communicate(timeout=_SOON)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "hangs", [f"it hangs: {_SOON} s"]
    problems = [] if "Traceback" not in said else [said[-600:]]
    allowed = {0, *(128 + n for n in signals), *(-n for n in signals)}
    if process.returncode not in allowed:
        problems.append(f"status {process.returncode}: {said[-300:]}")
    left = _left(process.pid)
    if left:
        problems.append(f"processes left: {left}")
        os.killpg(process.pid, signal.SIGKILL)
    return f"{process.returncode}", problems


def _left(group: int) -> list[str]:
    """Returns the commands of a group that do not end (Linux)."""
    give_up = time.monotonic() + _ORPHANED
    while True:
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
                name = (stat.parent / "cmdline").read_bytes()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(name.replace(b"\0", b" ").decode()[:80])
        if not found or time.monotonic() > give_up:
            return found
        time.sleep(0.2)


def _odd_files(out: Path) -> list[str]:
    """Returns what is not whole of what was saved."""
    problems = []
    try:
        for file in out.rglob("run.json"):
            Results.load(file.parent)
        columns, rows = load_rows(out / "runs.csv")
        if columns:
            statuses = {row[columns.index("status")] for row in rows}
            problems += [f"a row is {s}" for s in statuses - {"done"}]
    except InputError as error:
        problems.append(str(error))
    return problems


if __name__ == "__main__":
    sys.exit(show(fuzz, __doc__))
