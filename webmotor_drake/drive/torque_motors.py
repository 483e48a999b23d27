"""Motors whose effort is computed from free motion: `drive: torque`."""

from collections.abc import Callable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import Context, DiscreteValues

from webmotor_drake.drive.actuation_on_demand import ActuationOnDemand
from webmotor_drake.drive.force_ports import ForcePorts
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.model_restarts import ModelRestarts
from webmotor_drake.drive.motor_steps import SAME_TIME
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_drives import PlantDrives
from webmotor_drake.drive.plant_port import nothing_read
from webmotor_drake.drive.torque_drive import NOTHING, External, TorqueDrive
from webmotor_drake.drive.torque_models import TorqueModels
from webmotor_drake.drive.torque_problem import tree_by_tree
from webmotor_drake.drive.unseen_forces import (
    TOLERANCE,
    accelerates_otherwise,
    count_missed,
)
from webmotor_drake.loops import NO_ROW, entry
from webmotor_drake.loops.solver_constants import MOVING
from webmotor_drake.loops.step_start import NOT_FINITE, UNUSUAL
from webmotor_drake.loops.torque_start import TorqueStart
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.motor.tables import Demand


class TorqueMotors(MotorSystem):
    """A `MotorSystem` that computes its effort itself; see `TorqueDrive`.

    Besides the ports of that:

    .. pydrake_system::

        name: TorqueMotors
        input_ports:
        - applied_forces
        - net_actuation
        - generalized_acceleration
        - plant_parameters
        output_ports:
        - actuation_on_demand
        - port_selector

    The efforts of a plant step are computed half a step before it and held at
    `actuation`. Where forces act on the plant, `actuation_on_demand` takes its place,
    which is computed when the plant asks. That costs a little more, but a force that
    sets in at n dt is not there half a step before. See `ForcePorts`. A system has
    that output and `net_actuation` if `declare_actuation_on_demand` was called.

    Masses, damping and locks are those of the plant's Context. The joints of the
    model, and those on its trees that no motor drives, reach the velocities that the
    efforts were computed for. Where one does not, time and again, there is a
    MotorWarning: something acts on the model that the drive does not see. On a
    continuous plant its accelerations tell, `generalized_acceleration`.

    The `cfm` of the driver is the softness of the servos.
    """

    drive = "torque"

    def __init__(
        self, plant: MultibodyPlant, model: ModelMotors, driver: CheckedDriver
    ):
        trees = tree_by_tree(plant, [a.joint() for a in model.acting])
        # The efforts; the velocities that were foreseen; how the last step went; for
        # how many steps some velocity has been missed; whether the plant's parameters
        # are known to be its defaults.
        size = len(model.acting) + len(trees.velocities) + 3
        super().__init__(plant, model, driver, drive_state=size)
        self._trees = trees
        self._num_actuators, self._slots = model.actuation_slots(plant)
        cfm = model.softness(driver.config.cfm)
        self.drives = PlantDrives(plant, model, trees, self._plant_step, cfm)
        rows = trees.members["row"][np.argsort(trees.members["joint"])]
        rows, names = rows[: self._n], list(model.motors)
        laws = self.motor_step.models
        self._models = laws and TorqueModels(laws, self.tables, rows, names)
        self._tree_places = plant.num_positions() + trees.velocities
        start, end = self.tables.drive.start, self.tables.drive.stop
        self._held = slice(start, start + len(model.acting))
        self._foreseen = slice(self._held.stop, end - 3)
        self._went, self._missed, self._usual_plant = range(end - 3, end)
        foreseen = self._foreseen.start, self._foreseen.stop
        start = TorqueStart(
            [*self.tables.ends(self._held), foreseen],
            self._tree_places,
            TOLERANCE,
            self.position_indices,
            self.motor_step.friction,
            self.motor_step.row_commands.limits,
            self.period,
        )
        self._finish_and_run_law = entry(start.finish_and_run_law)
        self._misses = entry(start.misses)
        layout = self.tables, self.motor_step.initial_values()
        self._restarts = ModelRestarts(plant, model, trees.velocities, *layout)
        self._is_usual = (
            self._lead > 0
            and not (driver.battery or driver.config.delay or laws)
            and not any(model.kinematic)
        )
        self._parameters_port = self.DeclareAbstractInputPort(
            "plant_parameters", nothing_read()
        )
        self._forces = ForcePorts(self)
        self._due: ActuationOnDemand | None = None
        self._actuation_index = self._declare_state(
            "actuation", np.zeros(self._num_actuators)
        )
        if self._lead == 0:
            self._acceleration_port = self.DeclareVectorInputPort(
                "generalized_acceleration", plant.num_velocities()
            )
        self._declare_events(self._plant_step)

    def declare_actuation_on_demand(self) -> None:
        """Declares `net_actuation` and `actuation_on_demand`, before `Build`."""
        ports = self._state_port, self._parameters_port
        tickets = {self.input_port_ticket(port.get_index()) for port in ports}
        self._due = ActuationOnDemand(
            self,
            self._num_actuators,
            self._solve_now,
            {*tickets, self._forces.ticket, self.xd_ticket()},
        )

    def _on_demand(self, forces: External) -> bool:
        return self._due is not None and forces is not NOTHING

    def read_plant_parameters(self, context: Context) -> None:
        """Takes over masses, damping and locks now; see `MotorSystem`.

        Efforts of a plant step that has not been taken are computed anew.
        """
        values = self.mutable_tables(context)
        values[self._usual_plant] = 0.0
        step = values[self.tables.last_step] + SAME_TIME
        if (
            self._lead > 0
            and 0 <= context.get_time() <= step * self._plant_step
        ):
            state = context.get_mutable_discrete_state()
            plant_state = self._state_port.Eval(context)
            self._start_plant_step(context, state, values, plant_state)

    def _drive_in(self, context: Context, values: np.ndarray) -> TorqueDrive:
        """Returns the drive for the plant's parameters.

        An input costs 2 µs to look at. As long as a discrete plant with its default
        parameters does what was foreseen, they are what they were.
        """
        usual = self._lead > 0 and values[self._usual_plant]
        if usual and not values[self._missed]:
            return self.drives.usual
        drive = self._parameters_port.Eval(context)
        values[self._usual_plant] = drive is self.drives.usual
        if values[self._went] == 0.0:  # the first step
            drive.read_stops()
        return drive

    def look_ahead(self, context: Context) -> None:
        """Takes the drive to the present state; see `MotorSteps`."""
        values = self.table_values(context)
        usual = values[self._usual_plant] and not values[self._missed]
        if usual and self._forces.now(context) is NOTHING:
            self.drives.usual.look_ahead(self._state_port.Eval(context))

    def _start(self, context: Context) -> None:
        super()._start(context)
        self._forces.look(context)

    def next_actuation(self, context: Context) -> np.ndarray:
        """Returns the next efforts of the motors' actuators, shape (n,), N m or N."""
        on_demand = self._on_demand(self._forces.look(context))
        name = "actuation_on_demand" if on_demand else "actuation"
        return self.GetOutputPort(name).Eval(context)[self._slots[: self._n]]

    def _step_at_once(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
        row: np.ndarray,
        begins: bool,
    ) -> None:
        given = int(values.item(self._given))
        found = self._finish_and_run_law(
            values, plant_state, row, given, begins
        )
        if found == UNUSUAL:
            self._take_rows(context, values)
            found = self._finish_and_run_law(
                values, plant_state, NO_ROW, given, begins
            )
        if found == NOT_FINITE:
            self._positions(context, plant_state)  # raises
        if found or values.item(self._missed):
            self._count_missed(context, values, found != 0)
        if values.item(self._missed) or not values.item(self._usual_plant):
            self._start_plant_step(context, state, values, plant_state)
            return
        demand, effort = values[self.tables.demand], values[self._held]
        foreseen, last = values[self._foreseen], values.item(self._went)
        total, values[self._went] = self.drives.usual.solve(
            plant_state, demand, effort, NOTHING, foreseen, last
        )
        actuation = state.get_mutable_value(self._actuation_index)
        actuation[self._slots] = total

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        applied = values[self._held]
        on_demand = self._on_demand(self._forces.now(context))
        if on_demand:
            demand = self.tables.demand_table(values)
            applied = self._due.applied(context)[self._slots]
            applied -= self._parameters_port.Eval(context).spring_effort(
                plant_state, demand[Demand.BRAKE]
            )
            time, step = context.get_time(), self._plant_step
            values[self._foreseen] = self._due.foreseen(time, step)
        values[self.tables.effort] = applied[: self._n]
        if self._models is not None:
            w = plant_state[self.velocity_indices]
            self._models.finish(values, w, applied if on_demand else None)
        if self._lead == 0:
            missed = self._accelerates_otherwise(context, plant_state)
        else:
            missed = self._misses(values, plant_state)
        self._count_missed(context, values, missed)

    def _loads(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> np.ndarray:
        drive = self._drive_in(context, values)
        loads = drive.loads(plant_state, self._forces.now(context))
        return loads[: self._n]

    def effort_reader(self, context: Context) -> Callable[[], np.ndarray]:
        """Returns a reader of the efforts just done; see `MotorSteps`."""
        if not self._holds:
            return super().effort_reader(context)
        held = self.table_values(context)[self._held][: self._n]
        return lambda: held

    def feedback_reader(self, context: Context) -> Callable[[], np.ndarray]:
        """Returns a reader of the motors' feedback; see `MotorSteps`."""
        if not self._holds or any(self.model.kinematic):
            return super().feedback_reader(context)
        values = self.table_values(context)
        effort = values[self._held][: self._n]
        demand = self.tables.demand_table(values)
        direct = demand[Demand.DIRECT_EFFORT, : self._n]
        return lambda: effort - direct

    @property
    def _holds(self) -> bool:
        """True if the efforts of a plant step are there from its start."""
        return self._due is None and self._models is None

    def _finished_tables(self, context: Context) -> np.ndarray:
        if not self._holds:
            return super()._finished_tables(context)
        values = self.table_values(context).copy()
        values[self.tables.effort] = values[self._held][: self._n]
        return values

    def restart_model(
        self, context: Context, instance: ModelInstanceIndex
    ) -> None:
        """Makes the motors of one of many models those of a start.

        They hold their joints where these are in the plant until they are commanded.

        Args:
            context: this system's Context, which is changed.
            instance: the model, which has another state in the plant.
        """
        state = self._state_port.Eval(context)
        q = state[self.position_indices]
        values = self.mutable_tables(context)
        self._restarts.restart(values, instance, q, self._held, self._foreseen)

    def _accelerates_otherwise(
        self, context: Context, plant_state: np.ndarray
    ) -> bool:
        """Returns whether a continuous plant's trees accelerate unlike predicted."""
        actuation = context.get_discrete_state().get_value(
            self._actuation_index
        )
        expected = self._parameters_port.Eval(context).acceleration(
            plant_state, actuation[self._slots], self._forces.look(context)
        )
        found = self._acceleration_port.Eval(context)[self._trees.velocities]
        return accelerates_otherwise(found, expected, self._plant_step)

    def _count_missed(
        self, context: Context, values: np.ndarray, missed: bool
    ) -> None:
        if missed:
            self._forces.look(context)
            count_missed(values, self._missed, self.get_name())
        else:
            values[self._missed] = 0.0

    def _start_plant_step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
    ) -> None:
        forces = self._forces.now(context)
        if forces is not NOTHING and self._on_demand(forces):
            return
        effort, foreseen = values[self._held], values[self._foreseen]
        drive, last = self._drive_in(context, values), values.item(self._went)
        if self._models is not None:
            solved, went = values[self._models.solved], MOVING
            total = self._models.solve(
                drive, plant_state, values, effort, forces, foreseen, solved
            )
        else:
            demand = values[self.tables.demand]
            total, went = drive.solve(
                plant_state, demand, effort, forces, foreseen, last
            )
        values[self._went] = went
        actuation = state.get_mutable_value(self._actuation_index)
        actuation[self._slots] = total
        if self._lead == 0:  # a continuous plant has no step to wait for
            values[self.tables.effort] = effort[: self._n]

    def _solve_now(self, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's actuation now, and the velocities that it leads to."""
        values = self.table_values(context)
        actuation = np.zeros(self._num_actuators)
        foreseen = np.empty(len(self._tree_places))
        drive = self._parameters_port.Eval(context)
        effort = np.zeros(len(self.model.acting))
        state = self._state_port.Eval(context)
        forces = self._forces.look(context)
        if self._models is not None:
            solved = np.empty(2 * self._n)
            actuation[self._slots] = self._models.solve(
                drive, state, values, effort, forces, foreseen, solved
            )
        else:
            demand = values[self.tables.demand]
            actuation[self._slots], _ = drive.solve(
                state, demand, effort, forces, foreseen
            )
        return actuation, foreseen
