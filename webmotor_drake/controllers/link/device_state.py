"""The controller's state of its devices (motor.c, position_sensor.c, brake.c).

Getters return this, setters write it and queue a request; the simulator's own
state, after multipliers and clipping, comes back only in configuration messages.
A robot's devices have tags: 1 for the first, and so on.
"""

import enum
import functools
import math
import typing
from collections import deque
from collections.abc import Callable, Iterable

from webmotor_drake.controllers.link.requests import Requests
from webmotor_drake.host import messages
from webmotor_drake.host.devices import HostDevice, MotorDevice
from webmotor_drake.host.measuring import Measurement
from webmotor_drake.host.robot_host import MotorSettings, RobotHost
from webmotor_drake.host.senses.radio import Reception
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.node_types import Node


class Request(enum.IntEnum):
    """Requests besides `commands.Kind`, in their order within a step (messages.h)."""

    FEEDBACK_PERIOD = 5
    SAMPLING_PERIOD = 8
    RECOGNITION_PERIOD = 11
    ACTION = 100  # after all kinds of commands


class DeviceState:
    """A device as the controller sees it.

    Attributes:
        device: the simulator's side.
        tag: 1 for the robot's first device.
        name: the device's name.
        node: its fields.
        model: Solid.model; "" of what is no Solid, such as a motor.
        node_type: of `Node`.
        type: 0 rotational, 1 linear.
        joint: the joint that it is on; "": none.
        index: its place among the robot's devices of its kind.
        requests: what the next step sends, by number; the last of a kind wins.
        measurement: of what it measures, where it does.

    Args:
        device: the simulator's side of it.
        queue: what the next step sends; shared by all devices.
    """

    def __init__(self, device: HostDevice, queue: Requests):
        self.device: typing.Any = device
        self._waiting = queue.devices
        self._set: dict[str, typing.Any] = {}
        self._actions: list[Callable[[], object]] = []
        self.tag = device.tag
        self.name = device.name
        self.node = device.node
        self.model: str = getattr(device.node, "model", "")
        self.node_type = device.node_type
        self.joint = device.joint
        self.index = device.index
        self.type = device.type
        self.requests: dict[int, typing.Any] = {}
        if device.sampler is not None:
            self.measurement = Measurement(device.sampler, device.sampler.value)

    def get(self, field: str, default: typing.Any = None) -> typing.Any:
        """Returns a field as the controller has set it, or else as the node has it."""
        if field in self._set:
            return self._set[field]
        return getattr(self.node, field, default)

    def put(
        self,
        field: str,
        value: typing.Any,
        action: Callable[[], object] | None = None,
    ) -> None:
        """Sets a field as the controller sees it; the next step calls `action`."""
        self._set[field] = value
        if action is not None:
            self.request_action(action)

    def request(self, number: int, value: typing.Any = None) -> None:
        """Queues a request for the next step."""
        self.requests[number] = value
        self._waiting.add(self)

    def request_action(
        self, action: Callable[[], object] | None = None
    ) -> None:
        """Has the next step call an action, and the device act."""
        if action is not None:
            self._actions.append(action)
        self.request(Request.ACTION)

    def request_period(
        self, period: int, number: Request = Request.SAMPLING_PERIOD
    ) -> None:
        """Queues a sampling period, ms; 0: no more is measured."""
        self.measured(number).period = period
        self.request(number, period)

    def measured(self, number: int) -> Measurement:
        """Returns the measurement that a request for a period is about."""
        return self.measurement

    def act(self, milliseconds: int) -> None:
        """Executes the controller's requests, as a step of so many ms starts."""
        actions, self._actions = self._actions, []
        for action in actions:
            action()
        if self.device.act(milliseconds):
            self.request_action()

    def configure(self) -> None:
        """Takes over the fields that the simulator tells."""
        self._set |= self.device.told()

    def restart(self) -> None:
        """Clears its state: the simulation has been reset."""


class CameraState(DeviceState):
    """A camera as the controller sees it.

    Attributes:
        recognition: measurement of its recognition; None: no recognition.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        sampler = self.device.recognition
        self.recognition = sampler and Measurement(sampler, sampler.value)

    def measured(self, number: int) -> Measurement:
        """Returns the measurement of its recognition, or of its image."""
        if number == Request.RECOGNITION_PERIOD and self.recognition:
            return self.recognition
        return self.measurement


class ReceiverState(DeviceState):
    """A receiver as the controller sees it (receiver.c).

    Attributes:
        queue: what it has received and the controller has not dropped.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.queue: deque[Reception] = deque()
        self.measurement.told = self._take_over

    def restart(self) -> None:
        """Drops the received packets."""
        self.queue.clear()

    def _take_over(self) -> None:
        """Takes over the packets that fit in the buffer."""
        for reception in self.measurement.value:
            used = sum(len(packet.data) for packet in self.queue)
            size = self.node.buffer_size
            if size == -1 or len(reception.data) <= size - used:
                self.queue.append(reception)


