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

    With propellers there is the input `propeller_efforts`, too.

    Args:
        system: gets the ports and the state.
        battery: source that feeds the motors.
        motor_step: the motors.
        turning: those of propellers, in device order.
    """

    def __init__(
        self,
        system: LeafSystem,
        battery: Battery,
        motor_step: MotorStep,
        turning: Sequence[int],
    ):
        self._battery, self._motor_step = battery, motor_step
        self._charging_port = system.DeclareVectorInputPort("charging_power", 1)
        index = system.DeclareDiscreteState([battery.energy, 1.0])
        system.DeclareStateOutputPort("battery", index)
        self._index = int(index)
        self._turning = turning
        if turning:
            self._efforts_port = system.DeclareVectorInputPort(
                PROPELLER_EFFORTS, len(turning)
            )

    def level(self, state: DiscreteValues) -> np.ndarray:
        """Returns the energy, J, and 1 or 0 for on or off."""
        return state.get_value(self._index)

    def use(
        self, context: Context, state: DiscreteValues, values: np.ndarray
    ) -> None:
        """Draws the energy of the motor step just finished.

        An empty battery takes the motors' available effort away; a charge gives
        back the maximum, whatever was available before (WbRobot.cpp, WbMotor.cpp).

        Args:
            context: of the system.
            state: ticket of the battery's level.
            values: the motors' tables, where the available effort changes.
        """
        charge = 0.0
        if self._charging_port.HasValue(context):
            charge = self._charging_port.Eval(context)[0]
        level = state.get_mutable_value(self._index)
        feedback = self._motor_step.feedback(values)
        if self._turning:
            feedback[self._turning] = self._efforts_port.Eval(context)
        self._motor_step.use_battery(
            values, self._battery, level, feedback, charge
        )
