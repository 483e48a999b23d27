"""A robot's devices on the simulator's side: their measurements and commands.

Nothing here knows who commands them: a Python controller, a session, or a server of
another protocol. Motors and brakes are commanded by `RobotHost.send`; everything
else that a device does is in its class.
"""

import importlib
import math
import pkgutil
import typing
from collections import deque
from collections.abc import Sequence

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.host import senses
from webmotor_drake.host.canvas import Canvas
from webmotor_drake.host.robot_host import MotorSettings, RobotHost
from webmotor_drake.host.senses.body_sampler import (
    MADE,
    BodySampler,
    HostDevice,
    MountedDevice,
    device_for,
)
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.radio import Packet
from webmotor_drake.host.senses.sampling import Sampler, position_reading
from webmotor_drake.nodes.connectors import Connector, VacuumGripper
from webmotor_drake.nodes.images import Display
from webmotor_drake.nodes.radio import Emitter

# Each module there registers its classes, see `device_for`.
for _module in pkgutil.iter_modules(senses.__path__, f"{senses.__name__}."):
    importlib.import_module(_module.name)


@device_for(Emitter)
class EmitterDevice(MountedDevice):
    """An emitter.

    Attributes:
        waiting: packets that are not sent yet.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.waiting: deque[Packet] = deque()
        self._credit = 0.0  # bytes that may be sent

    def queue(self, data: bytes, channel: int, range: float) -> bool:
        """Queues a packet, which `act` sends; False: the buffer is full.

        Args:
            data: content of the packet.
            channel: number of the channel; -1: all.
            range: reach in m; -1: everywhere.
        """
        size, kept = self.node.buffer_size, (p.data for p in self.waiting)
        if size != -1 and len(data) + sum(map(len, kept)) > size:
            return False
        if not self.waiting:
            self._credit = 0.0
        self.waiting.append(Packet(self.node, self.place, channel, range, data))
        return True

    def act(self, milliseconds: int) -> bool:
        """Sends as much as the baud rate allows in a step of so many ms."""
        rate = self.node.baud_rate
        self._credit += rate / self.node.byte_size / 1000 * milliseconds
        while self.waiting and (
            rate == -1 or len(self.waiting[0].data) <= self._credit
        ):
            packet = self.waiting.popleft()
            self._credit -= len(packet.data)
            self.around.radio.send(packet)
        return bool(self.waiting)

    def reset(self) -> None:
        """Drops packets on their way."""
        super().reset()
        self.around.radio.restart()


@device_for(Connector)
class ConnectorDevice(BodySampler[typing.Any]):
    """A connector.

    Attributes:
        locked: True if its client has locked it.
    """

    blank: typing.ClassVar[int] = 0

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        host = self.host
        self.locked: bool = self.node.is_locked
        self._orders: list[bool] = []
        self._stepped, self._key = host.stepped, (host.name, self.name)
        simulation = host.stepped.simulation
        self._docks = simulation.docks
        self._scene_graph = simulation.scene_graph
        self._root = simulation.simulator.get_mutable_context()
        self._context = host.plant.GetMyMutableContextFromRoot(self._root)
        if self.node.breaks or self.node.auto_lock:
            self._stepped.sample(Sampler(self._watch), 1, first=True)

    def sensed(self) -> int:
        """Returns 1 if another Connector is held, or could be, else 0.

        A passive Connector always returns -1 (WbConnector.cpp computeValue).
        """
        return self._docks.presence(self._context, self._key)

    def _watch(self) -> None:
        """Breaks an overloaded connection, or holds a Connector that has come near."""
        self._docks.watch(self._context, self._key)
        self._filter()

    def order(self, *, lock: bool) -> str:
        """Queues a lock or unlock for `act`; returns why that is impossible, or ""."""
        if self.node.type == "passive":
            return "a passive Connector cannot lock"
        self.locked = lock
        self._orders.append(lock)
        return ""

    def act(self, milliseconds: int) -> bool:
        """Locks and unlocks."""
        orders, self._orders = self._orders, []
        for lock in orders:
            with self._stepped.lock:
                self._stepped.catch_up()
                change = self._docks.lock if lock else self._docks.unlock
                change(self._context, self._key)
                self._filter()
        return False

    def _filter(self) -> None:
        self._docks.filter_contact(self._scene_graph, self._root, self._context)

    def change(self, field: str, value: typing.Any) -> None:
        """Notes that a supervisor has locked or unlocked the Connector."""
        self.locked = value

    def reset(self) -> None:
        """Drops queued orders, and sets `locked` as at the start."""
        super().reset()
        self._orders.clear()
        self.locked = self.node.is_locked


@device_for(VacuumGripper)
class GripperDevice(ConnectorDevice):
    """A vacuum gripper, which is locked while it is on."""

    def sensed(self) -> int:
        """Returns 1 if it holds something, else 0."""
        return int(self._docks.peer(self._context, self._key) is not None)


@device_for(Display)
class DisplayDevice(MountedDevice):
    """A display.

    Attributes:
        canvas: its pixels, on which its client draws.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.forget_client()

    def forget_client(self) -> None:
        """Makes the display black again."""
        self.canvas = Canvas(self.node.width, self.node.height)


