"""A model's motor system without motors to drive."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.motor.driver_checks import CheckedDriver


class IdleMotors(MotorSystem):
    """Steps a model that has position sensors, stops or a battery, and no more.

    Its actuation, for actuators that the model may have all the same, is 0.

    Args:
        plant: the finalized plant.
        model: the position sensors' model.
        driver: see `MotorSystem`.
    """

    drive = "torque"

    def __init__(
        self, plant: MultibodyPlant, model: ModelMotors, driver: CheckedDriver
    ):
        super().__init__(plant, model, driver, drive_state=0)
        size, self._slots = model.actuation_slots(plant)
        self._declare_state("actuation", np.zeros(size))
        self._declare_events(self._plant_step)
