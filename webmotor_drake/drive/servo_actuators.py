"""Servos in the plant's contact solver: actuators, constants, gains that change.

A brake is an actuator with p = 0 and its damping as d; see `servo_step.brake_gain`. A
law whose effort falls with the joint's velocity is, piece by piece, an actuator with
p = 0, a gain d, a desired velocity and an effort limit. The solver clips it together
with contacts, stops and friction (the servo's own row). Limits that depend on speed are
those of the step's start. Asymmetric limits become an effort at their middle, carried
by the companion, and a limit of half their distance.
"""

from collections.abc import Iterable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    JointActuator,
    JointIndex,
    ModelInstanceIndex,
    PdControllerGains,
)

from webmotor_drake.drive.effort_limits import OFF
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import (
    BRAKE,
    COMPANION,
    MODEL_LOOP,
    add_beside,
)
from webmotor_drake.drive.servo_parameters import (
    add_damping_note,
    added_damping,
)
from webmotor_drake.errors import InputError
from webmotor_drake.loops import record, records
from webmotor_drake.loops.rows import Demand, ModelState
from webmotor_drake.loops.servo_step import NO_DAMPING, brake_gain, middle_of
from webmotor_drake.motor.tables import MotorTables
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import is_modelled

SERVO = record("Servo")
# The largest cfm^-1 of a servo. The solver caps it anyway.
_STIFFEST = 1e12
# The solver's cap: slip per effort is at least this times dt / inertia (SAP's
# near-rigid regularisation, beta^2 / (4 pi^2) with beta = 0.1).
_NEAR_RIGID = 0.01 / (4 * np.pi**2)

# A brake's gain is at most this share of the solver's cap, so its effort is known.
_BRAKE_SHARE = 0.25
# The slip that rounding of the fed-forward effort may leave, rad/s or m/s. Unrounded,
# the solver's own noise would come back and cost an iteration without need.
_SLIP = 2e-8
_PIECES = [ModelState.SLOPE, ModelState.LOW, ModelState.HIGH]


def add_servo(
    plant: MultibodyPlant,
    joint: Joint,
    actuator: JointActuator | None,
    parameters: JointParameters,
    *,
    braked: bool,
    modelled: bool,
) -> None:
    """Adds the actuators that make a joint a velocity servo; `arm_servos` turns it on.

    Args:
        plant: not yet finalized.
        joint: joint to drive.
        actuator: the joint's own; None adds one.
        parameters: the joint's spring and damper.
        braked: True if a brake will add damping at run time.
        modelled: True if its motor has a motor model.

    Raises:
        InputError: the joint has been prepared already.
    """
    if plant.HasJointActuatorNamed(
        joint.name() + COMPANION, joint.model_instance()
    ):
        raise InputError(
            f"configure_actuators has prepared joint {joint.name()} already"
        )
    if actuator is None:
        actuator = plant.AddJointActuator(f"{joint.name()}_parameters", joint)
    add_beside(plant, actuator, COMPANION)
    if modelled:
        add_beside(plant, actuator, MODEL_LOOP)
    if braked:
        add_beside(plant, actuator, BRAKE)
    if added_damping(plant, parameters):
        add_damping_note(plant, joint)


def arm_servos(model: ModelMotors) -> None:
    """Gives a model's servos and brakes their gains.

    Args:
        model: motors whose joints `add_servo` has prepared.
    """
    cfm = model.named[0].driver.cfm
    stiffness = min(1.0 / cfm, _STIFFEST) if cfm > 0 else _STIFFEST
    for servo in model.acting:
        servo.set_controller_gains(PdControllerGains(p=0.0, d=stiffness))
    for i in model.brakes.values():
        joint = model.acting[i].joint()
        brake = model.plant.GetJointActuatorByName(
            joint.name() + BRAKE, joint.model_instance()
        )
        brake.set_controller_gains(PdControllerGains(p=0.0, d=NO_DAMPING))