class MotorDevice(HostDevice):
    """A motor.

    Attributes:
        feedback: the sampler of its effort, N m or N.
        sampler: sampler of its joint's position, which the old Servo measures.
        group: indices of the motors coupled with it, including its own.
        siblings: the other motors of its group.
        settings: settings that the client was told last.
        target_position, target_velocity, acceleration, available_effort: values that
            the client has set, or was told last.
    """

    settings: MotorSettings

    def __init__(
        self, host: RobotHost, name: str, node: typing.Any, index: int
    ):
        position = Sampler(host.position(node.joint), host.has_power)
        super().__init__(host, name, node, index, position)
        self._host = host
        self.feedback = Sampler(host.feedback(index), host.has_power)
        self.group = host.groups[index]
        self.siblings: list[MotorDevice] = []
        self.available_effort = math.inf

    def configure(self) -> None:
        """Shows the client the simulator's values (motor.c motor_read_answer)."""
        before = getattr(self, "settings", None)
        self.settings = now = self._host.settings(self.index)
        if before is None or self.available_effort == before.max_effort:
            self.available_effort = now.max_effort
        self.available_effort = min(self.available_effort, now.max_effort)
        self.target_position = now.target_position
        self.target_velocity = now.target_velocity
        self.acceleration = now.acceleration

    def see_target(self, position: float) -> None:
        """Shows the client a target, times the multiplier for coupled motors."""
        self.target_position = position
        for other in self.siblings:
            part = 1 if math.isinf(position) else other.settings.multiplier
            other.target_position = position * part

    def see_velocity(self, velocity: float) -> None:
        """Shows the client a velocity, times the multiplier for coupled motors."""
        self.target_velocity = velocity
        for other in self.siblings:
            other.target_velocity = velocity * other.settings.multiplier


def devices_of(host: RobotHost) -> list[HostDevice]:
    """Makes the devices of a robot; returns them in the order of their tags.

    Motors come first, then position sensors, brakes and all others; each in the
    order of the scenario.
    """
    motors = [
        MotorDevice(host, name, node, index)
        for index, (name, node) in enumerate(host.motors.items())
    ]
    for motor in motors:
        motor.siblings = [motors[i] for i in motor.group if i != motor.index]
    devices: list[HostDevice] = [*motors]
    devices += _position_sensors(host)
    devices += [
        HostDevice(host, name, node, index)
        for index, (name, node) in enumerate(host.driver.brakes.items())
    ]
    devices += _mounted_devices(host)
    measured = host.stepped.simulation.measured
    for tag, device in enumerate(devices, start=1):
        device.tag = tag
        if device.sampler is not None:
            measured[host.name, device.name] = device.sampler
    return devices


def as_counted(
    host: RobotHost, devices: Sequence[HostDevice]
) -> list[HostDevice]:
    """Returns devices in the order in which controllers count them."""
    places = {name: i for i, name in enumerate(host.driver.device_order)}
    return sorted(devices, key=lambda d: places.get(d.name, len(places)))


def _position_sensors(host: RobotHost) -> list[HostDevice]:
    devices = []
    for index, (name, node) in enumerate(host.driver.position_sensors.items()):
        random = host.noise_of(name)
        measure = position_reading(host.position(node.joint), node, random)
        sampler = Sampler(measure, host.has_power, random=random)
        devices.append(HostDevice(host, name, node, index, sampler))
    return devices


def _mounted_devices(host: RobotHost) -> list[HostDevice]:
    mounts = find_mounts(host.plant, host.instance, host.driver.devices)
    devices: list[HostDevice] = []
    for index, (name, node) in enumerate(host.driver.devices.items()):
        place = Place(host.plant, host.stepped.plant_context, mounts[name])
        made = MADE.get(type(node), MountedDevice)
        devices.append(made(node, place, host, name, index))
    return devices
