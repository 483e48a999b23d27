"""Motors whose effort is computed from free motion: `drive: torque`."""

import math

import numpy as np
from pydrake.common.value import Value
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteValues,
    InputPort,
)

from webmotor_drake.drive.force_ports import HELD, ON_DEMAND
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.motor_system import SAME_TIME, Battery, MotorSystem
from webmotor_drake.drive.topology import velocities
from webmotor_drake.drive.torque_drive import NOTHING, External, TorqueDrive
from webmotor_drake.drive.torque_problem import tree_by_tree
from webmotor_drake.errors import warn
from webmotor_drake.loops import entry
from webmotor_drake.loops.model_pieces import DRY, GIVEN, ROWS
from webmotor_drake.loops.rows import Demand, ModelState
from webmotor_drake.loops.step_start import NOT_FINITE, UNUSUAL
from webmotor_drake.loops.torque_start import MISSED, TorqueStart
from webmotor_drake.loops.tree_solver import MOVING
from webmotor_drake.motor.driver_checks import CheckedDriver

# Tolerance on a predicted velocity, rad/s or m/s, and as a share of the velocity: the
# errors that solvers leave are a thousand times smaller.
TOLERANCE = 1e-4
# Missed steps in a row that are warned of: a single one may be a state that was set.
_STEPS = 2
_UNSEEN = (
    "{name}: joints miss the velocities that the motors' efforts were computed for;"
    " something acts on the model that the torque drive does not see (a contact,"
    " another actuator, a force, a constraint); drive: implicit sees it"
)
_UNSETTLED = (
    "the laws of the motors {names} were left {error:.1g} N m or N apart"
)


