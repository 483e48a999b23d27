"""A robot's devices on the simulator's side: their measurements and commands.

Nothing here knows who commands them: a Python controller, a session, or a server of
another protocol. Motors and brakes are commanded by `RobotHost.send`; what else a
device does stands in its class.
"""

import typing
from collections import deque

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.host.canvas import Canvas
from webmotor_drake.host.device import HostDevice, MotorDevice, MountedDevice
from webmotor_drake.host.robot_host import RobotHost

# The modules whose samplers make devices measure, see `samples`.
from webmotor_drake.host.senses import (
    body_sensors,  # noqa: F401
    camera,
    connector,
    distance_sensor,  # noqa: F401
    lidar,  # noqa: F401
    light_sensor,  # noqa: F401
    touch_sensor,  # noqa: F401
)
from webmotor_drake.host.senses.body_sampler import SAMPLERS
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.radio import Packet, Reception
from webmotor_drake.host.senses.recognition import RecognitionSampler
from webmotor_drake.host.senses.sampling import Sampler, position_reading
from webmotor_drake.host.speaker import SpeakerDevice
from webmotor_drake.nodes.connectors import Connector
from webmotor_drake.nodes.images import Camera, Display
from webmotor_drake.nodes.radio import Emitter, Receiver
from webmotor_drake.nodes.unsimulated import Speaker


class CameraDevice(MountedDevice):
    """A camera.

    Attributes:
        recognition: the sampler of its recognition; None: no recognition.
    """

    sampler: "camera.CameraSampler"

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.recognition: RecognitionSampler | None = None
        if self.node.recognition is not None:
            self.recognition = RecognitionSampler(self.sampler)

    def change(self, field: str, value: typing.Any) -> None:
        """Takes over the field of view."""
        setattr(self.sampler, field, value)

    def told(self) -> dict[str, typing.Any]:
        """Returns the field of view, rad."""
        return {"field_of_view": self.sampler.field_of_view}

    def set_field_of_view(self, angle: float) -> str:
        """Zooms to a field of view, rad; returns why not, or ""."""
        zoom, only = self.node.zoom, self.node.field_of_view
        narrow = zoom.min_field_of_view if zoom else only
        wide = zoom.max_field_of_view if zoom else only
        if angle != only and not narrow <= angle <= wide:
            return f"ignored; {narrow:g} to {wide:g} rad are allowed"
        self.sampler.field_of_view = angle
        return ""

    def set_exposure(self, exposure: float) -> str:
        """Sets the exposure of images; returns why not, or ""."""
        if not exposure >= 0:
            return "ignored; 0 and above is allowed"
        self.sampler.exposure = exposure
        return ""

    def segment(self, *, on: bool) -> str:
        """Takes images of recognized objects, or none; returns why not, or ""."""
        if self.recognition is None:
            return "the camera has no recognition"
        self.recognition.segments = on
        return ""

    def forget_client(self) -> None:
        """Takes no images of recognized objects."""
        self.segment(on=False)


class EmitterDevice(MountedDevice):
    """An emitter.

    Attributes:
        waiting: packets that are not sent yet.
        used: the bytes that wait.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.waiting: deque[Packet] = deque()
        self.used = 0
        self._credit = 0.0  # bytes that may be sent

    def queue(self, data: bytes, channel: int, range: float) -> bool:
        """Queues a packet, which `act` sends; False: the buffer is full.

        Args:
            data: content of the packet.
            channel: number of the channel; -1: all.
            range: reach in m; -1: everywhere.
        """
        size = self.node.buffer_size
        if size != -1 and len(data) > size - self.used:
            return False
        if not self.waiting:
            self._credit = 0.0
        self.waiting.append(Packet(self.node, self.place, channel, range, data))
        self.used += len(data)
        return True

    def act(self, milliseconds: int) -> bool:
        """Sends as much as the baud rate allows in a step of so many ms."""
        rate = self.node.baud_rate
        self._credit += rate / self.node.byte_size / 1000 * milliseconds
        while self.waiting and (
            rate == -1 or len(self.waiting[0].data) <= self._credit
        ):
            packet = self.waiting.popleft()
            self.used -= len(packet.data)
            self._credit -= len(packet.data)
            self.surroundings.radio.send(packet)
        return bool(self.waiting)

    def restart(self) -> None:
        """Drops packets on their way."""
        super().restart()
        self.surroundings.radio.restart()


class ReceiverDevice(MountedDevice):
    """A receiver.

    Attributes:
        packets: those that a client without a queue of its own has received and not
            dropped (receiver.c).
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.packets: deque[Reception] = deque()
        self.sampler.told = self._take_over

    def _take_over(self) -> None:
        """Takes over the packets that fit in the buffer."""
        for reception in self.sampler.seen:
            used = sum(len(packet.data) for packet in self.packets)
            size = self.node.buffer_size
            if size == -1 or len(reception.data) <= size - used:
                self.packets.append(reception)

    def restart(self) -> None:
        """Drops the received packets."""
        super().restart()
        self.packets.clear()


