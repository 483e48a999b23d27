"""A supervisor's imports into a run, for a page of ours."""

import json

from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.simulation.spares import SOLID, stock_models
from webmotor_drake.view.page_server import Message


class PageImports:
    """Tells pages of the imports that are in the world, and how they look.

    Attributes:
        bodies: those in stock, by their models, that imports may get.

    Args:
        simulation: simulation of the supervisor.
    """

    def __init__(self, simulation: Simulation):
        plant = simulation.plant
        self._imports = simulation.imports
        self._told: list[tuple] = []
        self.bodies = [
            plant.GetBodyByName(SOLID, plant.GetModelInstanceByName(model))
            for model in stock_models(simulation.scenario)
        ]

    def all(self) -> Message:
        """Returns all that are in the world; of each the model and the shapes."""
        return json.dumps({"imported": self._imports.here})

    def news(self) -> Message | None:
        """Returns the same if it has changed since the last time."""
        here = self._imports.here
        if here == self._told:
            return None
        self._told = here
        return self.all()
