"""The laws of a model's motors that are no Webots servos, in their plant."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.drive.matched_gains import felt_inertia, matched_gains
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.errors import InputError
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.models.motor_networks import MotorNetworks
from webmotor_drake.motor.models.parameters import Plant, model_rows
from webmotor_drake.nodes.motors import is_modelled


def model_laws(
    plant: MultibodyPlant, model: ModelMotors, period: float
) -> ModelLaws | None:
    """Returns the laws of the motors that have a model; None without any.

    Args:
        plant: the finalized plant.
        model: the motors.
        period: their period, s.

    Raises:
        InputError: the plant is continuous, or a model misses what it needs.
    """
    modelled = {n: m for n, m in model.motors.items() if is_modelled(m)}
    if not modelled:
        return None
    if plant.time_step() == 0:
        name, motor = next(iter(modelled.items()))
        raise InputError(
            f"{motor.motor_model} needs a discrete plant; a time_step above 0 is"
            " allowed",
            path=("motors", name, "motor_model"),
        )
    context = plant.CreateDefaultContext()
    driven = [named.joint.velocity_start() for named in model.driven]
    inertia = felt_inertia(plant, context, driven)
    kp, kd = matched_gains(model.motors.values(), inertia, period)
    friction = [named.parameters.static_friction for named in model.driven]
    rotors = [
        named.actuator.default_reflected_inertia() if named.actuator else 0.0
        for named in model.driven
    ]
    rows = model_rows(model.motors, friction, Plant(kp, kd, np.array(rotors)))
    learned = any(m.motor_model == "learned" for m in modelled.values())
    networks = MotorNetworks(modelled, period) if learned else None
    return ModelLaws(rows, plant.time_step(), networks)
