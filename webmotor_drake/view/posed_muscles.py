"""The muscles of robots that are posed: shown again, or moved by sliders."""

from collections.abc import Mapping
from typing import NamedTuple

from pydrake.geometry import Meshcat
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.simulation.muscles import Muscles, muscle_status
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.puppet import Puppet


class Robots(NamedTuple):
    """A simulation's robots, as `PosedMuscles` takes them."""

    plant: MultibodyPlant
    motors: Mapping[str, MotorSystem]
    context: Context


class PosedMuscles:
    """Draws muscles over robots that are not simulated; see `Mark`.

    Args:
        puppet: the robots, in the pose of the moment.
        meshcat: Meshcat to draw in, or what stands for one.
    """

    def __init__(self, puppet: Puppet | Robots, meshcat: Meshcat):
        self._puppet = puppet
        self._muscles = Muscles(puppet.plant, puppet.motors, meshcat)

    def draw(self, moment: Moment) -> None:
        """Draws them as they were at a moment; at rest where it has no signals."""
        puppet = self._puppet
        self._muscles.draw(
            puppet.plant, puppet.context, self._status(moment), moment.time
        )

    def _status(self, moment: Moment) -> dict[str, float]:
        """Returns the status that motors gave their muscles, by "<model>/<motor>"."""
        puppet, status = self._puppet, {}
        for model, system in puppet.motors.items():
            for i, name in enumerate(system.model.motors):
                velocity, effort, mode = (
                    moment.signals.get(f"{model}/{name}/{signal}", 0.0)
                    for signal in ("velocity", "effort", "mode")
                )
                status[f"{model}/{name}"] = muscle_status(
                    puppet.plant, system, i, velocity, effort, mode == 2
                )
        return status
