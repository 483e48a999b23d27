"""The efforts of a plant's actuators in the coming step, as its solver has them."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import Context


def servo_efforts(plant: MultibodyPlant, context: Context) -> np.ndarray:
    """Returns efforts gain (wanted - v) + fed of all actuators, shape (5, m).

    The rows are the places of the joints' velocities v; gains, N m s/rad or N s/m, 0
    without a controller; wanted speeds, rad/s or m/s; what is fed and its limit, N m or
    N.

    Args:
        plant: finalized plant.
        context: the plant's, in a diagram.
    """
    rows: list[tuple[int, float, float, float, float]] = []
    for model in map(ModelInstanceIndex, range(plant.num_model_instances())):
        indices = plant.GetJointActuatorIndices(model)
        if not indices:
            continue
        wanted = plant.get_desired_state_input_port(model)
        aims = wanted.Eval(context) if wanted.HasValue(context) else ()
        speeds = iter(np.array_split(aims, 2)[1])
        port = plant.get_actuation_input_port(model)
        fed = (
            port.Eval(context)
            if port.HasValue(context)
            else np.zeros(len(indices))
        )
        for index, effort in zip(indices, fed, strict=True):
            actuator, gain, aim = plant.get_joint_actuator(index), 0.0, 0.0
            if actuator.has_controller():
                gain = actuator.get_controller_gains().d
                aim = next(speeds, 0.0)
            place = actuator.joint().velocity_start()
            rows.append((place, gain, aim, effort, actuator.effort_limit()))
    return np.array(rows).reshape(-1, 5).T
