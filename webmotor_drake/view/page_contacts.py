"""Contact forces of a run, for a page of ours."""

import numpy as np
from pydrake.multibody.plant import ContactResults

from webmotor_drake.simulation.contact_arrows import arrow_scale
from webmotor_drake.simulation.simulation import Simulation


class ContactForces:
    """The forces by which bodies touch, as points and vectors in the world.

    Attributes:
        newtons_per_meter: how they are drawn: the robots' weight is as long as the
            robots are large.

    Args:
        simulation: whose contacts.
    """

    def __init__(self, simulation: Simulation):
        plant = simulation.plant
        root = simulation.simulator.get_context()
        self._context = plant.GetMyContextFromRoot(root)
        self._port = plant.get_contact_results_output_port()
        self._seen = np.empty((0, 6))
        self._is_stale = True
        self.newtons_per_meter, self._faint = arrow_scale(
            plant, simulation.scene_graph
        )

    def now(self) -> np.ndarray:
        """Returns points, m, and forces, N, in the world, shape (n, 6).

        Drake takes as long for them as all else of a frame: every second call returns
        those of the one before.
        """
        if self._is_stale:
            self._seen = self._found()
        self._is_stale = not self._is_stale
        return self._seen

    def _found(self) -> np.ndarray:
        found: ContactResults = self._port.Eval(self._context)
        rows = []
        for i in range(found.num_point_pair_contacts()):
            info = found.point_pair_contact_info(i)
            rows.append((info.contact_point(), info.contact_force()))
        for i in range(found.num_hydroelastic_contacts()):
            info = found.hydroelastic_contact_info(i)
            surface = info.contact_surface()
            rows.append((surface.centroid(), info.F_Ac_W().translational()))
        forces = np.reshape(rows, (-1, 6))
        return forces[np.linalg.norm(forces[:, 3:], axis=1) > self._faint]
