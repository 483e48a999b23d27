"""Whether a step has become dearer: our motors beside the least that Python can do.

    python benchmarks/cost_gate.py [--record]

Each case stands beside its floor (`_lib/floors.py`), in turns, of which the fastest
counts. Their ratio hardly depends on what else the machine does; on another machine, or
its slower days, the same code had 1.68 for 1.38 (one joint): record anew. The calls of
functions in a step depend on no machine. The exit status is 1 if a ratio is beyond
BEYOND times what benchmarks/results/cost_gate.json has, and is so once more, in more
turns, or if calls are beyond MORE_CALLS times. --record writes that file.
"""

import argparse
import collections
import statistics
import sys
import warnings
from collections.abc import Callable

from _lib import chains, contact_cases, floors, interleaved, moving_chains
from _lib.report import RESULTS, Table, read, write
from pydrake.systems.analysis import Simulator

from webmotor_drake import MotorWarning

BEYOND, MORE_CALLS = 1.2, 1.05
COUNTED = 200  # steps
SPEED = 1.0  # rad/s
# Short turns: some are undisturbed, however busy the machine is.
TURNS = {"rounds": 60, "seconds": 0.004, "settling": 0.2}
MORE_TURNS = {"rounds": 240, "seconds": 0.004, "settling": 0.4}
RECORDED_OF = 5  # measurements, of which the median is recorded
FILE = RESULTS / "cost_gate.json"
COLUMNS = ["of the floor", "calls a step"]


def _saturated(links: int) -> Simulator:
    torque = moving_chains.peak_torque(links) / 3
    return moving_chains.motors(links, max_torque=torque)


def _rover() -> Simulator:
    case = contact_cases.rover(chains.TIME_STEP, SPEED, sampled=False)
    return contact_cases.ours(case)


# What is made: our motors, the floor.
CASES: dict[str, tuple[Callable[[], Simulator], Callable[[], Simulator]]] = {
    **{
        f"{links} joints in motion": (
            lambda links=links: moving_chains.motors(links),
            lambda links=links: floors.chain(links),
        )
        for links in (1, 7, 30)
    },
    "7 joints, saturated now and then": (
        lambda: _saturated(7),
        lambda: floors.chain(7),
    ),
    "rover in contact": (_rover, lambda: floors.rover(SPEED)),
}


def measure(cases: list[str], timing: dict) -> dict[str, float]:
    """Returns how many times its floor each case costs."""
    ratios = {}
    for name in cases:
        made = zip(("ours", "floor"), CASES[name], strict=True)
        costs = interleaved.microseconds_a_step(
            {
                which: interleaved.stepping(make(), chains.TIME_STEP)
                for which, make in made
            },
            **timing,
        )
        ratios[name] = costs["ours"] / costs["floor"]
    return ratios


def count_calls(simulator: Simulator) -> float:
    """Returns how many functions are called in a step, Drake's and ours."""
    numbers = collections.Counter[str]()
    advance = interleaved.stepping(simulator, chains.TIME_STEP)
    advance(COUNTED)
    sys.setprofile(lambda _, event, __: numbers.update([event]))
    advance(COUNTED)
    sys.setprofile(None)
    return (numbers["call"] + numbers["c_call"]) / COUNTED


def dearer(
    found: dict[str, float], recorded: dict[str, float], beyond: float = BEYOND
) -> list[str]:
    """Returns the cases beyond so many times what is recorded."""
    # Not `>`, which a NaN would pass.
    return [
        name
        for name, number in found.items()
        if not number <= beyond * recorded[name]
    ]


def main() -> int:
    """Prints the ratios; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    calls = {name: count_calls(ours()) for name, (ours, _) in CASES.items()}
    if args.record:
        found = [measure(list(CASES), TURNS) for _ in range(RECORDED_OF)]
        rows = {
            name: [statistics.median(f[name] for f in found), calls[name]]
            for name in CASES
        }
        table = Table("our motors over the floor", COLUMNS, rows)
        print(f"{table}\n\nwritten: {write('cost_gate', [table])}")
        return 0
    _, (table,) = read(FILE)
    recorded, called = (
        {name: row[i] for name, row in table.rows.items()} for i in (0, 1)
    )
    found = measure(list(CASES), TURNS)
    again = dearer(found, recorded)
    found |= measure(again, MORE_TURNS)
    for name, ratio in found.items():
        print(
            f"{name}: {ratio:.2f} of the floor, {calls[name]:.1f} calls;"
            f" recorded {recorded[name]:.2f}, {called[name]:.1f}"
        )
    failed = dearer({name: found[name] for name in again}, recorded)
    for name in failed:
        print(
            f"{name}: dearer than {BEYOND:g} times what is recorded",
            file=sys.stderr,
        )
    more = dearer(calls, called, MORE_CALLS)
    for name in more:
        print(f"{name}: more calls than are recorded", file=sys.stderr)
    return 1 if failed or more else 0


if __name__ == "__main__":
    sys.exit(main())
