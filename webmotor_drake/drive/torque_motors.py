"""Motors of which the effort is computed from free motion: `drive: torque`."""

from collections.abc import Mapping

import numpy as np
from pydrake.common.value import Value
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteValues,
    OutputPort,
)

from webmotor_drake.compiled import ACTIVE
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.torque_drive import NOTHING, External, TorqueDrive
from webmotor_drake.drive.torque_step_loops import (
    MISSED,
    NOT_FINITE,
    finish_and_run_law,
)
from webmotor_drake.errors import warn
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.commands import StepCommands
from webmotor_drake.motor.tables import Demand

# How far a velocity may be from what the effort was computed for, rad/s or m/s, and
# as a share of the velocity: what solvers leave is a thousand times less.
_MISSED = 1e-4
# In so many plant steps on end: one may be a state that somebody set.
_STEPS_MISSED = 2
_UNSEEN = (
    "{name}: motors miss the velocities that their efforts were computed for;"
    " something acts on the model that the torque drive does not see (a contact,"
    " another actuator, a force, a mass or lock changed in the Context); drive:"
    " implicit sees it"
)


class TorqueMotors(MotorSystem):
    """A `MotorSystem` that computes its effort itself; see `TorqueDrive`.

    .. pydrake_system::

        name: TorqueMotors
        input_ports:
        - plant_state
        - target_position
        - target_velocity
        - available_effort
        - direct_effort
        - desired_state
        - applied_generalized_force
        - applied_spatial_force
        - net_actuation
        output_ports:
        - actuation
        - effort
        - command
        - servo
        - tables
        - actuation_on_demand

    The efforts of a plant step are computed half a step before it and held at
    `actuation`. What else acts on the plant is not seen, unless `see_forces` is
    called: it declares the last three inputs and the last output, which then takes
    the place of `actuation` and is computed when the plant asks. That costs a little
    more, but a force that sets in at n dt is not there half a step before.

    A motor that is not at its bound reaches the velocity that its effort was
    computed for. Where one does not, time and again, there is a MotorWarning:
    something acts on the model that the drive does not see.

    Args:
        plant: see `MotorSystem`, as for what is not listed here.
        cfm: softness of the servos, rad/s/(N m) or m/s/N.
    """

    drive = "torque"

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        *,
        period: float,
        cfm: float,
        schedule: Mapping[int, StepCommands],
        battery: Battery | None = None,
        delay: float = 0.0,
    ):
        # The efforts; how the last step went; for how many steps some velocity has
        # been missed; whether the plant's parameters were read.
        super().__init__(
            plant,
            model,
            period=period,
            schedule=schedule,
            battery=battery,
            delay=delay,
            drive_state=len(model.acting) + 3,
        )
        self._plant = plant
        self._num_actuators, self._slots = model.actuation_slots(plant)
        self._cfm = model.softness(cfm)
        self._drive = self._drive_for(None)
        # What `read_plant_parameters` puts in its place.
        self._drive_index = self.DeclareAbstractParameter(Value(self._drive))
        start, end = self.tables.drive.start, self.tables.drive.stop
        self._held, self._went = slice(start, end - 3), end - 3
        self._missed, self._read = end - 2, end - 1
        self._ends = self.tables.ends(self._held)
        self._times = np.array([period, self._plant_step])
        self._is_usual = (
            ACTIVE
            and self._lead > 0
            and not (battery or delay or any(model.kinematic))
            and not self._drive.has_locked_joints
        )
        self._force_ports = ()
        self._computes_on_demand = False
        self._actuation_index = self._declare_state(
            "actuation", np.zeros(self._num_actuators)
        )
        self._declare_events(self._plant_step)

    def _drive_for(self, plant_context: Context | None) -> TorqueDrive:
        return TorqueDrive(
            self._plant,
            [actuator.joint() for actuator in self.model.acting],
            self.model.acting_parameters,
            step=self._plant_step,
            cfm=self._cfm,
            plant_context=plant_context,
        )

    def read_plant_parameters(
        self, context: Context, plant_context: Context
    ) -> None:
        """Reads the plant's masses, damping and locked joints from its Context.

        To be called when they were changed there; without, the plant's defaults
        count, which the plant itself keeps.

        Args:
            context: this system's Context, which is changed.
            plant_context: the plant's.
        """
        parameter = context.get_mutable_abstract_parameter(self._drive_index)
        parameter.set_value(self._drive_for(plant_context))
        state = context.get_mutable_discrete_state()
        state.get_mutable_value(self._tables_index)[self._read] = 1.0

    def see_forces(self) -> None:
        """Declares the ports for what else acts on the plant, before `Build`.

        The forces are to be connected to what the plant's ports of the same names
        are connected to; `net_actuation` as for `ImplicitMotors`;
        `actuation_on_demand` instead of `actuation`.
        """
        self._force_ports = (
            self.DeclareVectorInputPort(
                "applied_generalized_force", self._plant.num_velocities()
            ),
            self.DeclareAbstractInputPort(
                "applied_spatial_force",
                Value[list[ExternallyAppliedSpatialForce]](),
            ),
        )
        if self._lead == 0:  # a continuous plant has no step to be late for
            return
        self._computes_on_demand, self._is_usual = True, False
        self._net_port = self.DeclareVectorInputPort(
            "net_actuation", self._num_actuators
        )
        ports = self._state_port, *self._force_ports
        needs = {self.input_port_ticket(p.get_index()) for p in ports}
        needs |= {self.xd_ticket(), self.all_parameters_ticket()}
        self.DeclareVectorOutputPort(
            "actuation_on_demand",
            self._num_actuators,
            self._calc_actuation,
            needs,
        )

    def get_actuation_output_port(self) -> OutputPort:
        """Efforts for the plant's actuation port of the model instance."""
        suffix = "_on_demand" if self._computes_on_demand else ""
        return self.GetOutputPort(f"actuation{suffix}")

    def _drive_in(self, context: Context, values: np.ndarray) -> TorqueDrive:
        if values[self._read] == 0.0:  # saves a look into the Context
            return self._drive
        return context.get_abstract_parameter(self._drive_index).get_value()

    def _steps_at_once(self, values: np.ndarray) -> bool:
        return self._is_usual and values[self._read] == 0.0

    def _step_at_once(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
        begins: bool,
    ) -> None:
        found = finish_and_run_law(
            *(values, self._ends, plant_state),
            *(
                self._drive.joints,
                self._drive.places,
                self._motor_step.friction,
            ),
            *(self._times, _MISSED, begins),
        )
        if found == NOT_FINITE:
            self._positions(context, plant_state)  # raises
        self._count_missed(values, found == MISSED)
        self._start_plant_step(context, state, values, plant_state)

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        drive = self._drive_in(context, values)
        applied = values[self._held]
        demand = values[self.tables.demand]
        if self._computes_on_demand:
            applied = self._net_port.Eval(context)[self._slots]
            applied -= drive.spring_effort(
                plant_state, demand.reshape(len(Demand), -1)[Demand.BRAKE]
            )
        values[self.tables.effort] = applied[: self._n]
        if self._lead == 0:  # a continuous plant follows its own course
            return
        self._count_missed(
            values, drive.misses(plant_state, demand, applied, _MISSED)
        )

    def _count_missed(self, values: np.ndarray, missed: bool) -> None:
        if not missed:
            values[self._missed] = 0.0
            return
        values[self._missed] += 1.0
        if values[self._missed] >= _STEPS_MISSED:
            warn(_UNSEEN.format(name=self.get_name()))

    def _start_plant_step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
    ) -> None:
        if self._computes_on_demand:
            return
        effort = values[self._held]
        drive = self._drive_in(context, values)
        total, values[self._went] = drive.solve(
            plant_state,
            values[self.tables.demand],
            effort,
            self._external(context),
            values.item(self._went),
        )
        actuation = state.get_mutable_value(self._actuation_index)
        actuation[self._slots] = total
        if self._lead == 0:  # a continuous plant has no step to wait for
            values[self.tables.effort] = effort[: self._n]

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        values = self._values(context)
        actuation = np.zeros(self._num_actuators)
        actuation[self._slots], _ = self._drive_in(context, values).solve(
            self._state_port.Eval(context),
            values[self.tables.demand],
            np.zeros(len(self.model.acting)),
            self._external(context),
        )
        output.SetFromVector(actuation)

    def _external(self, context: Context) -> External:
        """Returns what acts on the plant, as far as it is connected."""
        if not self._force_ports:
            return NOTHING
        return External(
            *(
                port.Eval(context) if port.HasValue(context) else None
                for port in self._force_ports
            )
        )