class TorqueMotors(MotorSystem):
    """A `MotorSystem` that computes its efforts itself; see `TorqueDrive`.

    It has the ports of `MotorSystem` and these:

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
    `actuation`. If forces act on the plant, `actuation_on_demand` takes its place,
    which is computed when the plant asks. That costs a little more, but a force that
    sets in at n dt is not known half a step before. `declare_actuation_on_demand` adds
    that output and `net_actuation`. `applied_forces` is for the port that
    `declare_forces` makes. `port_selector` tells Drake's PortSwitch which actuation is
    due.

    Masses, damping and locks are those of the plant's Context. All joints on the
    model's trees, driven or not, reach the velocities that the efforts were computed
    for. If one misses its velocity several times in a row, there is a MotorWarning:
    something acts on the model that the drive does not see. On a continuous plant
    accelerations are compared, from `generalized_acceleration`.

    The `cfm` of the driver is the softness of the servos.
    """

    drive = "torque"

    def __init__(self, model: ModelMotors, driver: CheckedDriver):
        plant = model.plant
        trees = tree_by_tree(plant, [a.joint() for a in model.acting])
        # The efforts; the velocities that were foreseen; how the last step went; for
        # how many steps some velocity has been missed; whether the plant's parameters
        # are known to be its defaults.
        size = len(model.acting) + len(trees.velocities) + 3
        super().__init__(model, driver, drive_state=size)
        self._trees = trees
        self._num_actuators, self._slots = model.actuation_slots()
        self.usual = TorqueDrive(
            model,
            trees,
            step=self._plant_step,
            plant_context=plant.CreateDefaultContext(),
        )
        rows = trees.members["row"][np.argsort(trees.members["joint"])]
        self._rows = rows[: self._n]
        # The solution for motor models overwrites the first pieces of a step.
        first = self.tables.models.start + ModelState.ANCHOR * self._n
        self._of_models = slice(first, first + 2 * self._n)
        self._tree_places = plant.num_positions() + trees.velocities
        self._held, end = self.tables.held, self.tables.drive.stop
        self._foreseen = slice(self._held.stop, end - 3)
        self._went, self._missed, self._usual_plant = range(end - 3, end)
        start, foreseen = self.motor_step.start, self._foreseen.start
        start = TorqueStart(start, self._tree_places, foreseen, TOLERANCE)
        self._run_step = entry(start.run)
        self._settle = entry(start.settle)
        self._places: dict[ModelInstanceIndex, tuple[np.ndarray, ...]] = {}
        self._parameters_port = self.DeclareAbstractInputPort(
            "plant_parameters", Value[object]()
        )
        self._forces_port = self.DeclareAbstractInputPort(
            "applied_forces", Value[object]()
        )
        self._pushes = self.input_port_ticket(self._forces_port.get_index())
        self.DeclareAbstractOutputPort(
            "port_selector",
            lambda: Value(HELD),
            self._select_port,
            {self._pushes},
        )
        self._net_port: InputPort | None = None
        # Per Context, if forces act: time of the plant's request, predicted velocities.
        never = [-math.inf, np.array(math.nan)]
        self._asked = self.DeclareAbstractParameter(Value[object](never))
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
        size = self._num_actuators
        self._net_port = self.DeclareVectorInputPort("net_actuation", size)
        tickets |= {self._pushes, self.xd_ticket()}
        self.DeclareVectorOutputPort(
            "actuation_on_demand", size, self._calc_on_demand, tickets
        )

    def _select_port(self, context: Context, output: Value) -> None:
        acts = self._look_at_forces(context) is not NOTHING
        output.set_value(ON_DEMAND if acts else HELD)

    def _look_at_forces(self, context: Context) -> External:
        found = self._forces_port.Eval(context)
        self._was_pushed |= found is not NOTHING
        return found

    def _was_acted_on(self, context: Context) -> bool:
        acts = self._look_at_forces(context) is not NOTHING
        return acts or self._found_on_demand(context) is not None

    def _found_on_demand(self, context: Context) -> np.ndarray | None:
        """Returns the velocities predicted if the plant asked in this step, or None."""
        asked, found = context.get_abstract_parameter(self._asked).get_value()
        since = context.get_time() - asked
        return found if 0 < since < self._plant_step else None

    def read_plant_parameters(self, context: Context) -> None:
        """Takes over masses, damping and locks now; see `MotorSystem`.

        Efforts of a plant step that is not taken yet are recomputed.
        """
        values = self.mutable_tables(context)
        values[self._usual_plant] = 0.0
        step = values[self.tables.last_step] + SAME_TIME
        begun = 0 <= context.get_time() <= step * self._plant_step
        if begun and self._lead > 0:
            state = context.get_mutable_discrete_state()
            plant_state = self._state_port.Eval(context)
            same = (None, 0.0), None, False, True  # neither commands nor law
            self._step(context, state, values, plant_state, *same)

    def _drive_in(self, context: Context, values: np.ndarray) -> TorqueDrive:
        """Returns the drive for the plant's parameters.

        While a discrete plant with default parameters moves as predicted, they cannot
        have changed; the port, which costs 2 µs, is not read.
        """
        if values.item(self._usual_plant):
            return self.usual
        drive = self._parameters_port.Eval(context)
        values[self._usual_plant] = self._lead > 0 and drive is self.usual
        if values[self._went] == 0.0:  # the first step
            drive.read_stops()
        return drive

    def next_actuation(self, context: Context) -> np.ndarray:
        """Returns the next efforts of the motors' actuators, shape (n,), N m or N."""
        acts = self._look_at_forces(context) is not NOTHING
        on_demand = acts and self._net_port is not None
        name = "actuation_on_demand" if on_demand else "actuation"
        return self.GetOutputPort(name).Eval(context)[self._slots[: self._n]]

    def _step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
        battery: Battery,
        row: np.ndarray | None,
        begins: bool,
        settled: bool,
    ) -> None:
        given = values, plant_state, *battery
        found = self._run_step(*given, row, begins, settled)
        if found & UNUSUAL:
            self._take_rows(context, values)
            again = self._run_step(*given, None, begins, True)
            found = found & MISSED | again
        if found == NOT_FINITE:
            self._positions(context, plant_state)  # raises
        if found:
            self._count_missed(context, values, missed=True)
        forces = self._look_at_forces(context) if self._was_pushed else NOTHING
        if forces is not NOTHING and self._net_port is not None:
            if forces.generalized is not None:
                return
            # A force may end as the step begins: then the held efforts are used.
            forces = NOTHING
        drive = self.usual
        if not values.item(self._usual_plant):  # saves a call
            drive = self._drive_in(context, values)
        actuation = state.get_mutable_value(self._actuation_index)
        actuation[self._slots] = self._efforts(
            drive, values, plant_state, forces
        )
        if self._lead == 0:  # a continuous plant has no step to wait for
            values[self.tables.effort] = values[self._held][: self._n]

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        applied = values[self._held]
        # A force may have ended since.
        on_demand = self._net_port is not None and self._was_pushed
        if on_demand and self._was_acted_on(context):
            applied = self._applied_on_demand(context, values, plant_state)
        missed = self._settle(values, plant_state, applied)
        if self._lead == 0:
            missed = self._accelerates_otherwise(context, plant_state)
        self._count_missed(context, values, missed)

    def _applied_on_demand(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> np.ndarray:
        """Returns the efforts that the plant asked for; notes predicted velocities."""
        tables, found = self.tables, self._found_on_demand(context)
        values[self._foreseen] = math.nan if found is None else found
        brakes = tables.demand_table(values)[Demand.BRAKE]
        applied = self._net_port.Eval(context)[self._slots]
        drive = self._parameters_port.Eval(context)
        applied -= drive.spring_effort(plant_state, brakes)
        if self.laws is not None:
            effort, friction = values[self._of_models].reshape(2, -1)
            table, command = values[tables.models], values[tables.command]
            w = plant_state[self.velocity_indices]
            self.laws.effort(effort, table, command, w)
            friction[:] = applied[: self._n] - effort
        return applied

    def _loads(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> np.ndarray:
        """Returns the other efforts on the motors' joints, shape (n,), N m or N."""
        drive = self._drive_in(context, values)
        forces = self._look_at_forces(context) if self._was_pushed else NOTHING
        return drive.loads(plant_state, forces)[: self._n]

    @property
    def _holds(self) -> bool:
        return self._net_port is None and self.laws is None

    def restart_model(
        self, context: Context, instance: ModelInstanceIndex
    ) -> None:
        """Resets the motors of one of many models, as at the start of a run.

        They hold their joints' present positions until they are commanded.

        Args:
            context: this system's Context, which is changed.
            instance: the model, after its state in the plant was set.
        """
        if instance not in self._places:
            models = [a.joint().model_instance() for a in self.model.acting]
            joints = np.flatnonzero([model == instance for model in models])
            plant = self.model.plant
            own = velocities(plant, plant.GetJointIndices(instance))
            rows = np.flatnonzero(np.isin(self._trees.velocities, own))
            places = joints[joints < self._n], joints, rows
            self._places[instance] = places
        motors, joints, rows = self._places[instance]
        q = self._state_port.Eval(context)[self.position_indices]
        values = self.mutable_tables(context)
        self.motor_step.restart(values, motors, joints, q)
        values[self._foreseen][rows] = np.nan  # nothing to be missed

    def _accelerates_otherwise(
        self, context: Context, plant_state: np.ndarray
    ) -> bool:
        """Returns whether a continuous plant's trees accelerate unlike predicted."""
        actuation = context.get_discrete_state().get_value(
            self._actuation_index
        )
        expected = self._parameters_port.Eval(context).acceleration(
            plant_state, actuation[self._slots], self._look_at_forces(context)
        )
        found = self._acceleration_port.Eval(context)[self._trees.velocities]
        step = self._plant_step
        off = step * np.abs(found - expected)
        return bool((off > TOLERANCE * (1.0 + step * np.abs(found))).any())

    def _count_missed(
        self, context: Context, values: np.ndarray, missed: bool
    ) -> None:
        """Counts steps that missed their velocities; warns of several in a row."""
        if not missed:
            values[self._missed] = 0.0
            return
        self._look_at_forces(context)
        values[self._missed] += 1.0
        values[self._usual_plant] = 0.0
        if values[self._missed] >= _STEPS:
            warn(_UNSEEN.format(name=self.get_name()))

    def _efforts(
        self,
        drive: TorqueDrive,
        values: np.ndarray,
        plant_state: np.ndarray,
        forces: External,
    ) -> np.ndarray:
        """Returns all efforts of a plant step; notes them and predicted velocities."""
        effort, foreseen = values[self._held], values[self._foreseen]
        demand = values[self.tables.demand]
        if self.laws is None:
            last = values.item(self._went)
            total, values[self._went] = drive.solve(
                plant_state, demand, effort, forces, foreseen, last
            )
            return total
        values[self._went], n = MOVING, self._n
        table, command = values[self.tables.models], values[self.tables.command]
        pieces = np.zeros(ROWS * n)
        laws = self.laws.taken, table, command, pieces, self._rows
        total, error = drive.solve_models(
            plant_state, demand.copy(), effort, forces, foreseen, *laws
        )
        if error:
            names = ", ".join(self.devices.names[i] for i in self.laws.own)
            warn(_UNSETTLED.format(names=names, error=error))
        pieces = pieces.reshape(ROWS, n)
        values[self._of_models] = pieces[[GIVEN, DRY]].ravel()
        return total

    def _calc_on_demand(self, context: Context, output: BasicVector) -> None:
        """Outputs the plant's actuation now; notes the velocities it leads to."""
        values = self.table_values(context).copy()
        values[self._held], values[self._went] = 0.0, MOVING
        actuation = np.zeros(self._num_actuators)
        actuation[self._slots] = self._efforts(
            self._parameters_port.Eval(context),
            values,
            self._state_port.Eval(context),
            self._look_at_forces(context),
        )
        # As in a cache: the same whoever asks, and when.
        asked = context.get_abstract_parameter(self._asked).get_value()
        asked[:] = context.get_time(), values[self._foreseen]
        output.SetFromVector(actuation)
