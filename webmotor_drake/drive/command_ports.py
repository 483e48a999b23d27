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
    is not connected, command nothing. One that gets its first value by `FixValue` while
    a simulator runs acts from the next sixteenth period on; after `Initialize`, and
    where a `MotorStepper` steps, at once.

    - `desired_state`, 2n elements, positions and then velocities, as a TrajectorySource
      with one derivative has them: setPosition, and in every period the velocity is
      added to what the PID makes of the error. That is feed-forward: the joints follow
      a trajectory instead of running after it. Limits of velocity, acceleration and
      effort hold. NaN adds nothing. Not together with `target_position`.
    - `target_position`, rad or m: setPosition; infinite: velocity control.
    - `target_velocity`, rad/s or m/s: setVelocity. Without `target_position` the motors
      turn at this velocity, as if it were infinite. With it, this is the speed limit of
      the way there, as in Webots: at least 0, and NaN for the motors that keep theirs.
    - `available_effort`, N m or N: setAvailableTorque or setAvailableForce.
    - `direct_effort`, N m or N: setTorque or setForce, instead of the servo.

    Attributes:
        rows: functions that read a port which alone has a value, by its bit.
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
        # What they read is what `usual_commands.follow` takes.
        self.rows = {
            POSITIONS: self._all[0].Eval,
            VELOCITIES: self._all[1].Eval,
            DESIRED: self._desired_state.Eval,
        }

    def given(self, context: Context) -> int:
        """Returns which ports have a value: a bit for each.

        To ask costs 2 µs per port, so a run does once, as it starts.
        """
        return sum(
            1 << i for i, port in enumerate(self._all) if port.HasValue(context)
        )

    def commands(self, context: Context, given: int) -> dict[Kind, np.ndarray]:
        """Returns the ports' present commands: by kind a value per motor.

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
