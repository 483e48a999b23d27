"""Whether a long run needs more memory than a short one.

    python benchmarks/memory.py [--steps N] [--quick] [--out FILE]

One motor without a log: resident memory after 10 million steps (some minutes) and
after 10 thousand. Then what a motor step that is logged adds: `webmotor run` keeps
every step's signals, so its memory grows by that.
"""

import os
import time
import warnings
from pathlib import Path

from _lib import chains, report
from _lib.report import Table

from webmotor_drake import MotorWarning, load_scenario
from webmotor_drake.simulation.simulation import Simulation

SCENARIO = Path(__file__).parent.parent / "scenarios/pendulum.scenario.yaml"
FIRST, STEPS, QUICK_STEPS = 10_000, 10_000_000, 20_000
LOGGED_STEPS = 1_000_000
GOAL = 1.01
# Steps of one AdvanceTo: time as a double loses digits in one long leap.
PART = 100_000


def resident() -> float:
    """Returns the resident memory of this process, bytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * float(os.sysconf("SC_PAGE_SIZE"))


def unlogged(steps: int) -> tuple[float, float, float]:
    """Returns the memory after FIRST and after `steps`, bytes, and the time, s."""
    simulator = chains.motors(1, sampled=False)
    simulator.AdvanceTo(FIRST * chains.TIME_STEP)
    before = resident()
    start = time.perf_counter()
    for done in range(FIRST, steps, PART):
        simulator.AdvanceTo(min(done + PART, steps) * chains.TIME_STEP)
    return before, resident(), time.perf_counter() - start


def logged(steps: int) -> float:
    """Returns what a logged step of a motor adds, bytes."""
    scenario = load_scenario(SCENARIO, name="Lift")
    step = scenario.plant_config.time_step
    simulator = Simulation(scenario).simulator
    simulator.AdvanceTo(FIRST * step)
    before = resident()
    simulator.AdvanceTo((FIRST + steps) * step)
    return (resident() - before) / steps


def measure(*, steps: int, quick: bool) -> list[Table]:
    """Returns the ratio that has a goal, and what it is made of."""
    before, after, wall = unlogged(steps)
    name = f"memory after {steps:,} steps / after {FIRST:,}"
    ratio = Table(
        "one number each (goal)",
        ["ratio"],
        {name: [after / before]},
        {name: [GOAL]},
    )
    numbers = Table(
        "one motor",
        ["value"],
        {
            f"resident after {FIRST:,} steps, MB": [before / 1e6],
            f"resident after {steps:,} steps, MB": [after / 1e6],
            "wall time, s": [wall],
            "added by a logged step, bytes": [
                logged(QUICK_STEPS if quick else LOGGED_STEPS)
            ],
        },
    )
    return [ratio, numbers]


def main() -> None:
    """Prints the tables."""
    parser = report.options(__doc__)
    parser.add_argument(
        "--steps", type=int, metavar="N", help="instead of 10 M"
    )
    args = parser.parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    steps = args.steps or (QUICK_STEPS if args.quick else STEPS)
    tables = measure(steps=steps, quick=args.quick)
    report.show("memory", tables, args)


if __name__ == "__main__":
    main()
