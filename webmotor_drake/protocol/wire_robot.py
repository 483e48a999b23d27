"""A robot on the wire: its handshake, what its client asks for, its answers.

The order of an answer is Webots': the time, the robot, then devices by tag
(WbController.cpp, WbRobot.cpp).
"""

import struct

from webmotor_drake.host import messages
from webmotor_drake.host.devices import HostDevice, MotorDevice, devices_of
from webmotor_drake.host.measuring import Measurement
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.scene.urdf import urdf_of
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.protocol import wire_images  # noqa: F401
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.framing import Request
from webmotor_drake.protocol.reader import BadRequestError, Reader, text
from webmotor_drake.protocol.wire_devices import (
    KINDS,
    Brake,
    Motor,
    PositionSensor,
    WireDevice,
)

_ROBOT = b"\0\0"
QUIT = _ROBOT + b"\x02"
_FAST = 2
# What the robot's own requests carry where nobody here wants it, bytes.
_UNUSED = {34: 2, 36: 2, 39: 1, 41: 2, 42: 8, 43: 8, 44: 8, 45: 4, 33: 0, 40: 1}
_UNUSED[32] = 0
_NO_JOYSTICK = struct.pack("<Biii", 3, -1, -1, -1)
_BY_TYPE = {
    Node.POSITION_SENSOR: PositionSensor,
    Node.BRAKE: Brake,
}


