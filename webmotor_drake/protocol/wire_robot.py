"""A robot on the wire: its handshake, what its client asks for, its answers.

The order of an answer is Webots': the time, the robot, then devices by tag
(WbController.cpp, WbRobot.cpp).
"""

import struct

from webmotor_drake.host import messages
from webmotor_drake.host.devices import HostDevice, devices_of
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.scene.urdf import Urdf
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.host.user_input import KEYBOARD, InputWait
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.protocol import (
    wire_camera,  # noqa: F401
    wire_display,  # noqa: F401
    wire_images,  # noqa: F401
    wire_speaker,  # noqa: F401
)
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.framing import Request
from webmotor_drake.protocol.reader import BadRequestError, Reader, text
from webmotor_drake.protocol.wire_devices import KINDS, WireDevice
from webmotor_drake.protocol.wire_supervisor import (
    FAST,
    REAL_TIME,
    Rhythm,
    WireSupervisor,
)

# The numbers of requests (messages.h).
_PRINT, _BATTERY_PERIOD, _KEYBOARD_PERIOD, _JOYSTICK_PERIOD = 30, 31, 34, 35
_SET_DATA, _EXIT, _URDF, _WAIT_FOR_EVENT, _TELL_WINDOW = 37, 38, 46, 80, 81

_ROBOT = b"\0\0"
QUIT = _ROBOT + b"\x02"
_TIME = struct.Struct("<HBd")
# What the robot's own requests carry where nobody here wants it, bytes; and of what.
_UNUSED = {
    32: (0, "remote control"),
    33: (0, ""),  # with each start of a client
    36: (2, "mouse"),
    39: (1, "mouse"),
    40: (1, "remote control"),
    41: (2, "joystick"),
    42: (8, "joystick"),
    43: (8, "joystick"),
    44: (8, "joystick"),
    45: (4, "joystick"),
}
_NO_JOYSTICK = struct.pack("<Biii", 3, -1, -1, -1)


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
        rhythm: ends and starts programs.
    """

    def __init__(
        self, host: RobotHost, seed: int, controller: str, rhythm: Rhythm
    ):
        self.host = host
        self._controller = controller
        self._stepped = host.stepped
        self.left = False
        self._robot: list[bytes] = []
        self._told: set[str] = set()
        self._keyboard = Sampler(self._keys)
        self._keyboard.told = self._told_of_keys
        self.exchange = Exchange(host, _offered(host, seed))
        self.exchange.battery.told = self._told_of_battery
        self._devices = {
            self.exchange.tags[d.tag]: KINDS[type(d.node)](d, self.exchange)
            for d in self.exchange.devices
        }
        self._lookers = [
            device
            for device in self._devices.values()
            if type(device).look is not WireDevice.look
        ]
        self._answered = self._stepped.now
        self._custom_data = ""
        self._input: InputWait | None = None
        self._requests = {
            _PRINT: self._print,
            _BATTERY_PERIOD: self._enable_battery,
            _KEYBOARD_PERIOD: self._enable_keyboard,
            _JOYSTICK_PERIOD: self._enable_joystick,
            _SET_DATA: self._set_data,
            _EXIT: self._exit,
            _URDF: self._tell_urdf,
            _WAIT_FOR_EVENT: self._wait_for_event,
            _TELL_WINDOW: self._tell_window,
        }
        self._supervisor: WireSupervisor | None = None
        if host.is_supervisor:
            self._supervisor = WireSupervisor(self.exchange, rhythm)

    def handshake(self) -> bytes:
        """Returns the message that configures the robot and its devices."""
        for device in self._devices.values():
            device.restart()
            device.configure()
        self.exchange.changed.clear()
        self._answered = self._stepped.now
        told = self._configuration()
        if self._supervisor is not None:
            told += _ROBOT + self._supervisor.configuration()
        return told + self._from_devices()

    def _configuration(self) -> bytes:
        host = self.host
        listed = b"".join(
            struct.pack("<H", device.device.node_type)
            + text(device.device.name)
            + text(getattr(device.device.node, "model", ""))
            for device in self._devices.values()
        )
        self._custom_data = self._stepped.custom_data.get(host.name, "")
        rate = self._stepped.simulation.simulator.get_target_realtime_rate()
        return b"".join(
            (
                _ROBOT + b"\0",
                text(host.name),
                b"\0",  # a version: none, so that any client is content
                struct.pack(
                    "<BBHH",
                    self._supervisor is not None,
                    host.synchronized,
                    len(self._devices) + 1,
                    Node.ROBOT,
                ),
                struct.pack("<d", self.exchange.time),
                listed,
                struct.pack("<d", self._stepped.basic_time_step),
                text(host.project_path),
                text(host.world_path),
                text(host.label),
                b"\0" * 2,  # robot window, remote control
                text(self._controller),
                text(self._custom_data),
                struct.pack("<BBi", 0, 0, REAL_TIME if rate else FAST),
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
                    self._devices[tag].read(data)
                else:
                    raise BadRequestError(f"there is no device {tag}")
            except BadRequestError as problem:
                self._tell_once(f"a request is not understood: {problem}")
        self.exchange.send()

    def _read(self, block: Reader) -> None:
        """Carries out the robot's own requests (robot.c)."""
        while block.left:
            number = block.u8()
            if number in _UNUSED:
                size, missing = _UNUSED[number]
                if any(block.take(size)) or (missing and not size):
                    self._tell_once(f"there is no {missing} here")
            elif number in self._requests:
                self._requests[number](block)
            elif not (
                self._supervisor and self._supervisor.command(number, block)
            ):
                self._tell_once(
                    f"the request {number} of the robot is not answered"
                )
                break
        if self._supervisor is not None:
            self._supervisor.finish()

    def _enable_battery(self, block: Reader) -> None:
        if problem := self.exchange.enable_battery(block.u16()):
            self._tell_once(problem)

    def _enable_keyboard(self, block: Reader) -> None:
        self.exchange.enable(self._keyboard, block.u16())

    def _enable_joystick(self, block: Reader) -> None:
        if block.u16():
            self._robot.append(_NO_JOYSTICK)

    def _set_data(self, block: Reader) -> None:
        self._custom_data = block.text(block.u16())
        self._stepped.custom_data[self.host.name] = self._custom_data

    def _print(self, block: Reader) -> None:
        block.u8()
        messages.say(block.text(block.u32()).rstrip("\n"))

    def _exit(self, block: Reader) -> None:
        self.left = True

    def _tell_window(self, block: Reader) -> None:
        block.take(block.i32())
        self._tell_once("there is no robot window")

    def _wait_for_event(self, block: Reader) -> None:
        events, timeout = block.i32(), block.i32()
        self._input = InputWait(self._stepped, events, timeout)

    def is_waiting(self) -> bool:
        """Returns whether its client waits for a key; once one is there it is told."""
        if self._input is None:
            return False
        event = self._input.event()
        if event is None:
            return True
        self._input = None
        if event == KEYBOARD:
            self._tell_keys(self._keys())
        self._robot.append(struct.pack("<Bi", _WAIT_FOR_EVENT, event))
        return False

    def _tell_urdf(self, block: Reader) -> None:
        prefix = block.text(block.u16())
        urdf = Urdf(self.host, prefix, "wb_robot_get_urdf()")
        self._robot.append(b"\x2e" + text(urdf.text()))

    def answer(self) -> tuple[bytes, tuple[tuple[int, int, bytes], ...]]:
        """Returns the messages that a client has not seen yet, and the images."""
        exchange, stepped = self.exchange, self._stepped
        for changed in exchange.changed:
            self._devices[exchange.tags[changed.tag]].reconfigure()
        exchange.changed.clear()
        exchange.read()
        now = b""
        is_step = stepped.now != self._answered
        if is_step:
            self._answered = stepped.now
            now = _TIME.pack(0, 4, stepped.time_of(stepped.now))
        data = stepped.custom_data.get(self.host.name, "")
        if data != self._custom_data:
            self._custom_data = data
            self._robot.append(b"\x0b" + text(data))
        own, self._robot = self._robot, []
        if self._supervisor is not None:
            own += self._supervisor.answer(is_step=is_step)
        told = now + b"".join([_ROBOT + message for message in own])
        told += self._from_devices()
        if not exchange.images:
            return told, ()
        images, exchange.images = exchange.images, {}
        return told, tuple(
            [(*which, pixels) for which, pixels in sorted(images.items())]
        )

    def _from_devices(self) -> bytes:
        for device in self._lookers:
            device.look()
        parts: list[bytes] = []
        for device in self._devices.values():
            if device.fresh:
                parts += device.fresh
                device.fresh.clear()
        return b"".join(parts)

    def leave(self) -> None:
        """Forgets the client: its sensors measure no more."""
        self.exchange.stop()
        for device in self._devices.values():
            device.restart()
        if self._supervisor is not None:
            self._supervisor.leave()
        self._robot.clear()
        self._input = None
        self.exchange.images.clear()
        self.left = False

    def _keys(self) -> list[int]:
        """Returns the keys that somebody holds in the page, or a list plays."""
        return self._stepped.simulation.held_keys(self._stepped.elapsed)

    def _told_of_keys(self) -> None:
        self._tell_keys(self._keyboard.seen)

    def _tell_keys(self, keys: list[int]) -> None:
        self._robot.append(struct.pack(f"<BB{len(keys)}i", 6, len(keys), *keys))

    def _told_of_battery(self) -> None:
        self._robot.append(struct.pack("<Bd", 5, self.exchange.battery.seen))

    def _tell_once(self, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            messages.warning(self.host.name, problem)


def _offered(host: RobotHost, seed: int) -> list[HostDevice]:
    """Returns the devices that Webots' library knows."""
    offered: list[HostDevice] = []
    for device in devices_of(host, seed):
        if type(device.node) in KINDS:
            offered.append(device)
        else:
            messages.warning(
                host.name,
                f"programs that connect do not find {device.name!r}: Webots'"
                f" library knows no {type(device.node).__name__}",
            )
    return offered
