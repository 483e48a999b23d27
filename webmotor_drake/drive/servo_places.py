"""The places of the implicit drive's servos in the plant, and their constants."""

import dataclasses as dc

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuator

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import brake_name, companion_name

# The solver's cap: slip per effort is at least this times dt / inertia (SAP's
# near-rigid regularisation, beta^2 / (4 pi^2) with beta = 0.1).
_NEAR_RIGID = 0.01 / (4 * np.pi**2)

# The slip that rounding of the fed-forward effort may leave, rad/s or m/s. Unrounded,
# the solver's own noise would come back and cost an iteration without need.
_SLIP = 2e-8


@dc.dataclass(frozen=True)
class ServoPlaces:
    """The constants of m servos.

    Attributes:
        slots: places of the servos in the model's actuation, shape (m,).
        companion_slots: the same of their companions.
        q: places of the joints' positions in the plant's state, shape (m,).
        v: the same of their velocities.
        spring: spring constants, shape (m,), N m/rad or N/m.
        grid: the grid to which the fed-forward effort is rounded, shape (m,), N m or N.
        brakes: the brakes' actuators, b of them.
        braked: the numbers of their servos, shape (b,).
        brake_slots: places of the brakes in the model's actuation, shape (b,).
        strongest_brake: the largest gains of the brakes, shape (b,), N m s/rad or
            N s/m: well below the solver's cap, so that their efforts are known.
    """

    slots: np.ndarray
    companion_slots: np.ndarray
    q: np.ndarray
    v: np.ndarray
    spring: np.ndarray
    grid: np.ndarray
    brakes: list[JointActuator]
    braked: np.ndarray
    brake_slots: np.ndarray
    strongest_brake: np.ndarray


def servo_places(plant: MultibodyPlant, model: ModelMotors) -> ServoPlaces:
    """Returns the places of a model's servos, as `add_servo` made them."""
    joints = [servo.joint() for servo in model.acting]
    instance = model.acting[0].model_instance()
    order = list(plant.GetJointActuatorIndices(instance))

    def actuator(name: str) -> JointActuator:
        return plant.GetJointActuatorByName(name, instance)

    companions = [actuator(companion_name(joint)) for joint in joints]
    v = np.array([joint.velocity_start() for joint in joints])
    inertia = plant.CalcMassMatrix(plant.CreateDefaultContext())
    mobility = np.diag(np.linalg.inv(inertia))[v]
    floor = _NEAR_RIGID * plant.time_step() * mobility
    braked = np.unique(list(model.brakes.values())).astype(int)
    brakes = [actuator(brake_name(joints[i])) for i in braked]
    return ServoPlaces(
        slots=model.actuation_slots(plant)[1],
        companion_slots=np.array([order.index(c.index()) for c in companions]),
        q=np.array([joint.position_start() for joint in joints]),
        v=plant.num_positions() + v,
        spring=np.array([p.spring_constant for p in model.acting_parameters]),
        grid=_SLIP / floor,
        brakes=brakes,
        braked=braked,
        brake_slots=np.array([order.index(b.index()) for b in brakes], int),
        strongest_brake=0.25 / floor[braked],
    )
