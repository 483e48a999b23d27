"""Whether a sweep of thousands of runs keeps its pace, its memory and its rows.

    python benchmarks/sweep.py [--part pace|start|speed|kills] [--runs N] [--kills N]
        [--quick] [--out FILE]

Short runs of a lift in two processes: processor time per run and memory per worker,
from the first part to the last. Then the same study in one process and in two, with
runs of a second or more: how much faster two are, and how much faster two programs
are that share nothing but the machine. Then a study that is killed (SIGKILL)
again and again while it runs: which rows are lost, and which run twice. What a warm
worker needs to start a run is measured in this process.
"""

import csv
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from _lib import report
from _lib.report import Table

from webmotor_drake import MotorWarning, load_scenario
from webmotor_drake.scenario.parameter_path import parse_path
from webmotor_drake.sweep.one_run import prepared, varied_scenario
from webmotor_drake.sweep.study import Linear, Study
from webmotor_drake.sweep.study_run import StudyRun
from webmotor_drake.sweep.workers import LocalWorkers

RUNS, QUICK_RUNS = 10_000, 40
KILLS, QUICK_KILLS = 10, 1
# In so many pieces the pace is looked at.
PIECES = 10
PARTS = ("pace", "start", "speed", "kills")
GAIN = 'model_drivers.lift.motors."mast motor".control_pid[0]'
# s of simulated time, so that a run takes some 50 ms and a second.
SHORT, LONG, QUICK_LONG = 0.1, 240.0, 0.5
LONG_RUNS = 16
# A program that has nothing to do with sweeps: prints how long its run takes, s. It
# begins when it is told to.
PROGRAM = """
import sys, time, warnings
import webmotor_drake as wm
warnings.simplefilter("ignore", wm.MotorWarning)
load = lambda duration: wm.load_scenario(
    "package:vertical_lift", text=f"{{simulation_duration: {duration}}}")
wm.run(load(0.1))
scenario = load(DURATION)
print("ready", flush=True)
sys.stdin.readline()
began = time.perf_counter()
wm.run(scenario)
print(time.perf_counter() - began)
"""
# Those of the worst of the parts over the first, of one process over two, ms.
FLAT, FASTER, START = 1.1, 1 / 1.8, 50.0


def main() -> None:
    """Prints the tables."""
    parser = report.options(__doc__)
    parser.add_argument(
        "--runs", type=int, metavar="N", help="instead of 10000"
    )
    parser.add_argument("--kills", type=int, metavar="N", help="instead of 10")
    parser.add_argument("--part", choices=PARTS, help="that one alone")
    args = parser.parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    tables = measure(
        runs=args.runs or (QUICK_RUNS if args.quick else RUNS),
        kills=args.kills or (QUICK_KILLS if args.quick else KILLS),
        quick=args.quick,
        parts=[args.part] if args.part else PARTS,
    )
    report.show("sweep", tables, args)


