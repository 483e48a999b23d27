"""What the controller keeps of its devices (motor.c, position_sensor.c, brake.c).

Getters return this, setters write it and queue a request; the simulator's own
state, after multipliers and clipping, comes back only in configuration messages.
A robot's devices have tags: 1 for the first, and so on.
"""

import enum
import math
import typing
from collections.abc import Callable

from webmotor_drake.host import messages
from webmotor_drake.host.robot_host import MotorSettings, RobotHost
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.node_types import Node

# Looked up once: a controller may command every motor in every step.
_POSITION = Kind.POSITION


class Request(enum.IntEnum):
    """What `commands.Kind` leaves out of the order within a step (messages.h)."""

    FEEDBACK_PERIOD = 5
    SAMPLING_PERIOD = 8
    RECOGNITION_PERIOD = 11
    ACTION = 100  # after all kinds of commands


class DeviceState:
    """A device as the controller sees it.

    Attributes:
        tag: 1 for the robot's first device.
        name: the device's name.
        node_type: of `Node`.
        type: 0 rotational, 1 linear.
        joint: the joint that it is on; "": none.
        index: its place among the robot's devices of its kind.
        requests: what the next step sends, by number; the last of a kind wins.

    Args:
        host: the simulator's side of the robot.
        queue: what the next step sends is of these; shared by all devices.
    """

    def __init__(
        self,
        host: RobotHost,
        queue: set["DeviceState"],
        name: str,
        joint: str,
        node_type: int,
        index: int,
    ):
        self._queue = queue
        self.tag = 0
        self.name = name
        self.node_type = node_type
        self.joint = joint
        self.index = index
        self.type = host.joint_type(joint) if joint else 0
        self.requests: dict[int, typing.Any] = {}

    def request(self, number: int, value: typing.Any = None) -> None:
        """Queues what the next step sends."""
        self.requests[number] = value
        self._queue.add(self)

    def restart(self) -> None:
        """Forgets what was: the simulation has been reset."""
        measurement = getattr(self, "measurement", None)
        if measurement is not None and measurement.sampler is not None:
            measurement.sampler.pending = False
            measurement.sampler.restart()


class Measurement:
    """What the controller knows of a sensor.

    Attributes:
        sampler: the simulator's side.
        period: as the controller set it, ms; 0: off.
        value: the newest that an answer brought; before, what it was made with.
        told: called when an answer brought a value; None: nobody wants to know.
    """

    def __init__(self, sampler: Sampler, value: typing.Any = math.nan):
        self.sampler = sampler
        self.period = 0
        self.value = value
        self.told: Callable[[], None] | None = None


class MotorState(DeviceState):
    """A motor as the controller sees it.

    Attributes:
        siblings: the motors that are coupled with it.
        settings: what the last configuration message told.
        target_position, target_velocity, acceleration, available_effort: as set,
            or as the last configuration message had it.
        feedback: the measurement of its effort.
        measurement: of its position, which the old Servo has.
    """

    def __init__(
        self,
        host: RobotHost,
        queue: set["DeviceState"],
        name: str,
        joint: str,
        node_type: int,
        index: int,
    ):
        super().__init__(host, queue, name, joint, node_type, index)
        self.siblings: list[MotorState] = []
        self.feedback = Measurement(
            Sampler(host.feedback(index), host.has_power)
        )
        self.measurement = Measurement(
            Sampler(host.position(joint), host.has_power)
        )
        self.settings = host.settings(index)
        self.available_effort = self.settings.max_effort
        self.configure(self.settings)

    def configure(self, settings: MotorSettings) -> None:
        """Takes over the simulator's values (motor.c motor_read_answer)."""
        if self.available_effort == self.settings.max_effort:
            self.available_effort = settings.max_effort
        self.available_effort = min(self.available_effort, settings.max_effort)
        self.settings = settings
        self.target_position = settings.target_position
        self.target_velocity = settings.target_velocity
        self.acceleration = settings.acceleration

    def request_position(self, position: float) -> None:
        """Queues a target; keeps it, and times its multiplier for coupled motors."""
        self.requests[_POSITION] = position
        self._queue.add(self)
        self.target_position = position
        for sibling in self.siblings:
            sibling.target_position = (
                position
                if math.isinf(position)
                else position * sibling.settings.multiplier
            )

    def set_target_velocity(self, velocity: float) -> None:
        """Keeps a velocity, and times its multiplier for each coupled motor."""
        self.target_velocity = velocity
        for sibling in self.siblings:
            sibling.target_velocity = velocity * sibling.settings.multiplier


class SensorState(DeviceState):
    """A position sensor as the controller sees it.

    Attributes:
        measurement: of the joint's position.
    """

    def __init__(
        self,
        host: RobotHost,
        queue: set["DeviceState"],
        name: str,
        joint: str,
        index: int,
        sampler: Sampler,
    ):
        super().__init__(host, queue, name, joint, Node.POSITION_SENSOR, index)
        self.measurement = Measurement(sampler)


class BrakeState(DeviceState):
    """A brake as the controller sees it."""

    def __init__(
        self,
        host: RobotHost,
        queue: set[DeviceState],
        name: str,
        joint: str,
        index: int,
    ):
        super().__init__(host, queue, name, joint, Node.BRAKE, index)


class Absent:
    """Stands for a device that the robot does not have.

    Every use prints an error; numbers are NaN, requests go nowhere.
    """

    tag = 0
    joint = ""

    def __init__(self, name: str, kind: str):
        self.name = name
        self._kind = kind

    @property
    def settings(self) -> "Absent":
        """Has no settings either."""
        return self

    @property
    def node(self) -> "Absent":
        """Has no node either."""
        return self

    def __getattr__(self, field: str) -> typing.Any:
        messages.error(
            f"{self._kind} {self.name!r}", "the robot has no such device"
        )
        if field in ("feedback", "measurement"):
            return Measurement(Sampler(lambda: math.nan))
        if field.startswith(("set_", "request")):
            return lambda *arguments: None
        return math.nan
