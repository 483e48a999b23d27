"""Motors of which the effort is computed from free motion: `drive: torque`."""

from collections.abc import Mapping

import numpy as np
from pydrake.common.value import Value
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.systems.framework import BasicVector, Context, DiscreteValues

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.torque_drive import NOTHING, External, TorqueDrive
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.commands import StepCommands
from webmotor_drake.motor.tables import Demand


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
        - applied_generalized_force
        - applied_spatial_force
        - net_actuation
        output_ports:
        - actuation
        - effort
        - command
        - servo
        - tables

    The last three inputs are there with `external_forces` only. The forces are
    what else acts on the plant: connect them to what the plant's ports of the same
    names are connected to; `net_actuation` as for `ImplicitMotors`.

    The efforts of a plant step are computed half a step before it and held. With
    `external_forces` they are computed when the plant asks for them, which costs
    a little more: a force that sets in at n dt is not there half a step before.

    Args:
        plant: see `MotorSystem`, as for what is not listed here.
        cfm: softness of the servos, rad/s/(N m) or m/s/N.
        external_forces: whether there are the two inputs for them.
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
        external_forces: bool = False,
    ):
        self._computes = external_forces and plant.time_step() > 0
        super().__init__(
            plant,
            model,
            period=period,
            schedule=schedule,
            battery=battery,
            drive_state=0 if self._computes else len(model.acting),
        )
        self._num_actuators, self._slots = model.actuation_slots(plant)
        self._drive = TorqueDrive(
            plant,
            [actuator.joint() for actuator in model.acting],
            model.acting_parameters,
            step=self._plant_step,
            cfm=model.softness(cfm),
        )
        self._force_ports = ()
        if external_forces:
            self._declare_force_ports(plant)
        if self._computes:
            self._declare_computed_actuation()
        else:
            self._actuation_index = self._declare_state(
                "actuation", np.zeros(self._num_actuators)
            )
        self._declare_events(self._plant_step)

    def _declare_force_ports(self, plant: MultibodyPlant) -> None:
        self._force_ports = (
            self.DeclareVectorInputPort(
                "applied_generalized_force", plant.num_velocities()
            ),
            self.DeclareAbstractInputPort(
                "applied_spatial_force",
                Value[list[ExternallyAppliedSpatialForce]](),
            ),
        )

    def _declare_computed_actuation(self) -> None:
        self._net_port = self.DeclareVectorInputPort(
            "net_actuation", self._num_actuators
        )
        ports = self._state_port, *self._force_ports
        needs = {self.input_port_ticket(p.get_index()) for p in ports}
        needs.add(self.xd_ticket())
        self.DeclareVectorOutputPort(
            "actuation", self._num_actuators, self._calc_actuation, needs
        )

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        if self._computes:
            net = self._net_port.Eval(context)[self._slots]
            applied = net - self._drive.spring_effort(
                plant_state, self.tables.demand_table(values)[Demand.BRAKE]
            )
        else:
            applied = values[self.tables.drive]
        values[self.tables.effort] = applied[: self._n]

    def _start_plant_step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
    ) -> None:
        if self._computes:
            return
        tables = self.tables
        effort = values[tables.drive]
        actuation = state.get_mutable_value(self._actuation_index)
        actuation[self._slots] = self._drive.solve(
            plant_state,
            values[tables.demand],
            effort,
            self._external(context),
        )
        if self._lead == 0:  # a continuous plant has no step to wait for
            values[tables.effort] = effort[: self._n]

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        actuation = np.zeros(self._num_actuators)
        actuation[self._slots] = self._drive.solve(
            self._state_port.Eval(context),
            self._values(context)[self.tables.demand],
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
