"""Frees a simulation's memory."""

import contextlib
import typing
import weakref
from collections.abc import Callable, Iterable, Iterator

from pydrake.systems.framework import System

from webmotor_drake.interrupts import RunInterrupted, uninterrupted
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.many_robots import ManyRobots
from webmotor_drake.simulation.simulation import Simulation

_Simulated = typing.TypeVar("_Simulated", Simulation, ManyRobots)


def run_and_release(
    simulation: Simulation,
    progress: Callable[[float, float], None] | None = None,
) -> Results:
    """Runs a simulation that nobody needs afterwards, as `Simulation.run` does.

    Raises:
        RunInterrupted: Ctrl-C came; the exception has the results until then.
    """
    with released(simulation):
        try:
            return simulation.run(progress=progress)
        except KeyboardInterrupt as interrupt:
            with uninterrupted():  # by a second one, which would lose the rest
                raise RunInterrupted(simulation.results()) from interrupt


@contextlib.contextmanager
def released(simulation: _Simulated) -> Iterator[_Simulated]:
    """Frees the memory of a simulation after the block, as `release` does."""
    try:
        yield simulation
    finally:
        release(simulation)


def release(simulation: Simulation | ManyRobots) -> None:
    """Frees the memory of a simulation that is over; it cannot be used again.

    Drake keeps systems written in Python: 1.51 keeps all that a builder was given, 1.58
    those whose plant has ports of ours. If they hold nothing, the rest is freed.
    """
    _clear(simulation.simulator.get_system().GetSystems())


def release_when_dropped(simulation: Simulation) -> None:
    """Releases a finished simulation as soon as nothing refers to it any more."""
    systems = simulation.simulator.get_system().GetSystems()
    weakref.finalize(simulation, _clear, systems).atexit = False


def _clear(systems: Iterable[System]) -> None:
    for system in systems:
        getattr(system, "__dict__", {}).clear()
