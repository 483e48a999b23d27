"""Motor models in the plant's contact solver.

A law of effort that falls with the joint's velocity is, piece by piece, an actuator
with the gains p = 0 and d, a velocity to seek and a limit of effort. The solver clips
it, together with contacts, stops and friction, which is the servo's own row; the laws'
limits by speed are those of the step's start. Limits that are not symmetric are an
effort in their middle, which the companion carries, and half of what is between them.
"""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import PdControllerGains

from webmotor_drake.drive.effort_limits import OFF
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import model_loop_name
from webmotor_drake.drive.servo_places import actuators_beside
from webmotor_drake.loops import entry, servo_pieces
from webmotor_drake.loops.model_state import ModelState
from webmotor_drake.loops.servo_pieces import NO_DAMPING
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.tables import MotorTables

_EFFORT, _SLOPE, _LOW, _HIGH = map(
    int,
    (ModelState.EFFORT, ModelState.SLOPE, ModelState.LOW, ModelState.HIGH),
)
_settle, _prepare = entry(servo_pieces.settle), entry(servo_pieces.prepare)


class ServoModels:
    """The laws of a model's m modelled motors in the solver; it keeps no state.

    Args:
        plant: the finalized plant.
        model: the motors.
        laws: of those with a model.
        tables: the layout of the state.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        laws: ModelLaws,
        tables: MotorTables,
    ):
        self._laws, self._tables = laws, tables
        joints = [model.driven[i].joint for i in laws.own]
        self._loops, self._slots = actuators_beside(
            plant, model, map(model_loop_name, joints)
        )
        for loop in self._loops:  # else the first step takes them for passive
            loop.set_controller_gains(PdControllerGains(p=0.0, d=NO_DAMPING))
        self._servo_slots = model.actuation_slots(plant)[1][laws.own]
        self._n = len(model.driven)
        self._written = b""  # fast to compare

    def settle(
        self, values: np.ndarray, net: np.ndarray, w: np.ndarray
    ) -> None:
        """Takes the loops' efforts out of `net`, which reports sums, and notes them.

        Args:
            values: the vector of the tables, which is written.
            net: efforts that the model's actuators applied; written.
            w: velocities of the motors' joints after the step, shape (n,).
        """
        taken, slots = self._laws.taken, self._servo_slots
        _settle(values[self._tables.models], net, taken, slots, w)

    def finish(
        self, values: np.ndarray, friction: np.ndarray, w: np.ndarray
    ) -> None:
        """Notes the results of the step; see `ModelLaws.finish`.

        Args:
            values: the vector of the tables, which is written.
            friction: of the motors' joints, shape (n,), N m or N.
            w: velocities of the motors' joints after the step, shape (n,).
        """
        own, tables = self._laws.own, self._tables
        effort = tables.models_table(values)[_EFFORT]
        models, command = values[tables.models], values[tables.command]
        self._laws.finish(models, command, w, effort, friction)
        values[tables.effort][own] = effort[own]

    def prepare(self, values: np.ndarray, desired: np.ndarray) -> None:
        """Writes the pieces of the laws to the tables and to `desired`."""
        tables, taken = self._tables, self._laws.taken
        models, demand = values[tables.models], values[tables.demand]
        _prepare(models, demand, desired, taken, self._slots, self._n)

    def write(self, values: np.ndarray) -> None:
        """Writes the loops' gains and limits to the plant, a register of the run's."""
        table = self._tables.models_table(values)
        pieces = table[[_SLOPE, _LOW, _HIGH]][:, self._laws.own]
        if pieces.tobytes() == self._written:
            return
        self._written = pieces.tobytes()
        for loop, gain, low, high in zip(
            self._loops, *pieces.tolist(), strict=True
        ):
            gains = PdControllerGains(p=0.0, d=max(gain, NO_DAMPING))
            loop.set_controller_gains(gains)
            loop.set_effort_limit(
                max(servo_pieces.middle_of(low, high)[1], OFF)
            )
