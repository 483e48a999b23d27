"""A simulation whose robots have programs for controllers."""

from collections.abc import Callable, Collection

from pydrake.geometry import Meshcat

from webmotor_drake.protocol.extern_run import run_connected
from webmotor_drake.protocol.startable import startable_programs
from webmotor_drake.scenario.robot_controllers import PORT, without_controllers
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation


class ExternSimulation(Simulation):
    """A Simulation whose robots have only programs for controllers; see there.

    They connect as to Webots: those that are `<extern>` whenever they are started, the
    others are started with the run.

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
        run_connected(
            self,
            self._programs,
            self._port,
            guests=self._guests,
            progress=progress,
        )
