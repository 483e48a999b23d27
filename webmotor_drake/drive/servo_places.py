"""The places of the implicit drive's servos in the plant, and their constants."""

from collections.abc import Iterable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuator

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import companion_name
from webmotor_drake.drive.torque_problem import records
from webmotor_drake.loops import record

SERVO = record("Servo")
# The solver's cap: slip per effort is at least this times dt / inertia (SAP's
# near-rigid regularisation, beta^2 / (4 pi^2) with beta = 0.1).
_NEAR_RIGID = 0.01 / (4 * np.pi**2)

# The slip that rounding of the fed-forward effort may leave, rad/s or m/s. Unrounded,
# the solver's own noise would come back and cost an iteration without need.
_SLIP = 2e-8


def least_slip(plant: MultibodyPlant, model: ModelMotors) -> np.ndarray:
    """Returns the solver's cap: the least slip per effort of m servos.

    Returns:
        Shape (m,), rad/s/(N m) or m/s/N.
    """
    v = [servo.joint().velocity_start() for servo in model.acting]
    inertia = plant.CalcMassMatrix(plant.CreateDefaultContext())
    mobility = np.diag(np.linalg.inv(inertia))[v]
    return _NEAR_RIGID * plant.time_step() * mobility


def actuators_beside(
    plant: MultibodyPlant,
    model: ModelMotors,
    names: Iterable[str],
) -> tuple[list[JointActuator], np.ndarray]:
    """Returns actuators that `add_servo` made, and their places in the actuation."""
    order = list(plant.GetJointActuatorIndices(model.instance))
    found = [
        plant.GetJointActuatorByName(name, model.instance) for name in names
    ]
    return found, np.array([order.index(a.index()) for a in found], dtype=int)


def servo_records(
    plant: MultibodyPlant,
    model: ModelMotors,
    slip: np.ndarray,
    friction: np.ndarray,
    cfm: np.ndarray,
) -> np.ndarray:
    """Returns a model's servos as `SERVO` records, shape (m,).

    Args:
        plant: finalized, prepared by `add_servo`.
        model: the motors, m of them with the joints of springs and the like.
        slip: least slip per effort, as `least_slip` returns it.
        friction: static friction, shape (m,), N m or N.
        cfm: softness, shape (m,), rad/s/(N m) or m/s/N.
    """
    joints = [servo.joint() for servo in model.acting]
    _, companions = actuators_beside(plant, model, map(companion_name, joints))
    return records(
        SERVO,
        friction,
        [given.spring_constant for given in model.acting_parameters],
        _SLIP / slip,
        cfm,
        model.actuation_slots(plant)[1],
        companions,
        [joint.position_start() for joint in joints],
    )