def prepared_joints(
    plant: MultibodyPlant, models: Iterable[ModelInstanceIndex]
) -> dict[JointIndex, Joint]:
    """Returns the joints of models that `add_servo` has prepared, by index."""
    return {
        joint.index(): joint
        for model in models
        for joint in map(plant.get_joint, plant.GetJointIndices(model))
        if plant.HasJointActuatorNamed(joint.name() + COMPANION, model)
    }


class ServoGains:
    """Writes a run's changing gains and effort limits to the plant.

    Args:
        model: motors whose joints `add_servo` has prepared.
        servos: the model's records, see `servo_records`.
        tables: the layout of the state.
    """

    def __init__(
        self, model: ModelMotors, servos: np.ndarray, tables: MotorTables
    ):
        self._tables, there = tables, model.actuators
        self._braked, self._modelled = (
            np.flatnonzero(servos[slot] >= 0)
            for slot in ("brake_slot", "loop_slot")
        )
        braked, modelled = servos[self._braked], servos[self._modelled]
        self._brakes = [there[slot] for slot in braked["brake_slot"]]
        self._strongest = braked["strongest"].tolist()
        self._loops = [there[slot] for slot in modelled["loop_slot"]]
        for loop in self._loops:  # else the first step takes them for passive
            _set_gain(loop, NO_DAMPING)
        self._written = b""  # fast to compare

    def write(self, values: np.ndarray) -> None:
        """Writes gains and limits if they differ from those written last."""
        table = self._tables.demand_table(values)
        damping = table[Demand.BRAKE, self._braked]
        pieces = np.zeros((3, 0))
        if self._loops:
            table = self._tables.models_table(values)
            pieces = table[_PIECES][:, self._modelled]
        written = damping.tobytes() + pieces.tobytes()
        if written == self._written:
            return
        self._written = written
        for brake, given, most in zip(
            self._brakes, damping.tolist(), self._strongest, strict=True
        ):
            _set_gain(brake, brake_gain(given, most)[0])
        for loop, gain, low, high in zip(
            self._loops, *pieces.tolist(), strict=True
        ):
            _set_gain(loop, gain)
            loop.set_effort_limit(max(middle_of(low, high)[1], OFF))


def _least_slip(model: ModelMotors) -> np.ndarray:
    """Returns the solver's cap: the least slip per effort of the servos, shape (m,)."""
    plant = model.plant
    v = [servo.joint().velocity_start() for servo in model.acting]
    inertia = plant.CalcMassMatrix(plant.CreateDefaultContext())
    mobility = np.diag(np.linalg.inv(inertia))[v]
    return _NEAR_RIGID * plant.time_step() * mobility


def servo_records(model: ModelMotors, free: int) -> np.ndarray:
    """Returns a model's servos as `SERVO` records, shape (m,).

    Args:
        model: motors whose joints `add_servo` has prepared; m joints act.
        free: place of the first brake's effort in the tables' vector.
    """
    joints = [servo.joint() for servo in model.acting]
    slots = {actuator.name(): i for i, actuator in enumerate(model.actuators)}
    slip, nq = _least_slip(model), model.plant.num_positions()
    brakes, loops, places = np.full((3, len(joints)), -1)
    for place, i in enumerate(sorted(set(model.brakes.values())), start=free):
        brakes[i], places[i] = slots[joints[i].name() + BRAKE], place
    for i, motor in enumerate(model.motors.values()):
        if is_modelled(motor):
            loops[i] = slots[joints[i].name() + MODEL_LOOP]
    return records(
        SERVO,
        [given.spring_constant for given in model.acting_parameters],
        _SLIP / slip,
        model.softness,
        _BRAKE_SHARE / slip,
        model.actuation_slots()[1],
        [slots[joint.name() + COMPANION] for joint in joints],
        brakes,
        loops,
        places,
        [joint.position_start() for joint in joints],
        [nq + joint.velocity_start() for joint in joints],
    )


def _set_gain(actuator: JointActuator, gain: float) -> None:
    gains = PdControllerGains(p=0.0, d=max(gain, NO_DAMPING))
    actuator.set_controller_gains(gains)
