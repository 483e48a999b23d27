"""The muscles of robots that are posed: shown again, or moved by sliders."""

from pydrake.geometry import Meshcat

from webmotor_drake.simulation.muscles import Muscles, muscle_status
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.puppet import Robots


class PosedMuscles:
    """Draws muscles over robots that are not simulated; see `Mark`.

    Args:
        robots: owners of the muscles, in the pose of the moment.
        meshcat: Meshcat to draw in, or what stands for one.
    """

    def __init__(self, robots: Robots, meshcat: Meshcat):
        self._robots = robots
        self._muscles = Muscles(robots.plant, robots.motors, meshcat)

    def draw(self, moment: Moment) -> None:
        """Draws them as they were at a moment; at rest where it has no signals."""
        robots, status = self._robots, self._status(moment)
        self._muscles.draw(robots.plant, robots.context, status, moment.time)

    def _status(self, moment: Moment) -> dict[str, float]:
        """Returns the status that motors gave their muscles, by "<model>/<motor>"."""
        status = {}
        for model, system in self._robots.motors.items():
            for i, name in enumerate(system.model.motors):
                velocity, effort, mode = (
                    moment.signals.get(f"{model}/{name}/{signal}", 0.0)
                    for signal in ("velocity", "effort", "mode")
                )
                status[f"{model}/{name}"] = muscle_status(
                    self._robots.plant, system, i, velocity, effort, mode == 2
                )
        return status
