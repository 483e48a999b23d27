"""The port and the state of a battery that feeds a model's motors."""

from collections.abc import Sequence

import numpy as np
from pydrake.systems.framework import Context, DiscreteValues, LeafSystem

from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.step import MotorStep

# Of the drivers' propellers, in their order: |thrust| + |torque| (WbMotor.cpp).
PROPELLER_EFFORTS = "propeller_efforts"


class BatteryPorts:
    """Input `charging_power` (W), output `battery`: J, and 1 or 0 for on or off.

    With propellers there is the input `propeller_efforts`, too: it says the efforts of
    `turning` motors.
    """

    def __init__(
        self,
        system: LeafSystem,
        battery: Battery,
        motor_step: MotorStep,
        turning: Sequence[int],
    ):
        self._motor_step = motor_step
        self._charging_port = system.DeclareVectorInputPort("charging_power", 1)
        index = system.DeclareDiscreteState([battery.energy, 1.0])
        system.DeclareStateOutputPort("battery", index)
        self._index = int(index)
        self._turning = turning
        if turning:
            self._efforts_port = system.DeclareVectorInputPort(
                PROPELLER_EFFORTS, len(turning)
            )

    def now(
        self, context: Context, state: DiscreteValues
    ) -> tuple[np.ndarray, float]:
        """Returns the energy, J, with 1 or 0 for on or off; a charger's power, W."""
        charge = 0.0
        if self._charging_port.HasValue(context):
            charge = self._charging_port.Eval(context)[0]
        return state.get_mutable_value(self._index), charge

    def use(
        self, context: Context, state: DiscreteValues, values: np.ndarray
    ) -> np.ndarray:
        """Draws the energy of the motor step just finished from the tables' battery.

        Returns:
            The energy left, J, and 1 or 0 for on or off.
        """
        level, charge = self.now(context, state)
        feedback = self._motor_step.feedback(values)
        if self._turning:
            feedback[self._turning] = self._efforts_port.Eval(context)
        self._motor_step.use_battery(values, level, feedback, charge)
        return level
