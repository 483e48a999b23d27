"""Contact forces of a run, for a page of ours."""

import numpy as np
from pydrake.multibody.plant import ContactResults

from webmotor_drake.contact.corner_names import shape_of
from webmotor_drake.simulation.contact_arrows import arrow_scale
from webmotor_drake.simulation.own_contacts import pushes
from webmotor_drake.simulation.simulation import Simulation


class ContactForces:
    """The forces by which bodies touch, as points and vectors in the world.

    Attributes:
        newtons_per_meter: scale of the drawn forces: the robots' weight is as long as
            the robots are large.

    Args:
        simulation: simulation of the contacts.
    """

    def __init__(self, simulation: Simulation):
        plant = simulation.plant
        root = simulation.simulator.get_context()
        self._context = plant.GetMyContextFromRoot(root)
        self._port = plant.get_contact_results_output_port()
        self._inspector = simulation.scene_graph.model_inspector()
        self._seen = np.empty((0, 6))
        self._is_stale = True
        self.newtons_per_meter, self._faint = arrow_scale(
            plant, simulation.scene_graph
        )

    def now(self) -> np.ndarray:
        """Returns points, m, and forces, N, in the world, shape (n, 6).

        Drake takes as long for them as for the rest of a frame, so every second call
        returns the forces of the call before.
        """
        if self._is_stale:
            self._seen = self._found()
        self._is_stale = not self._is_stale
        return self._seen

    def _found(self) -> np.ndarray:
        found: ContactResults = self._port.Eval(self._context)
        # The corners and the patch of two shapes are one contact.
        pairs: dict[tuple[int, int], list[np.ndarray]] = {}

        for on, by, point, force in pushes(found):
            pair = shape_of(self._inspector, on), shape_of(self._inspector, by)
            if pair[::-1] in pairs:
                pair, force = pair[::-1], -force
            pairs.setdefault(pair, []).append(np.hstack([point, force]))
        rows = [_total(np.array(parts)) for parts in pairs.values()]
        forces = np.reshape(rows, (-1, 6))
        return forces[np.linalg.norm(forces[:, 3:], axis=1) > self._faint]


def _total(pushes: np.ndarray) -> np.ndarray:
    """Returns the middle and the sum of points and forces, shape (n, 6)."""
    sizes = np.linalg.norm(pushes[:, 3:], axis=1)
    if not sizes.any():
        sizes[:] = 1.0
    middle = sizes @ pushes[:, :3] / sizes.sum()
    return np.hstack([middle, pushes[:, 3:].sum(axis=0)])
