"""The efforts of a plant's actuators in the coming step, as its solver has them."""

from typing import NamedTuple

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuator, ModelInstanceIndex
from pydrake.systems.framework import Context


class ServoEfforts(NamedTuple):
    """The efforts gain (wanted - v) + fed of actuators, arrays of shape (m,).

    Attributes:
        places: of the joints' velocities v.
        gain: N m s/rad or N s/m; 0: it has no controller.
        wanted: rad/s or m/s.
        fed: N m or N.
        most: its limit, N m or N.
    """

    places: np.ndarray
    gain: np.ndarray
    wanted: np.ndarray
    fed: np.ndarray
    most: np.ndarray


class Servos:
    """Reads the actuators of a plant.

    Args:
        plant: finalized plant.
    """

    def __init__(self, plant: MultibodyPlant):
        self._plant = plant
        self._models: list[tuple[ModelInstanceIndex, list[JointActuator]]] = []
        for i in map(ModelInstanceIndex, range(plant.num_model_instances())):
            actuators = [
                plant.get_joint_actuator(k)
                for k in plant.GetJointActuatorIndices(i)
            ]
            if actuators:
                self._models.append((i, actuators))

    def efforts(self, context: Context) -> ServoEfforts:
        """Returns the efforts of the next step.

        Args:
            context: the plant's, in a diagram.
        """
        rows: list[tuple[int, float, float, float, float]] = []
        for model, actuators in self._models:
            wanted = iter(self._wanted(context, model))
            port = self._plant.get_actuation_input_port(model)
            fed = (
                port.Eval(context)
                if port.HasValue(context)
                else np.zeros(len(actuators))
            )
            for actuator, effort in zip(actuators, fed, strict=True):
                place, most = actuator.joint(), actuator.effort_limit()
                gain = aim = 0.0
                if actuator.has_controller():
                    gain = actuator.get_controller_gains().d
                    aim = next(wanted, 0.0)
                rows.append((place.velocity_start(), gain, aim, effort, most))
        places, *others = np.array(rows).reshape(-1, 5).T
        return ServoEfforts(places.astype(int), *others)

    def _wanted(
        self, context: Context, model: ModelInstanceIndex
    ) -> np.ndarray:
        """Returns the desired velocities of those with a controller."""
        port = self._plant.get_desired_state_input_port(model)
        if not port.HasValue(context):
            return np.empty(0)
        return np.array_split(port.Eval(context), 2)[1]
