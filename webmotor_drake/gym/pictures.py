"""Pictures of an environment, as films have them."""

import numpy as np

from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.film import Film
from webmotor_drake.view.moment import moment_now


class Pictures:
    """Draws a simulation; what it takes to is made for the first picture.

    Args:
        scenario: what runs.
        size: width and height, pixels.
    """

    def __init__(self, scenario: Scenario, size: tuple[int, int]):
        self._scenario, self._size = scenario, size
        self._film: Film | None = None

    def picture(self, simulation: Simulation) -> np.ndarray:
        """Returns the present, shape (height, width, 3), uint8."""
        if self._film is None:
            self._film = Film(
                simulation.results(),
                self._scenario,
                follow=True,
                size=self._size,
            )
        return self._film.draw(moment_now(simulation))
