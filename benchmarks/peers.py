"""The cost of a step on other engines, each with its nearest to a Webots motor.

    python benchmarks/peers.py [--quick] [--out FILE]

Chains of 1, 7 and 30 joints as in step_cost.py, all in turns in one run. The second
table says how far the joint that is farthest from its target ends up: an engine that
does less may be faster. MuJoCo and PyBullet come with the extra `peers`, ODE with
the extra `ode`; what is not installed is left out.
"""

import contextlib
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator

from _lib import chains, interleaved, ode_chain, report
from _lib.peer_chains import BulletChain, MujocoChain
from _lib.report import Table

from webmotor_drake import MotorWarning

LINKS = (1, 7, 30)
QUICK = {"rounds": 5, "seconds": 0.05}
PEERS = {
    "MuJoCo <position>, kv = I/dt": functools.partial(
        MujocoChain, law_in_python=False
    ),
    "MuJoCo <velocity>, law in Python": functools.partial(
        MujocoChain, law_in_python=True
    ),
    "PyBullet POSITION_CONTROL": functools.partial(
        BulletChain, law_in_python=False
    ),
    "PyBullet VELOCITY_CONTROL, law in Python": functools.partial(
        BulletChain, law_in_python=True
    ),
}
ODE_STEPS = {
    "ODE dWorldStep, law in C": False,
    "ODE dWorldQuickStep, law in C": True,
}
OURS = "torque drive"
Angles = Callable[[], list[float]]


def peers_of(links: int) -> Iterator[tuple[str, interleaved.Case, Angles]]:
    """Gives the peers that are here: name, case, what its angles are."""
    for name, make in PEERS.items():
        with contextlib.suppress(ImportError), _silent():
            chain = make(links)
            yield name, interleaved.timed(chain.advance), chain.angles
    if ode_chain.missing() or not ode_chain.compiler():
        return
    for name, iterative in ODE_STEPS.items():
        chain = ode_chain.OdeChain(links)
        yield name, chain.in_c(iterative=iterative), chain.angles


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Discards what an engine prints in C when it starts."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "wb") as nowhere:
        for number in (1, 2):
            os.dup2(nowhere.fileno(), number)
    try:
        yield
    finally:
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)


def ours(links: int) -> tuple[interleaved.Case, Angles]:
    """Returns our motors' case, and what its angles are."""
    simulator = chains.motors(links, sampled=False)
    root = simulator.get_context()
    plant = next(
        system
        for system in simulator.get_system().GetSystems()
        if hasattr(system, "GetPositions")
    )

    def angles() -> list[float]:
        return plant.GetPositions(plant.GetMyContextFromRoot(root)).tolist()

    return interleaved.stepping(simulator, chains.TIME_STEP), angles


def measure(*, quick: bool) -> list[Table]:
    """Returns the costs of a step and the distances from the targets."""
    columns = [f"n = {links}" for links in LINKS]
    names = [OURS, *PEERS, *ODE_STEPS]
    costs = Table("µs per step", columns, {name: [] for name in names})
    far = Table("farthest joint, rad", columns)
    for links in LINKS:
        found = {OURS: ours(links)}
        found |= {name: (case, there) for name, case, there in peers_of(links)}
        cases = {name: case for name, (case, _) in found.items()}
        measured = interleaved.microseconds_a_step(
            cases, **(QUICK if quick else {})
        )
        for name, row in costs.rows.items():
            row.append(measured.get(name, "not installed"))
        for name, (_, angles) in found.items():
            distance = max(abs(q - chains.TARGET) for q in angles())
            far.rows.setdefault(name, []).append(distance)
    return [costs, far]


def main() -> None:
    """Prints the tables."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("peers", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
