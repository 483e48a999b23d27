"""Simulates in the rhythm of programs that control robots.

The simulation stands still until each of them has asked for a step; their commands
act then in the robots' order, whoever asked first. So the same programs give the same
bits (WbControlledWorld.cpp). It does not wait for those whose robots are not
synchronized: what they ask for begins at the basic step after it is heard.
"""

import math
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.interrupts import interruptible
from webmotor_drake.protocol.connected_robots import ConnectedRobots
from webmotor_drake.simulation.simulation import Simulation


def run_connected(
    simulation: Simulation,
    programs: Mapping[str, Path | None],
    port: int,
    *,
    guests: Collection[str] = (),
    progress: Callable[[float, float], None] | None = None,
) -> None:
    """Takes a simulation to its end while programs command its robots.

    A robot whose program has left holds its last targets. Where no end is, the
    simulation waits for the next one once all have left.

    Args:
        simulation: at its start.
        programs: by robot what is started; None: somebody else starts it.
        port: of TCP, and of the folder of local sockets; the next ones if it is
            taken; 0: any.
        guests: the addresses of other machines whose programs may connect by TCP.
        progress: called now and then with the simulated time and the end, s.

    Raises:
        InputError: it cannot listen, or a program cannot be started.
    """
    stepped = SteppedSimulation(simulation, progress)
    rate = simulation.simulator.get_target_realtime_rate()
    stepped.lazy = not stepped.drawn and rate == 0
    with interruptible():
        robots = ConnectedRobots(stepped, programs, port, guests)
        try:
            while True:
                with robots.running():
                    _simulate(stepped, robots)
                if not robots.reloads:
                    break
                stepped.reload()
        finally:
            robots.close()


def _simulate(stepped: SteppedSimulation, robots: ConnectedRobots) -> None:
    """Steps as soon as all that are waited for have asked for a step."""
    while True:
        step = robots.next_step()
        if robots.reloads:
            return
        if step > stepped.last_step or math.isinf(step):
            stepped.finish()
            return
        stepped.advance(step)
        robots.answer()
