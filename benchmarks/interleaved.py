"""Timing simulators side by side: in turns, so that a noisy machine hits all alike."""

import time
from collections.abc import Mapping

from pydrake.systems.analysis import Simulator

ROUNDS = 7
SECONDS = 0.3  # wall time of a case in a round


def microseconds_a_step(
    simulators: Mapping[str, Simulator],
    time_step: float,
    *,
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
) -> dict[str, float]:
    """Returns the wall time of a plant step of each simulator, µs.

    Every round runs every simulator once; the fastest round counts, as whatever
    else the machine does only ever slows a round down.
    """
    steps = {}
    for name, simulator in simulators.items():
        pace = _time(simulator, time_step, 200) / 200
        steps[name] = max(int(seconds / pace), 1)
    best = dict.fromkeys(simulators, float("inf"))
    for _ in range(rounds):
        for name, simulator in simulators.items():
            wall = _time(simulator, time_step, steps[name]) / steps[name]
            best[name] = min(best[name], 1e6 * wall)
    return best


def _time(simulator: Simulator, time_step: float, steps: int) -> float:
    end = simulator.get_context().get_time() + steps * time_step
    start = time.perf_counter()
    simulator.AdvanceTo(end)
    return time.perf_counter() - start