class WireRobot:
    """The simulator's side of a robot whose controller is a program.

    Attributes:
        host: the simulator's side.
        exchange: what its devices share.
        left: whether the client has said that it ends.

    Args:
        host: the robot.
        seed: of the noise, the scenario's random_seed.
        controller: what the client finds as the name of its controller.
    """

    def __init__(self, host: RobotHost, seed: int, controller: str):
        self.host = host
        self._controller = controller
        self._stepped = host.stepped
        self.left = False
        self._robot: list[bytes] = []
        self._told: set[str] = set()
        self._battery = Measurement(Sampler(host.battery))
        self._battery.told = self._told_of_battery
        devices = _offered(host, seed)
        self.exchange = Exchange(host, devices)
        self._devices = {d.tag: _on_the_wire(d, self.exchange) for d in devices}
        self._answered = self._stepped.now

    def handshake(self) -> bytes:
        """Returns what configures the robot and its devices."""
        for device in self._devices.values():
            device.restart()
            device.configure()
        self._answered = self._stepped.now
        if self.host.is_supervisor:
            self._tell_once(
                "the Supervisor's requests are not answered for programs that"
                " connect; it connects as a Robot"
            )
        return self._configuration() + self._from_devices()

    def _configuration(self) -> bytes:
        host = self.host
        listed = b"".join(
            struct.pack("<H", device.device.node_type)
            + text(device.device.name)
            + text(getattr(device.device.node, "model", ""))
            for device in self._devices.values()
        )
        return b"".join(
            (
                _ROBOT + b"\0",
                text(host.name),
                b"\0",  # a version: none, so that any client is content
                struct.pack("<BBHH", 0, 1, len(self._devices) + 1, Node.ROBOT),
                struct.pack("<d", self.exchange.time),
                listed,
                struct.pack("<d", self._stepped.basic_time_step),
                text(host.project_path),
                text(host.world_path),
                text(host.label),
                b"\0" * 2,  # robot window, remote control
                text(self._controller),
                text(self._stepped.custom_data.get(host.name, "")),
                struct.pack("<BBi", 0, 0, _FAST),
            )
        )

    def carry_out(self, request: Request) -> None:
        """Carries out what a request commands; no time passes."""
        if not request.blocks:
            return
        self._stepped.catch_up()
        for tag, data in request.blocks:
            try:
                if tag == 0:
                    self._read(Reader(data))
                elif tag in self._devices:
                    self._devices[tag].read(Reader(data))
                else:
                    raise BadRequestError(f"there is no device {tag}")
            except BadRequestError as problem:
                self._tell_once(f"a request is not understood: {problem}")
        self._send()

    def _send(self) -> None:
        """Commands all, device by device; tells which motors have other fields."""
        exchange = self.exchange
        commands, exchange.commands = exchange.commands, []
        changed, exchange.changed = exchange.changed, []
        before = {motor: motor.limits() for motor in changed}
        if commands:
            self.host.send(commands)
        for motor, fields in before.items():
            if motor.limits() != fields:
                motor.configure()

    def _read(self, block: Reader) -> None:
        """Carries out the robot's own requests (robot.c)."""
        while block.left:
            number = block.u8()
            if number in _UNUSED:
                block.take(_UNUSED[number])
            elif not self._command(number, block):
                self._tell_once(
                    f"the request {number} of the robot is not answered"
                )
                return

    def _command(self, number: int, block: Reader) -> bool:
        """Carries out one of the robot's requests; False: it is not known."""
        if number == 31:
            self.exchange.enable(self._battery, block.u16())
        elif number == 35:
            if block.u16():
                self._robot.append(_NO_JOYSTICK)
        elif number == 37:
            data = block.text(block.u16())
            self._stepped.custom_data[self.host.name] = data
        elif number == 30:
            block.u8()
            messages.say(block.text(block.u32()).rstrip("\n"))
        elif number == 38:
            self.left = True
        elif number == 81:
            block.take(block.i32())
            self._tell_once("there is no robot window")
        elif number == 80:
            block.take(8)
            self._robot.append(struct.pack("<Bi", 80, 0))  # nobody is there
        elif number == 46:
            self._robot.append(b"\x2e" + text(self._urdf(block)))
        else:
            return False
        return True

    def _urdf(self, block: Reader) -> str:
        return urdf_of(
            self.host,
            self._stepped.surroundings.inspector(),
            block.text(block.u16()),
            lambda problem: messages.warning("wb_robot_get_urdf()", problem),
        )

    def answer(self) -> tuple[bytes, tuple[tuple[int, int, bytes], ...]]:
        """Returns the messages that a client has not seen yet, and the images."""
        self.exchange.measuring.read()
        now = b""
        if self._stepped.now != self._answered:
            self._answered = self._stepped.now
            now = _ROBOT + struct.pack("<Bd", 4, self.exchange.time)
        own, self._robot = self._robot, []
        parts = [now, *(_ROBOT + message for message in own)]
        images, self.exchange.images = self.exchange.images, {}
        return b"".join(parts) + self._from_devices(), tuple(
            (tag, 0, pixels) for tag, pixels in sorted(images.items())
        )

    def _from_devices(self) -> bytes:
        parts = []
        for tag, device in self._devices.items():
            if device.fresh:
                head = struct.pack("<H", tag)
                parts += [head + message for message in device.fresh]
                device.fresh.clear()
        return b"".join(parts)

    def leave(self) -> None:
        """Forgets the client: its sensors measure no more."""
        self.exchange.measuring.stop()
        for device in self._devices.values():
            device.restart()
        self._robot.clear()
        self.exchange.images.clear()
        self.left = False

    def _told_of_battery(self) -> None:
        self._robot.append(struct.pack("<Bd", 5, self._battery.value))

    def _tell_once(self, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            messages.warning(self.host.name, problem)


def _offered(host: RobotHost, seed: int) -> list[HostDevice]:
    """Returns the devices that Webots' library knows, with tags without gaps."""
    offered = []
    for device in devices_of(host, seed):
        joint = isinstance(device, MotorDevice) or device.node_type in _BY_TYPE
        if joint or type(device.node) in KINDS:
            offered.append(device)
            device.tag = len(offered)
        else:
            messages.warning(
                host.name,
                f"programs that connect do not find {device.name!r}: Webots'"
                f" library knows no {type(device.node).__name__}",
            )
    return offered


def _on_the_wire(device: HostDevice, exchange: Exchange) -> WireDevice:
    """Returns what speaks for a device."""
    if isinstance(device, MotorDevice):
        return Motor(device, exchange)
    kind = _BY_TYPE.get(device.node_type) or KINDS[type(device.node)]
    return kind(device, exchange)
