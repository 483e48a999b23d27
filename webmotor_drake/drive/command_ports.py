"""Input ports by which a diagram commands motors."""

import numpy as np
from pydrake.systems.framework import Context, LeafSystem

from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import Kind

# In the order in which they act.
COMMAND_PORTS = {
    "target_position": Kind.POSITION,
    "target_velocity": Kind.VELOCITY,
    "available_effort": Kind.AVAILABLE_EFFORT,
    "direct_effort": Kind.EFFORT,
}
DESIRED_STATE = "desired_state"


class CommandPorts:
    """Vector ports with one element per motor, in device order.

    Once per motor period they act as the controller's calls would; NaN, and a port that
    is not connected, command nothing.

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

    Args:
        system: gets the ports.
        size: the number of motors.
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

    def commands(self, context: Context) -> dict[Kind, np.ndarray]:
        """Returns the ports' present commands: by kind a value per motor."""
        given = {
            kind: port.Eval(context)
            for kind, port in self._ports
            if port.HasValue(context)
        }
        if self._desired_state.HasValue(context):
            self._follow(self._desired_state.Eval(context), given)
        if Kind.VELOCITY in given and Kind.POSITION not in given:
            idle = np.isnan(given[Kind.VELOCITY])
            turning = np.where(idle, np.nan, np.inf)
            given = {Kind.POSITION: turning, **given}
        return given

    def _follow(
        self, desired_state: np.ndarray, given: dict[Kind, np.ndarray]
    ) -> None:
        """Adds the commands of a desired state to those `given`."""
        if Kind.POSITION in given:
            raise InputError(
                "target_position and desired_state both have a value; one of"
                " them is allowed"
            )
        given[Kind.POSITION] = desired_state[: self._size]
        given[Kind.FEEDFORWARD] = np.nan_to_num(
            desired_state[self._size :], nan=0.0, posinf=np.inf, neginf=-np.inf
        )

    def command_efforts(self, context: Context) -> bool:
        """Returns whether a port that sets efforts, or their limits, has a value."""
        efforts = Kind.AVAILABLE_EFFORT, Kind.EFFORT
        return any(
            port.HasValue(context)
            for kind, port in self._ports
            if kind in efforts
        )