class MotorState(DeviceState):
    """A motor as the controller sees it.

    Attributes:
        siblings: the motors that are coupled with it.
        settings: what the last configuration message told.
        target_position, target_velocity, acceleration, available_effort: as set,
            or as the last configuration message had it.
        feedback: the measurement of its effort.
        measurement: of its position, which the old Servo has.

    Args:
        device: the simulator's side of it.
        queue: what the next step sends; shared by all devices.
        settings: returns the motor as the simulator has it.
    """

    def __init__(
        self,
        device: MotorDevice,
        queue: Requests,
        settings: Callable[[], MotorSettings],
    ):
        super().__init__(device, queue)
        # Looked up once: a controller may command every motor in every step.
        self._positions = queue.rows[Kind.POSITION]
        self._velocities = queue.rows[Kind.VELOCITY]
        self._efforts = queue.rows[Kind.EFFORT]
        self.siblings: list[MotorState] = []
        self.feedback = Measurement(device.feedback)
        self._current = settings
        self.settings = settings()
        self.available_effort = self.settings.max_effort
        self.configure()

    def configure(self) -> None:
        """Takes over the simulator's values (motor.c motor_read_answer)."""
        settings = self._current()
        if self.available_effort == self.settings.max_effort:
            self.available_effort = settings.max_effort
        self.available_effort = min(self.available_effort, settings.max_effort)
        self.settings = settings
        self.target_position = settings.target_position
        self.target_velocity = settings.target_velocity
        self.acceleration = settings.acceleration

    def measured(self, number: int) -> Measurement:
        """Returns the measurement of its effort, or of its position."""
        if number == Request.FEEDBACK_PERIOD:
            return self.feedback
        return self.measurement

    def request_position(self, position: float) -> None:
        """Queues a target; stores it, times the multiplier for coupled motors."""
        self._positions[self] = position
        self.target_position = position
        for sibling in self.siblings:
            sibling.target_position = (
                position
                if math.isinf(position)
                else position * sibling.settings.multiplier
            )

    def request_velocity(self, velocity: float) -> None:
        """Queues a velocity; stores it, times the multiplier for coupled motors."""
        self._velocities[self] = velocity
        self.target_velocity = velocity
        for sibling in self.siblings:
            sibling.target_velocity = velocity * sibling.settings.multiplier

    def request_effort(self, effort: float) -> None:
        """Queues an effort."""
        self._efforts[self] = effort


class Absent:
    """Stands for a device that the robot does not have.

    Every use prints an error; numbers are NaN, requests go nowhere.
    """

    tag = 0
    joint = model = ""

    def __init__(self, name: str, kind: str):
        self.name = name
        self._kind = kind

    @property
    def settings(self) -> "Absent":
        """Stands for the settings, too."""
        return self

    @property
    def node(self) -> "Absent":
        """Stands for the node, too."""
        return self

    def get(self, field: str, default: typing.Any = None) -> typing.Any:
        """Returns NaN, with an error."""
        return getattr(self, field)

    def __getattr__(self, field: str) -> typing.Any:
        messages.error(
            f"{self._kind} {self.name!r}", "the robot has no such device"
        )
        if field in ("feedback", "measurement"):
            return Measurement(Sampler(lambda: math.nan))
        if field.startswith(("put", "set_", "request")):
            return _goes_nowhere
        return math.nan


def _goes_nowhere(*arguments: object) -> None:
    """Stands for a request of a device that is absent."""


_STATES: dict[int, type[DeviceState]] = {
    Node.CAMERA: CameraState,
    Node.RECEIVER: ReceiverState,
}


def device_states(
    host: RobotHost, queue: Requests, devices: Iterable[HostDevice]
) -> list[DeviceState]:
    """Returns the controller's side of a robot's devices, in their order.

    Args:
        host: the simulator's side of the robot.
        queue: where their requests go.
        devices: the simulator's side of them.
    """
    states: list[DeviceState] = []
    motors: list[MotorState] = []
    for device in devices:
        if isinstance(device, MotorDevice):
            settings = functools.partial(host.settings, device.index)
            motors.append(MotorState(device, queue, settings))
            states.append(motors[-1])
        else:
            kind = _STATES.get(device.node_type, DeviceState)
            states.append(kind(device, queue))
    for motor in motors:
        group = motor.device.group
        motor.siblings = [motors[i] for i in group if i != motor.index]
    return states
