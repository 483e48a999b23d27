"""Timing cases side by side: in turns, so that a noisy machine hits all alike."""

import time
from collections.abc import Callable, Mapping

from pydrake.systems.analysis import Simulator

ROUNDS = 15
SECONDS = 0.15  # processor time of a case in a round
# What a case is let run before it is timed: the way to where a
# chain holds its targets (s of processor time, steps).
SETTLING_SECONDS, SETTLING_STEPS = 1.0, 2000

# Does that many plant steps; returns the processor time that they took, s.
Case = Callable[[int], float]


def stepping(simulator: Simulator, time_step: float) -> Case:
    """Returns the case of a simulator with that plant time step, s."""

    def advance(steps: int) -> None:
        now = simulator.get_context().get_time()
        simulator.AdvanceTo(now + steps * time_step)

    return timed(advance)


def timed(advance: Callable[[int], object]) -> Case:
    """Returns the case of what does that many steps.

    Its time is that of the processor: steps wait for nothing, so on an idle
    machine it is the wall time, and on a busy one what others do is not in it.
    """

    def case(steps: int) -> float:
        start = time.process_time()
        advance(steps)
        return time.process_time() - start

    return case


def microseconds_a_step(
    cases: Mapping[str, Case],
    *,
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
    settling: float = SETTLING_SECONDS,
) -> dict[str, float]:
    """Returns the processor time of a plant step of each case, µs.

    Every round runs every case once; the fastest round counts, as whatever else
    the machine does only ever slows a round down.
    """
    steps = {
        name: _settle(case, seconds, settling) for name, case in cases.items()
    }
    best = dict.fromkeys(cases, float("inf"))
    for _ in range(rounds):
        for name, case in cases.items():
            pace = case(steps[name]) / steps[name]
            best[name] = min(best[name], 1e6 * pace)
    return best


def _settle(case: Case, seconds: float, settling: float) -> int:
    """Lets a case run `settling` s; returns how many of its steps take `seconds`."""
    case(1)  # the first step makes what later ones find
    done, spent, steps = 0, 0.0, 1
    pace = float("inf")
    while spent < settling and done < SETTLING_STEPS:
        took = case(steps)
        pace = min(pace, took / steps)
        spent, done = spent + took, done + steps
        steps = 2 * steps
    return max(int(seconds / pace), 1)
