"""The muscles of robots that are posed: shown again, or moved by sliders."""

from collections.abc import Mapping

from pydrake.geometry import Meshcat
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.simulation.muscles import Muscles, muscle_status
from webmotor_drake.view.moment import Moment


class PosedMuscles:
    """Draws muscles over robots that are not simulated; see `Mark`.

    Args:
        plant: owner of the muscles.
        motors: the motors by model name.
        context: the plant's, in the pose of the moment.
        meshcat: Meshcat to draw in, or what stands for one.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        motors: Mapping[str, MotorSystem],
        context: Context,
        meshcat: Meshcat,
    ):
        self._plant, self._motors, self._context = plant, motors, context
        self._muscles = Muscles(plant, motors, meshcat)

    def draw(self, moment: Moment) -> None:
        """Draws them as they were at a moment; at rest where it has no signals."""
        self._muscles.draw(
            self._plant, self._context, self._status(moment), moment.time
        )

    def _status(self, moment: Moment) -> dict[str, float]:
        """Returns the status that motors gave their muscles, by "<model>/<motor>"."""
        status = {}
        for model, system in self._motors.items():
            for i, name in enumerate(system.model.motors):
                velocity, effort, mode = (
                    moment.signals.get(f"{model}/{name}/{signal}", 0.0)
                    for signal in ("velocity", "effort", "mode")
                )
                status[f"{model}/{name}"] = muscle_status(
                    self._plant, system, i, velocity, effort, mode == 2
                )
        return status
