"""The torque drive for a Context of the plant, which may change masses and locks."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_port import parameters_of
from webmotor_drake.drive.torque_drive import TorqueDrive
from webmotor_drake.drive.torque_problem import Trees


class PlantDrives:
    """Makes the `TorqueDrive` for the masses, damping and locks of a Context.

    Attributes:
        usual: the one for the plant's defaults.

    Args:
        plant: a finalized plant.
        model: the motors, their joints and actuators in the plant.
        trees: the trees of the joints.
        step: of the plant, s.
        cfm: slip per effort of each joint, shape (m,), rad/s/(N m) or m/s/N.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        trees: Trees,
        step: float,
        cfm: np.ndarray,
    ):
        self._plant, self._model, self._trees = plant, model, trees
        self._step, self._cfm = step, cfm
        defaults = plant.CreateDefaultContext()
        self._usual_parameters = parameters_of(plant, defaults)
        self.usual = self._made(defaults)

    def read(self, plant_context: Context) -> TorqueDrive:
        """Returns the drive for a Context of the plant; `usual` if it fits."""
        found = parameters_of(self._plant, plant_context)
        if found == self._usual_parameters:
            return self.usual
        return self._made(plant_context)

    def _made(self, plant_context: Context) -> TorqueDrive:
        return TorqueDrive(
            self._plant,
            [actuator.joint() for actuator in self._model.acting],
            self._model.acting_parameters,
            self._trees,
            step=self._step,
            cfm=self._cfm,
            plant_context=plant_context,
        )
