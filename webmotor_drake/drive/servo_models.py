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
from webmotor_drake.drive.servo_actuators import NO_DAMPING
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.models.model_state import ModelState
from webmotor_drake.motor.tables import Demand, MotorTables


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
        order = list(plant.GetJointActuatorIndices(model.instance))
        self._loops = [
            plant.GetJointActuatorByName(model_loop_name(j), model.instance)
            for j in joints
        ]
        for loop in self._loops:  # else the first step takes them for passive
            loop.set_controller_gains(PdControllerGains(p=0.0, d=NO_DAMPING))
        self._slots = np.array([order.index(a.index()) for a in self._loops])
        self._servo_slots = model.actuation_slots(plant)[1][laws.own]
        self._velocities = plant.num_positions() + np.array(
            [joint.velocity_start() for joint in joints]
        )

    def settle(
        self, values: np.ndarray, net: np.ndarray, plant_state: np.ndarray
    ) -> None:
        """Takes the loops' efforts out of `net`, which reports sums, and notes them.

        Args:
            values: the vector of the tables, which is written.
            net: what the model's actuators applied; written.
            plant_state: [q, v] after the step.
        """
        own = self._laws.own
        table = self._tables.models_table(values)
        _, fall, low, high = table[ModelState.ANCHOR : ModelState.HIGH + 1, own]
        middle, half = _middle(low, high)
        w = plant_state[self._velocities]
        seeks = self._seeks(table[:, own], middle)
        loop = np.clip(fall * (seeks - w), -half, half)
        net[self._servo_slots] -= loop
        table[ModelState.EFFORT, own] = middle + loop

    def finish(
        self, values: np.ndarray, friction: np.ndarray, plant_state: np.ndarray
    ) -> None:
        """Notes what the step has done; see `ModelLaws.finish`.

        Args:
            values: the vector of the tables, which is written.
            friction: of the motors' joints, shape (m,), N m or N.
            plant_state: [q, v] after the step.
        """
        own = self._laws.own
        table = self._tables.models_table(values)
        effort = table[ModelState.EFFORT, own]
        self._laws.finish(
            table,
            self._tables.command_table(values),
            plant_state[self._velocities],
            effort,
            friction,
        )
        values[self._tables.effort][own] = effort

    def prepare(self, values: np.ndarray, desired: np.ndarray) -> None:
        """Writes the pieces of the laws to the tables and to `desired`."""
        own = self._laws.own
        table = self._tables.models_table(values)
        demand = self._tables.demand_table(values)
        rows = self._laws.anchored(table, self._tables.command_table(values))
        effort, fall, low, high = rows
        held = fall <= NO_DAMPING
        low = np.where(held, np.clip(effort, low, high), low)
        high = np.where(held, low, high)
        fall = np.where(held, 0.0, fall)
        table[ModelState.ANCHOR : ModelState.HIGH + 1, own] = (
            *(effort, fall),
            *(low, high),
        )
        middle, _ = _middle(low, high)
        demand[Demand.VELOCITY_COMMAND, own] = 0.0
        demand[Demand.EFFORT_LIMIT, own] = table[ModelState.BUDGET, own]
        demand[Demand.DIRECT_EFFORT, own] = middle
        half = len(desired) // 2
        desired[half + self._slots] = self._seeks(table[:, own], middle)

    @staticmethod
    def _seeks(mine: np.ndarray, middle: np.ndarray) -> np.ndarray:
        """Returns the velocities at which loops make no effort of their own."""
        fall = mine[ModelState.SLOPE]
        away = (mine[ModelState.ANCHOR] - middle) / np.where(fall, fall, 1.0)
        return np.where(fall, mine[ModelState.START_VELOCITY] + away, 0.0)

    def write(self, values: np.ndarray) -> None:
        """Writes the loops' gains and limits to the plant, a register of the run's."""
        mine = self._tables.models_table(values)[:, self._laws.own]
        _, half = _middle(mine[ModelState.LOW], mine[ModelState.HIGH])
        gains = np.maximum(mine[ModelState.SLOPE], NO_DAMPING)
        for loop, gain, limit in zip(
            self._loops, gains.tolist(), half.tolist(), strict=True
        ):
            loop.set_controller_gains(PdControllerGains(p=0.0, d=gain))
            loop.set_effort_limit(max(limit, OFF))


def _middle(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the middle of limits, and how far they are from it; 0 if infinite."""
    finite = np.isfinite(low) & np.isfinite(high)
    middle = (np.where(finite, low, 0.0) + np.where(finite, high, 0.0)) / 2
    return middle, np.where(finite, (high - low) / 2, np.inf)
