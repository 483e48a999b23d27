"""Commands and status of motors over LCM, as with Drake's own drivers.

The messages are Drake's `lcmt_panda_command` and `lcmt_panda_status`. No other pair of
Drake's has positions, velocities and efforts of any number of joints in double
precision. pydrake's PandaCommandSender and PandaStatusReceiver use them.
"""

import functools
import math

import numpy as np
from drake import lcmt_panda_command, lcmt_panda_status
from pydrake.common.value import AbstractValue
from pydrake.lcm import DrakeLcmInterface
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiagramBuilder,
    LeafSystem,
)
from pydrake.systems.lcm import (
    LcmBuses,
    LcmPublisherSystem,
    LcmSubscriberSystem,
)

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import warn
from webmotor_drake.loops.rows import Command


def find_bus(
    builder: DiagramBuilder, lcm_buses: LcmBuses, name: str
) -> DrakeLcmInterface:
    """Returns a bus that exists.

    A bus in the diagram comes first: if LcmBuses finds it, the subscribers of Drake
    1.58 crash.
    """
    system = f"LcmInterfaceSystem(bus_name={name})"
    if builder.HasSubsystemNamed(system):
        return builder.GetSubsystemByName(system)
    return lcm_buses.Find("The motors", name)


def add_channels(
    builder: DiagramBuilder,
    model: str,
    motors: MotorSystem,
    lcm: DrakeLcmInterface,
) -> None:
    """Adds the channels "<MODEL>_COMMAND" and "<MODEL>_STATUS" of a model.

    A command has three lists, each empty or with one value per motor in device order:
    `joint_position` (rad or m), `joint_velocity` (rad/s or m/s; without positions
    velocity control), `joint_torque` (N m or N, direct effort). NaN leaves a motor as
    it is. A status is sent at the end of every motor period: positions and velocities,
    measured and commanded, and efforts; NaN for unknown values.

    Args:
        builder: the diagram, with plant and motors in it.
        model: name of the model.
        motors: motors of the model, with unconnected command ports.
        lcm: the bus.
    """
    channel = model.upper()
    subscriber = builder.AddNamedSystem(
        f"{model}.command_subscriber",
        LcmSubscriberSystem.Make(f"{channel}_COMMAND", lcmt_panda_command, lcm),
    )
    receiver = builder.AddNamedSystem(
        f"{model}.command_receiver",
        _CommandReceiver(f"{channel}_COMMAND", len(motors.devices.names)),
    )
    builder.Connect(subscriber.get_output_port(), receiver.get_input_port())
    for name in ("target_position", "target_velocity", "direct_effort"):
        builder.Connect(receiver.GetOutputPort(name), motors.GetInputPort(name))
    sources = (
        motors.model.plant.get_state_output_port(),
        motors.GetOutputPort("command"),
        motors.get_effort_output_port(),
    )
    sender = builder.AddNamedSystem(
        f"{model}.status_sender",
        _StatusSender(motors, [port.size() for port in sources]),
    )
    for i, port in enumerate(sources):
        builder.Connect(port, sender.get_input_port(i))
    publisher = builder.AddNamedSystem(
        f"{model}.status_publisher",
        LcmPublisherSystem.Make(
            f"{channel}_STATUS",
            lcmt_panda_status,
            lcm,
            publish_period=motors.period,
        ),
    )
    builder.Connect(sender.get_output_port(), publisher.get_input_port())


class _CommandReceiver(LeafSystem):
    """Turns an `lcmt_panda_command` into values of the motors' command ports."""

    def __init__(self, channel: str, size: int):
        super().__init__()
        self._channel, self._size = channel, size
        self._message = self.DeclareAbstractInputPort(
            "message", AbstractValue.Make(lcmt_panda_command())
        )
        for name, field in (
            ("target_position", "joint_position"),
            ("target_velocity", "joint_velocity"),
            ("direct_effort", "joint_torque"),
        ):
            calc = functools.partial(self._calc, field)
            self.DeclareVectorOutputPort(name, size, calc)

    def _calc(self, field: str, context: Context, output: BasicVector) -> None:
        values = self._values(context, field)
        if field == "joint_position":
            # Infinite for those that only have a velocity.
            velocities = self._values(context, "joint_velocity")
            turning = np.isnan(values) & ~np.isnan(velocities)
            values = np.where(turning, math.inf, values)
        output.SetFromVector(values)

    def _values(self, context: Context, field: str) -> np.ndarray:
        """Returns a field of the message, shape (n,); NaN where it is missing."""
        values = getattr(self._message.Eval(context), field)
        if len(values) == self._size:
            return np.array(values, dtype=float)
        if len(values):
            warn(
                f"channel {self._channel}: {field} of {len(values)} numbers is"
                f" ignored; {self._size} are needed, one per motor"
            )
        return np.full(self._size, math.nan)


class _StatusSender(LeafSystem):
    """Makes an `lcmt_panda_status` of the motors' state."""

    def __init__(self, motors: MotorSystem, sizes: list[int]):
        super().__init__()
        self._motors = motors
        names = "plant_state", "command", "effort"
        self._ports = list(map(self.DeclareVectorInputPort, names, sizes))
        self.DeclareAbstractOutputPort(
            "status",
            lambda: AbstractValue.Make(lcmt_panda_status()),
            self._calc_status,
        )

    def _calc_status(self, context: Context, output: AbstractValue) -> None:
        n = len(self._motors.devices.names)
        state, command, effort = (port.Eval(context) for port in self._ports)
        command = command.reshape(len(Command), n)
        status = lcmt_panda_status()
        status.utime = round(context.get_time() * 1e6)
        status.num_joints = n
        status.joint_position = state[self._motors.position_indices].tolist()
        targets = command[Command.TARGET_POSITION]
        status.joint_position_desired = targets.tolist()
        status.joint_velocity = state[self._motors.velocity_indices].tolist()
        status.joint_torque = effort.tolist()
        velocities = command[Command.TARGET_VELOCITY]
        status.joint_velocity_desired = velocities.tolist()
        unknown = [math.nan] * n
        status.joint_acceleration_desired = unknown
        status.joint_torque_desired = unknown
        status.joint_torque_external = unknown
        output.set_value(status)
