"""Input ports by which a diagram commands motors."""

import math

from pydrake.systems.framework import Context, LeafSystem

from webmotor_drake.motor.commands import Kind, StepCommands

# In the order in which they act.
COMMAND_PORTS = {
    "target_position": Kind.POSITION,
    "target_velocity": Kind.VELOCITY,
    "available_effort": Kind.AVAILABLE_EFFORT,
    "direct_effort": Kind.EFFORT,
}


class CommandPorts:
    """Vector ports with an element a motor, in device order.

    Once a motor period they act as the controller's calls would; NaN, and a port that
    is not connected, command nothing.

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
        self._ports = {
            kind: system.DeclareVectorInputPort(name, size)
            for name, kind in COMMAND_PORTS.items()
        }

    def commands(self, context: Context) -> StepCommands:
        """Returns what the ports command now."""
        given = {
            kind: port.Eval(context).tolist()
            for kind, port in self._ports.items()
            if port.HasValue(context)
        }
        if not given:
            return []
        if Kind.VELOCITY in given and Kind.POSITION not in given:
            turning = [
                v if math.isnan(v) else math.inf for v in given[Kind.VELOCITY]
            ]
            given = {Kind.POSITION: turning, **given}
        return [
            (motor, kind, value)
            for kind, values in given.items()
            for motor, value in enumerate(values)
            if not math.isnan(value)
        ]
