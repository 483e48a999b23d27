"""A robot on the wire: its handshake, its client's requests, its answers.

The order of an answer is Webots': the time, the robot, then devices by tag
(WbController.cpp, WbRobot.cpp).
"""

import functools
import struct
import typing
from collections.abc import Callable

from webmotor_drake.host import messages
from webmotor_drake.host.devices import HostDevice, as_counted, devices_of
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.robot_requests import KEYBOARD, InputWait, no_window
from webmotor_drake.host.scene.urdf import Urdf
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.host.supervision import present_mode
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.protocol import (
    wire_display,  # noqa: F401
    wire_images,  # noqa: F401
    wire_kinds,  # noqa: F401
)
from webmotor_drake.protocol.framing import (
    BadRequestError,
    Reader,
    Request,
    packed,
)
from webmotor_drake.protocol.wire_devices import (
    KINDS,
    Exchange,
    carry_out,
    wire_device,
)
from webmotor_drake.protocol.wire_supervisor import WireSupervisor

_ROBOT = b"\0\0"
QUIT = _ROBOT + b"\x02"
_TIME = struct.Struct("<HBd")
# The numbers of answers; two of them are also those of their requests (messages.h).
_NO_JOYSTICK, _BATTERY, _KEYS, _DATA, _URDF, _EVENT = 3, 5, 6, 11, 46, 80
# Requests about a user's devices that do not exist here: layout and device.
_MISSING = {
    32: ("", "remote control"),
    36: ("2B", "mouse"),
    39: ("1B", "mouse"),
    40: ("1B", "remote control"),
    41: ("2B", "joystick"),
    42: ("8B", "joystick"),
    43: ("8B", "joystick"),
    44: ("8B", "joystick"),
    45: ("4B", "joystick"),
}


class WireRobot:
    """The simulator's side of a robot whose controller is a program.

    Attributes:
        host: simulator's side of the robot.
        exchange: requests and tags of its devices.
        left: True if the client has announced its end.

    Args:
        host: the robot.
        controller: name of the controller, for the client.
    """

    def __init__(self, host: RobotHost, controller: str):
        self.host = host
        self._controller = controller
        self._stepped = host.stepped
        self.left = False
        self._robot: list[bytes] = []
        self._tell_once = functools.partial(messages.once(), host.name)
        self._keyboard = Sampler(self._keys)
        self._keyboard.told = lambda: self._tell_keys(self._keyboard.seen)
        self.exchange = Exchange(host, _offered(host))
        battery = self.exchange.battery
        battery.told = lambda: self._tell(_BATTERY, "d", battery.seen)
        self._devices = {
            self.exchange.tags[d.tag]: wire_device(d, self.exchange)
            for d in self.exchange.devices
        }
        self._lookers = [d for d in self._devices.values() if d.kind.look]
        self._answered = self._stepped.now
        self._custom_data = ""
        self._input: InputWait | None = None
        enable = functools.partial(self.exchange.enable, self._keyboard)
        # The layout of each request's fields, and the function that carries it out.
        self._requests: dict[int, tuple[str, Callable[..., object]]] = {
            **{n: (layout, _no(it)) for n, (layout, it) in _MISSING.items()},
            30: ("BT", lambda stream, text: messages.say(text.rstrip("\n"))),
            31: ("H", self.exchange.enable_battery),
            33: ("", lambda: None),  # with each start of a client
            34: ("H", enable),
            35: ("H", self._enable_joystick),
            37: ("t", self._set_data),
            38: ("", lambda: setattr(self, "left", True)),
            _URDF: ("t", self._tell_urdf),
            _EVENT: ("ii", self._wait_for_event),
            81: ("y", self._drop_text),
        }
        self._supervisor: WireSupervisor | None = None
        if host.is_supervisor:
            self._supervisor = WireSupervisor(self.exchange)
            self._requests |= self._supervisor.requests

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
        host, devices = self.host, self._devices.values()
        listed = b"".join(
            packed("Hzz", d.device.node_type, d.device.name, d.device.model)
            for d in devices
        )
        self._custom_data = self._stepped.custom_data.get(host.name, "")
        count, supervises = len(devices) + 1, self._supervisor is not None
        head = supervises, host.driver.synchronization, count, Node.ROBOT
        return b"".join(
            (
                _ROBOT,
                # An empty version, which every client accepts.
                packed(
                    "BzzBBHHd", 0, host.called, "", *head, self.exchange.time
                ),
                listed,
                packed("d", self._stepped.basic_time_step),
                packed("zz", host.project_path, host.world_path),
                # The last two: window, remote control.
                packed("zzz", host.driver.model, "", ""),
                packed("zz", self._controller, self._custom_data),
                packed("BBi", 0, 0, present_mode(self._stepped)),
            )
        )

    def carry_out(self, request: Request) -> None:
        """Carries out the commands of a request; no time passes."""
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
        unknown = "the request {} of the robot is not answered"
        carry_out(block, self._requests, self._tell_once, unknown)
        if self._supervisor is not None:
            self._supervisor.finish()

    def _drop_text(self, data: bytes) -> None:
        text = data.rstrip(b"\0").decode("utf-8", "replace")
        self._tell_once(no_window(text), "window")

    def _enable_joystick(self, period: int) -> str:
        if period:
            self._tell(_NO_JOYSTICK, "3i", -1, -1, -1)
        return "there is no joystick here" if period else ""

    def _set_data(self, data: str) -> None:
        self._custom_data = data
        self._stepped.custom_data[self.host.name] = data

    def _wait_for_event(self, events: int, timeout: int) -> None:
        self._input = InputWait(self._stepped, events, timeout)

    def _tell(self, number: int, layout: str, *values: typing.Any) -> None:
        self._robot.append(packed(f"B{layout}", number, *values))

    def is_waiting(self) -> bool:
        """Returns whether its client waits for a key; adds a key that has come."""
        if self._input is None:
            return False
        event = self._input.event()
        if event is None:
            return True
        self._input = None
        if event == KEYBOARD:
            self._tell_keys(self._keys())
        self._tell(_EVENT, "i", event)
        return False

    def _tell_urdf(self, prefix: str) -> None:
        urdf = Urdf(self.host, prefix, "wb_robot_get_urdf()")
        self._tell(_URDF, "z", urdf.text())

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
            self._tell(_DATA, "z", data)
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
            device.kind.look(device)
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
        """Returns the keys that are held on the page, or come from a `--keys` list."""
        return self._stepped.simulation.held_keys(self._stepped.elapsed)

    def _tell_keys(self, keys: list[int]) -> None:
        numbers = b"".join(packed("i", key) for key in keys)
        self._robot.append(packed("BB", _KEYS, len(keys)) + numbers)


def _no(missing: str) -> Callable[..., str]:
    """Returns a function that returns the message that a device is missing."""
    told = f"there is no {missing} here"
    return lambda values=(1,): told if any(values) else ""


def _offered(host: RobotHost) -> list[HostDevice]:
    """Returns the devices that Webots' library knows."""
    devices = as_counted(host, devices_of(host))
    for device in devices:
        if (kind := type(device.node)) not in KINDS:
            messages.warning(
                host.name,
                f"programs that connect do not find {device.name!r}: Webots'"
                f" library knows no {kind.__name__}",
            )
    return [device for device in devices if type(device.node) in KINDS]
