"""Simulates in the rhythm of programs that control robots.

The simulation stands still until each of them has asked for a step; their commands
act then in the robots' order, whoever asked first. So the same programs give the same
bits (WbControlledWorld.cpp). It does not wait for those whose robots are not
synchronized: what they ask for begins at the basic step after it is heard.
"""

import math
from collections.abc import Callable, Collection

from pydrake.geometry import Meshcat

from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.interrupts import interruptible
from webmotor_drake.protocol.connected_robots import ConnectedRobots
from webmotor_drake.protocol.startable import startable_programs
from webmotor_drake.scenario.robot_controllers import PORT, without_controllers
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation


class ExternSimulation(Simulation):
    """A Simulation whose robots have only programs for controllers; see there.

    They connect as to Webots: those that are `<extern>` whenever they are started, the
    others are started with the run. A robot whose program has left holds its last
    targets. Where no end is, the simulation waits for the next one once all have left.

    Args:
        scenario: what to run.
        meshcat: where to draw, if anywhere.
        port: of TCP, and of the folder in which local sockets are; the next ones if
            it is taken; 0: any.
        by_hand: whether somebody may push bodies.
        guests: the addresses of other machines whose programs may connect by TCP.

    Raises:
        InputError: a program cannot be started.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        meshcat: Meshcat | None = None,
        port: int = PORT,
        by_hand: bool = False,
        guests: Collection[str] = (),
    ):
        self._programs = startable_programs(scenario)
        self._port, self._guests = port, guests
        super().__init__(
            without_controllers(scenario, self._programs),
            meshcat=meshcat,
            by_hand=by_hand,
        )
        self.scenario = scenario

    def _advance(self, progress: Callable[[float, float], None] | None) -> None:
        stepped = SteppedSimulation(self, progress)
        rate = self.simulator.get_target_realtime_rate()
        stepped.lazy = not stepped.drawn and rate == 0
        with interruptible():
            robots = ConnectedRobots(
                stepped, self._programs, self._port, self._guests
            )
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
        stepped.advance(step, robots.listen)
        robots.answer()
