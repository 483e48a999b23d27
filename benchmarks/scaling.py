"""The cost of a step and of making a diagram as robots get larger or more.

    python benchmarks/scaling.py [--quick] [--out FILE]

One chain of n joints; then m chains of 1 and of 3 joints in one plant, each a model
of its own. Their motors share one system (ApplyDriverConfigToMany); in the column "a
system per robot" they don't, where that is bearable.

Drake without sampled output ports takes a time to build that is cubic in the number
of models: with many of them the ports stay sampled, as `webmotor run` leaves them.
"""

import functools
import time
import warnings
from collections.abc import Callable

from _lib import chains, interleaved, report
from _lib.report import Table
from pydrake.systems.analysis import Simulator

from webmotor_drake import MotorWarning

JOINTS = (1, 3, 10, 30, 100, 300)
ROBOTS = (1, 10, 30, 100, 300)
QUICK_JOINTS, QUICK_ROBOTS = (1, 10), (1, 3)
TIMING = {"rounds": 5, "seconds": 0.2}
QUICK = {"rounds": 2, "seconds": 0.02}
# More models than this: with sampled ports, and no column "a system per robot".
MANY = 80
EACH = "a system per robot"
COLUMNS = [
    *("bare", "Drake PD", "motors", EACH, "motors / bare", "motors / PD"),
    *("build bare, ms", "build motors, ms"),
]
MAKERS: dict[str, Callable[..., Simulator]] = {
    "bare": chains.bare,
    "Drake PD": chains.drake_pd,
    "motors": chains.motors,
    EACH: functools.partial(chains.motors, shared=False),
}


def row(links: int, robots: int, timing: dict) -> list[float | None]:
    """Returns a row of `COLUMNS`: µs per step, ratios, ms."""
    many = robots > MANY
    cases, build = {}, {}
    for name, make in MAKERS.items():
        if name == EACH and (many or robots == 1):
            continue
        start = time.perf_counter()
        simulator = make(links, robots, sampled=many)
        build[name] = 1e3 * (time.perf_counter() - start)
        cases[name] = interleaved.stepping(simulator, chains.TIME_STEP)
    costs = interleaved.microseconds_a_step(cases, **timing)
    ours = costs["motors"]
    return [
        *(costs.get(name) for name in MAKERS),
        *(ours / costs["bare"], ours / costs["Drake PD"]),
        *(build["bare"], build["motors"]),
    ]


def measure(*, quick: bool) -> list[Table]:
    """Returns a table for one growing robot, and for many robots."""
    timing = QUICK if quick else TIMING
    chains.motors(1, sampled=False)  # compiles what building needs
    one = Table("µs per step, one robot of n joints", COLUMNS)
    for links in QUICK_JOINTS if quick else JOINTS:
        one.rows[f"n = {links}"] = row(links, 1, timing)
    tables = [one]
    for links in (1, 3):
        motors = f"{links} motor" + "s" * (links > 1)
        table = Table(f"µs per step, m robots of {motors}", COLUMNS)
        for robots in QUICK_ROBOTS if quick else ROBOTS:
            table.rows[f"m = {robots}"] = row(links, robots, timing)
        tables.append(table)
    return tables


def main() -> None:
    """Prints the tables."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("scaling", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
