"""The motors of one of many models at a start again, all others as they are."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.topology import velocities
from webmotor_drake.motor.tables import Command, MotorTables


class ModelRestarts:
    """Takes columns of the tables back to their initial values, model by model.

    Args:
        plant: the finalized plant.
        model: the motors of all models.
        velocities: places of the trees' velocities among the plant's.
        tables: the layout.
        initial: the vector before the first step.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        velocities: np.ndarray,
        tables: MotorTables,
        initial: np.ndarray,
    ):
        self._plant, self._model = plant, model
        self._velocities, self._tables = velocities, tables
        self._initial = initial
        self._known: dict[
            ModelInstanceIndex, tuple[np.ndarray, np.ndarray, np.ndarray]
        ] = {}

    def restart(
        self,
        values: np.ndarray,
        instance: ModelInstanceIndex,
        q: np.ndarray,
        held: slice,
        foreseen: slice,
    ) -> None:
        """Makes the motors of a model hold their joints where they are.

        Args:
            values: the vector of all, which is changed.
            instance: the model.
            q: positions of all motors' joints, shape (n,), rad or m.
            held: place of the joints' efforts, with which a drive begins.
            foreseen: place of the velocities that it foresaw.
        """
        if instance not in self._known:
            self._known[instance] = self._places(instance)
        motors, joints, rows = self._known[instance]
        tables, initial, shape = self._tables, self._initial, (-1, len(q))
        per_motor = tables.command, tables.law_state, tables.line, tables.models
        for table in per_motor:
            given = initial[table].reshape(shape)[:, motors]
            values[table].reshape(shape)[:, motors] = given
        demand = tables.demand_table(values)
        demand[:, joints] = tables.demand_table(initial)[:, joints]
        values[tables.effort][motors] = 0.0
        values[held][joints] = 0.0
        values[foreseen][rows] = np.nan  # nobody has missed it
        if values[tables.last_step] >= 0:  # else the first step does so
            on_their_way = tables.line_tables(values)
            for table in (tables.command_table(values), *on_their_way):
                table[Command.TARGET_POSITION, motors] = q[motors]

    def _places(
        self, instance: ModelInstanceIndex
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns a model's places among motors, joints and the trees' velocities."""
        plant, acting = self._plant, self._model.acting
        models = [actuator.joint().model_instance() for actuator in acting]
        joints = np.flatnonzero([model == instance for model in models])
        own = velocities(plant, plant.GetJointIndices(instance))
        rows = np.flatnonzero(np.isin(self._velocities, own))
        return joints[joints < len(self._model.motors)], joints, rows