class ConnectorDevice(MountedDevice):
    """A connector.

    Attributes:
        locked: True if its client has locked it.
    """

    sampler: connector.PresenceSampler

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        host: RobotHost = arguments[0]
        self.locked: bool = self.node.is_locked
        self._orders: list[bool] = []
        self._stepped, self._key = host.stepped, (host.name, self.name)
        simulation = host.stepped.simulation
        self._docks, self._scene_graph = (
            simulation.docks,
            simulation.scene_graph,
        )
        self._root = simulation.simulator.get_mutable_context()
        self._context = host.plant.GetMyMutableContextFromRoot(self._root)
        if self.node.breaks or self.node.auto_lock:
            watcher = Sampler(self._watch)
            watcher.enable(1, self._stepped.now)
            self._stepped.samplers.insert(0, watcher)

    def _watch(self) -> None:
        """Looks whether it breaks, or holds another one that comes near."""
        self._docks.watch(self._context, self._key)
        self._filter()

    def order(self, *, lock: bool) -> str:
        """Has `act` lock or unlock it; returns why it cannot, or ""."""
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

    def restart(self) -> None:
        """Forgets orders; it is locked as at the start."""
        super().restart()
        self._orders.clear()
        self.locked = self.node.is_locked


class DisplayDevice(MountedDevice):
    """A display.

    Attributes:
        canvas: its pixels, on which its client draws.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.forget_client()

    def forget_client(self) -> None:
        """Is black again."""
        self.canvas = Canvas(self.node.width, self.node.height)


# The devices on bodies that do more than measure.
_CLASSES: dict[type, type[MountedDevice]] = {
    Camera: CameraDevice,
    Connector: ConnectorDevice,
    Display: DisplayDevice,
    Emitter: EmitterDevice,
    Receiver: ReceiverDevice,
    Speaker: SpeakerDevice,
}


def devices_of(host: RobotHost) -> list[HostDevice]:
    """Returns the devices of a robot, new ones, in the order of their tags.

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
        for index, (name, node) in enumerate(host.brakes.items())
    ]
    devices += _mounted_devices(host)
    measured = host.stepped.simulation.measured
    for tag, device in enumerate(devices, start=1):
        device.tag = tag
        if device.sampler is not None:
            measured[host.name, device.name] = device.sampler
    return devices


def _position_sensors(host: RobotHost) -> list[HostDevice]:
    devices = []
    for index, (name, node) in enumerate(host.position_sensors.items()):
        random = host.noise_of(name)
        measure = position_reading(
            host.position(node.joint),
            noise=node.noise,
            offset=node.offset,
            resolution=node.resolution,
            random=random,
        )
        sampler = Sampler(measure, host.has_power, random=random)
        devices.append(HostDevice(host, name, node, index, sampler))
    return devices


def _mounted_devices(host: RobotHost) -> list[HostDevice]:
    mounts = find_mounts(host.plant, host.instance, host.mounted)
    devices: list[HostDevice] = []
    for index, (name, node) in enumerate(host.mounted.items()):
        place = Place(host.plant, host.stepped.plant_context, mounts[name])
        sampler = None
        if type(node) in SAMPLERS:
            make = SAMPLERS[type(node)]
            sampler = make(node, place, host, name, host.noise_of(name))
        made = _CLASSES.get(type(node), MountedDevice)
        devices.append(made(host, name, node, index, place, sampler))
    return devices
