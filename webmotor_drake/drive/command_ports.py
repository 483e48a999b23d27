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
    """Vector ports with an element a motor; NaN and no connection command nothing.

    Args:
        system: gets the ports.
        size: the number of motors.
    """

    def __init__(self, system: LeafSystem, size: int):
        self._ports = [
            (system.DeclareVectorInputPort(name, size), kind)
            for name, kind in COMMAND_PORTS.items()
        ]

    def commands(self, context: Context) -> StepCommands:
        """Returns what the ports command now."""
        commands = []
        for port, kind in self._ports:
            if port.HasValue(context):
                values = enumerate(port.Eval(context).tolist())
                commands += [
                    (motor, kind, value)
                    for motor, value in values
                    if not math.isnan(value)
                ]
        return commands
