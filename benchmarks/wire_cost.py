"""The cost of a step with a connected program, on top of the same run without one.

    python benchmarks/wire_cost.py [--quick] [--out FILE]

A pendulum at 8 ms, whose program commands its motor and reads its position, as one
sensor or as eight, or gyros and accelerometers besides, over a local socket. Those
measure only where somebody reads them, which is a part of the cost. The program is a
process of its own: `_lib/wire_client.c`, without a compiler `_lib/wire_client.py`.
Runs with it and without it take turns; the fastest of each counts. The simulator's
processor time is that of this process alone. The wall time has the program's in it, and
is only worth something on an idle machine with two cores. Last both share one of them,
as `taskset -c 0` has it: neither has to wake a processor then.

A camera of 640 x 480 pixels is drawn in every step, for a session in this process, and
for a program that maps the file.
"""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from _lib import report, wire_client
from _lib.report import Table
from controller_cost import write_scenario

from webmotor_drake import MotorWarning, RobotSession, load_scenario
from webmotor_drake.runner import ready
from webmotor_drake.scenario.robot_controllers import make_extern
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation

ROUNDS, STEPS = 9, 5000
QUICK_ROUNDS, QUICK_STEPS = 2, 500
# By what a program reads: the nodes of further sensors, and the goal of what it
# costs on top, µs.
POSITIONS = {"position_sensors": {f"p{k}": "{joint: joint0}" for k in range(7)}}
INERTIAL = {
    "devices": {
        f"d{k}": f"!{('Gyro', 'Accelerometer')[k % 2]} {{frame: link0}}"
        for k in range(7)
    }
}
CASES: dict[str, tuple[dict[str, dict[str, str]], float | None]] = {
    "1 motor, 1 sensor": ({}, 80.0),
    "1 motor, 8 sensors": (POSITIONS, 120.0),
    "1 motor, 1 sensor, 4 gyros, 3 accelerometers": (INERTIAL, None),
}
COLUMNS = ["without", "with", "ratio", "on top (goal)"]
IMAGES, QUICK_IMAGES = 60, 20
CAMERA = {"devices": {"eye": "!Camera {frame: link0, width: 640, height: 480}"}}

Times = tuple[float, float]  # of the processor, and on the wall; µs per step
Run = Callable[[Scenario, int], Times]


def costs(file: Path, program: Run, rounds: int, steps: int) -> list[Table]:
    """Returns the simulator's processor time, and the wall time, µs per step."""
    processor, wall, shared = (
        Table(f"{title}, µs per step", COLUMNS)
        for title in (
            "simulator's processor time",
            "wall time",
            "wall time, both on one processor",
        )
    )
    runs = alone, program
    for row, (sensors, goal) in CASES.items():
        found = [*zip(*best(file, sensors, rounds, steps, runs), strict=True)]
        with one_processor():
            _, together = zip(
                *best(file, sensors, rounds, steps, runs), strict=True
            )
        for table, (without, with_it) in zip(
            (processor, wall, shared), (*found, together), strict=True
        ):
            top = with_it - without
            table.rows[row] = [without, with_it, with_it / without, top]
            table.goals[row] = [None, None, None, goal]
    return [processor, wall, shared]


def beside(folder: Path) -> Run:
    """Returns the runs with a program; in C, where that can be compiled."""
    python = Path(wire_client.__file__)
    compiler = shutil.which("cc")
    if compiler is None:
        return functools.partial(connected, [sys.executable, str(python)])
    program = str(folder / "wire_client")
    source = str(python.with_suffix(".c"))
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)
    return functools.partial(connected, [program])


@contextlib.contextmanager
def one_processor() -> Iterator[None]:
    """Keeps this process, and those that it starts, on one processor."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def image_costs(file: Path, program: Run, rounds: int, steps: int) -> Table:
    """Returns the simulator's processor time per image, ms, here and on the wire."""
    table = Table(
        "simulator's processor time with a camera of 640 x 480, ms per step",
        ["in process", "on the wire", "ratio"],
    )
    here, there = best(file, CAMERA, rounds, steps, (seen_here, program))
    times = [here[0] / 1000, there[0] / 1000]
    table.rows["image in every step"] = [*times, times[1] / times[0]]
    return table


def best(
    file: Path,
    sensors: dict,
    rounds: int,
    steps: int,
    runs: tuple[Run, Run],
) -> list[Times]:
    """Returns the best times without and with a program."""
    runs[0](scenario(file, sensors, steps), steps)  # compiles
    found: list[list[Times]] = [[], []]
    for _ in range(rounds):
        for times, run in zip(found, runs, strict=True):
            times.append(run(scenario(file, sensors, steps), steps))
    return [
        (min(cpu for cpu, _ in times), min(wall for _, wall in times))
        for times in found
    ]


def scenario(file: Path, sensors: dict, steps: int) -> Scenario:
    """Returns the pendulum with a position sensor, and others besides."""
    seconds = steps * wire_client.PERIOD / 1000
    driver = ", ".join(
        f"{field}: {{{', '.join(f'{k}: {node}' for k, node in nodes.items())}}}"
        for field, nodes in sensors.items()
    )
    return load_scenario(
        file,
        text=f"{{simulation_duration: {seconds},"
        f" model_drivers: {{chain: {{{driver}}}}}}}",
    )


def alone(run: Scenario, steps: int) -> Times:
    """Returns the times of a run without a program."""
    return timed(Simulation(run), steps)


def seen_here(run: Scenario, steps: int) -> Times:
    """Returns the times of a session with a camera."""
    with RobotSession(run) as session:
        session.robot("chain").getDevice("eye").enable(wire_client.PERIOD)
        wall, processor = time.perf_counter(), time.process_time()
        while session.step() != -1:
            pass
    return (
        1e6 * (time.process_time() - processor) / steps,
        1e6 * (time.perf_counter() - wall) / steps,
    )


def connected(program: list[str], run: Scenario, steps: int) -> Times:
    """Returns the times of a run with one, which is there before the run is."""
    driver = run.model_drivers["chain"]
    sensors = len(driver.position_sensors) + len(driver.devices)
    user = f"wire_cost{os.getpid()}"
    os.environ["USER"] = user
    make_extern(run)
    simulation = ready(run, port=0)
    place = f"/tmp/webots/{user}/*/ipc/chain/extern"
    with subprocess.Popen(
        [*program, place, str(sensors)], stdout=subprocess.PIPE, text=True
    ) as client:
        time.sleep(0.3)  # it has started then, and waits
        processor, _ = timed(simulation, steps)
        said = client.communicate()[0]
    return processor, 1e6 * float(said)


def timed(simulation: Simulation, steps: int) -> Times:
    """Returns the times of a run, µs per step."""
    wall, processor = time.perf_counter(), time.process_time()
    simulation.run()
    return (
        1e6 * (time.process_time() - processor) / steps,
        1e6 * (time.perf_counter() - wall) / steps,
    )


def measure(*, quick: bool) -> list[Table]:
    """Returns the tables."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    steps, images = (QUICK_STEPS, QUICK_IMAGES) if quick else (STEPS, IMAGES)
    with tempfile.TemporaryDirectory() as folder:
        file, program = write_scenario(Path(folder), 1), beside(Path(folder))
        return [
            *costs(file, program, rounds, steps),
            image_costs(file, program, rounds, images),
        ]


def main() -> None:
    """Prints the tables."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("wire_cost", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