def measure(
    *, runs: int, kills: int, quick: bool, parts: Sequence[str] = PARTS
) -> list[Table]:
    """Returns one table per part."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        duration, long_runs = (QUICK_LONG, 4) if quick else (LONG, LONG_RUNS)
        tables = {
            "pace": lambda: pace(runs, out / "pace"),
            "start": start,
            "speed": lambda: faster(out, duration, long_runs),
            "kills": lambda: killed(
                kills, out / "killed", runs=20 if quick else 200
            ),
        }
        return [tables[part]() for part in parts]


def pace(runs: int, out: Path) -> Table:
    """Returns processor time per run and memory per worker, part by part."""
    ready = study_run(out, runs, SHORT)
    workers, marks = LocalWorkers(2), []
    part = max(runs // PIECES, 1)

    def progress(_, outcome):
        count[0] += outcome is not None
        if count[0] % part == 0:
            marks.append((cpu_of_children(), time.perf_counter(), outcome))

    count = [0]
    try:
        ready.run(workers, progress)
    finally:
        workers.stop()
    with (out / "runs.csv").open() as file:
        complete = sum(row["status"] == "done" for row in csv.DictReader(file))
    cpu, wall = (
        [1e3 * (b[i] - a[i]) / part for a, b in itertools.pairwise(marks)]
        for i in (0, 1)
    )
    memory = [mark[2].memory / 2**20 for mark in marks[1:]]
    # The first part has the start of the processes.
    steady = cpu[1:] or cpu
    return Table(
        f"{runs:,} runs in two processes",
        ["value"],
        {
            "rows that are done, of all": [complete / runs],
            "CPU of a run, worst part / second": [max(steady) / steady[0]],
            "CPU of a run, last part / second": [steady[-1] / steady[0]],
            "memory of a worker, last part / second": [
                memory[-1] / memory[min(1, len(memory) - 1)]
            ],
            "CPU of a run, ms": [sum(cpu) / len(cpu)],
            "wall time of a run, ms": [sum(wall) / len(wall)],
            "memory of a worker at the end, MiB": [memory[-1]],
        },
        {
            "CPU of a run, last part / second": [FLAT],
            "memory of a worker, last part / second": [FLAT],
        },
    )


def start() -> Table:
    """Returns the processor time from values to a simulation that is ready."""
    table = Table("start of a run, CPU", ["ms"])
    for name, path in (
        ("vertical_lift", GAIN),
        ("six_axis", 'model_drivers.arm.motors."motor 3".control_pid[0]'),
        ("pan_tilt", "plant_config.time_step"),
    ):
        scenario = load_scenario(f"package:{name}")
        step = parse_path(path)
        prepared(*varied_scenario(scenario, {step: 0.004}))
        began, number = time.process_time(), 20
        for i in range(number):
            value = 0.001 * (i + 1)
            prepared(*varied_scenario(scenario, {step: value}))
        spent = 1e3 * (time.process_time() - began) / number
        table.rows[name], table.goals[name] = [spent], [START]
    return table


def faster(out: Path, duration: float, runs: int) -> Table:
    """Returns how many runs per second one and two processes do."""
    rates = []
    for number in (1, 2):
        ready = study_run(out / f"{number}", runs, duration)
        workers, first = LocalWorkers(number), []

        def progress(_, outcome, first=first):
            if outcome is not None:
                first.append(time.perf_counter())

        try:
            ready.run(workers, progress)
        finally:
            workers.stop()
        # Without the first run of each process, which has its start.
        rates.append((len(first) - number) / (first[-1] - first[number - 1]))
    alone, together = side_by_side(1, duration), side_by_side(2, duration)
    return Table(
        f"{runs} runs of {duration:g} simulated seconds",
        ["value"],
        {
            "time of two processes / of one": [rates[0] / rates[1]],
            "of two programs that share nothing / of one": [
                together / 2 / alone
            ],
            "runs per second, one process": [rates[0]],
            "runs per second, two processes": [rates[1]],
        },
        {"time of two processes / of one": [FASTER]},
    )


def side_by_side(number: int, duration: float) -> float:
    """Returns how long the slowest of so many programs takes for its run, s."""
    command = [
        *(sys.executable, "-c"),
        PROGRAM.replace("DURATION", f"{duration}"),
    ]
    programs = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(number)
    ]
    for program in programs:
        program.stdout.readline()
    for program in programs:
        program.stdin.write("\n")
        program.stdin.flush()
    return max(float(program.communicate()[0]) for program in programs)


def killed(kills: int, out: Path, *, runs: int) -> Table:
    """Returns what is lost and what is repeated by killing a study."""
    command = [
        *(sys.executable, "-m", "webmotor_drake", "sweep"),
        *("package:vertical_lift", "--vary", f"{GAIN}=1:20:{runs}"),
        *("--scenario_text", f"{{simulation_duration: {SHORT}}}"),
        *("--jobs", "2", "--out", str(out), "--quiet"),
    ]
    seen: dict[str, list[str]] = {}
    lost = changed = 0
    for _ in range(kills):
        process = subprocess.Popen(command)
        target = len(seen) + max(runs // (kills + 1), 1)
        while len(rows(out)) < target and process.poll() is None:
            time.sleep(0.05)
        time.sleep(random.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = rows(out)
        lost += sum(run not in found for run in seen)
        changed += sum(found.get(run, row) != row for run, row in seen.items())
        seen = found
    subprocess.run(command, check=True)
    found = rows(out)
    lost += sum(run not in found for run in seen)
    changed += sum(found.get(run, row) != row for run, row in seen.items())
    return Table(
        f"{runs} runs, killed {kills} times",
        ["value"],
        {
            "rows at the end": [len(found)],
            "rows before the last start": [len(seen)],
            "finished runs that were lost": [lost],
            "finished runs that were run again": [changed],
        },
        {
            "finished runs that were lost": [0],
            "finished runs that were run again": [0],
        },
    )


def study_run(out: Path, runs: int, duration: float) -> StudyRun:
    """Returns a study of a lift, so many runs of so many seconds."""
    text = f"{{simulation_duration: {duration}}}"
    scenario = load_scenario("package:vertical_lift", text=text)
    study = Study(parameters={GAIN: Linear(1, 20, runs)})
    return StudyRun(scenario, study, out)


def rows(out: Path) -> dict[str, list[str]]:
    """Returns the whole rows of a study by run; wall times tell runs apart."""
    try:
        text = (out / "runs.csv").read_text()
    except FileNotFoundError:
        return {}
    whole = text.rpartition("\n")[0]
    table = list(csv.reader(whole.splitlines()))
    key = table[0].index("run") if table else 0
    return {row[key]: row for row in table[1:]}


def cpu_of_children() -> float:
    """Returns the processor time of this process' children so far, s (Linux).

    Workers that were replaced are counted, too.
    """
    total = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            total += int(fields[11]) + int(fields[12])
    ended = os.times()
    ended = ended.children_user + ended.children_system
    return ended + total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
