"""Locks and unlocks a Connector of a simulation that runs."""

from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.nodes.connectors import Connector
from webmotor_drake.simulation.docks import Name


class Docking:
    """A Connector's hold on others.

    Args:
        stepped: the simulation.
        name: of its robot and its own.
    """

    def __init__(self, stepped: SteppedSimulation, name: Name):
        self._stepped, self._name = stepped, name
        simulation = stepped.simulation
        self._docks = simulation.docks
        self._root = simulation.simulator.get_mutable_context()
        self._context = simulation.plant.GetMyMutableContextFromRoot(self._root)

    def watch(self, node: Connector) -> None:
        """Looks at each basic step whether it breaks, or holds what comes near.

        Args:
            node: the Connector: one that never does is not looked at.
        """
        if node.breaks or node.auto_lock:
            sampler = Sampler(self._look)
            sampler.enable(1, self._stepped.now)
            self._stepped.samplers.insert(0, sampler)

    def _look(self) -> None:
        self._docks.watch(self._context, self._name)
        self._filter()

    def lock(self, lock: bool) -> None:
        """Locks or unlocks it, at the start of a step."""
        with self._stepped.lock:
            self._stepped.catch_up()
            change = self._docks.lock if lock else self._docks.unlock
            change(self._context, self._name)
            self._filter()

    def _filter(self) -> None:
        scene_graph = self._stepped.simulation.scene_graph
        self._docks.filter_contact(scene_graph, self._root, self._context)
