"""Input ports by which a diagram commands motors."""

import numpy as np
from pydrake.systems.framework import Context, LeafSystem

from webmotor_drake.errors import InputError
from webmotor_drake.loops.usual_commands import DESIRED, POSITIONS, VELOCITIES
from webmotor_drake.motor.commands import Kind

# In the order in which they act.
COMMAND_PORTS = {
    "target_position": Kind.POSITION,
    "target_velocity": Kind.VELOCITY,
    "available_effort": Kind.AVAILABLE_EFFORT,
    "direct_effort": Kind.EFFORT,
}
DESIRED_STATE = "desired_state"
# Bits of the ports that set efforts, or their limits, see `CommandPorts.given`.
EFFORTS = sum(
    1 << i
    for i, kind in enumerate(COMMAND_PORTS.values())
    if kind in (Kind.AVAILABLE_EFFORT, Kind.EFFORT)
)


class CommandPorts:
    """Vector ports with one element per motor, in device order.

    Once per motor period they act as the controller's calls would; NaN, and a port that
    is not connected, command nothing. A port that gets its first value by `FixValue`
    during a run acts from the next multiple of 16 periods on; after `Initialize`, and
    with a `MotorStepper`, at once.

    - `desired_state`, 2n elements, positions and then velocities, like a
      TrajectorySource with one derivative. Positions act as setPosition; velocities are
      added to the PID's output. With this feed-forward the joints do not lag behind a
      trajectory. Limits of velocity, acceleration and effort hold. NaN adds nothing.
      Not together with `target_position`.
    - `target_position`, rad or m: setPosition; infinite: velocity control.
    - `target_velocity`, rad/s or m/s: setVelocity. Without `target_position` the motors
      turn at this velocity. With it, this is the speed limit on the way there, as in
      Webots: at least 0; NaN keeps a motor's limit.
    - `available_effort`, N m or N: setAvailableTorque or setAvailableForce.
    - `direct_effort`, N m or N: setTorque or setForce, instead of the servo.

    Attributes:
        rows: functions that read a port if no other has a value, by its bit.
    """

    def __init__(self, system: LeafSystem, size: int):
        self._size = size
        self._desired_state = system.DeclareVectorInputPort(
            DESIRED_STATE, 2 * size
        )
        self._ports = [
            (kind, system.DeclareVectorInputPort(name, size))
            for name, kind in COMMAND_PORTS.items()
        ]
        self._all = [*(port for _, port in self._ports), self._desired_state]
        # Each returns a row for `usual_commands.follow`.
        self.rows = {
            POSITIONS: self._all[0].Eval,
            VELOCITIES: self._all[1].Eval,
            DESIRED: self._desired_state.Eval,
        }

    def given(self, context: Context) -> int:
        """Returns the ports that have a value, as a bit mask.

        A query costs 2 µs per port, so it is not made in every step.
        """
        return sum(
            1 << i for i, port in enumerate(self._all) if port.HasValue(context)
        )

    def commands(self, context: Context, given: int) -> dict[Kind, np.ndarray]:
        """Returns the ports' present commands: one value per motor for each kind.

        Args:
            context: Context of the system.
            given: bits of the ports that have a value, of the method `given`.
        """
        found = {
            kind: port.Eval(context)
            for i, (kind, port) in enumerate(self._ports)
            if given >> i & 1
        }
        if given >> len(self._ports):
            if Kind.POSITION in found:
                raise InputError(
                    "target_position and desired_state both have a value; one of"
                    " them is allowed"
                )
            desired = self._desired_state.Eval(context)
            found[Kind.POSITION] = desired[: self._size]
            found[Kind.FEEDFORWARD] = np.nan_to_num(
                desired[self._size :], nan=0.0, posinf=np.inf, neginf=-np.inf
            )
        if Kind.VELOCITY in found and Kind.POSITION not in found:
            idle = np.isnan(found[Kind.VELOCITY])
            turning = np.where(idle, np.nan, np.inf)
            found = {Kind.POSITION: turning, **found}
        return found
