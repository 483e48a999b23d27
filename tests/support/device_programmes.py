"""Programmes of every kind of device, for hands of the API and of the wire."""

import io
import struct
import typing

import numpy as np
from PIL import Image
from programmes import PythonHand, WireHand

# The wire's number of a request, and the layout of its fields, by the API's name.
_REQUESTS = {
    "setDampingConstant": (2, "d"),
    "lock": (2, ""),
    "turnOn": (2, ""),
    "turnOff": (3, ""),
    "unlock": (3, ""),
    "set": (1, "i"),
    "setFov": (4, "d"),
    "setExposure": (6, "d"),
    "recognitionEnable": (10, "H"),
    "setColor": (16, "i"),
    "setChannel": (2, "i"),
    "enablePointCloud": (17, ""),
}
# How the wire draws: a count of corners, x of all, y of all, and whether it is filled.
_DRAWN = {
    "drawPixel": lambda x, y: struct.pack("<Bh2i", 32, 1, x, y),
    "drawLine": lambda x, y, u, v: struct.pack("<Bh4i", 33, 2, x, u, y, v),
    "fillRectangle": lambda x, y, w, h: struct.pack(
        "<Bh4iB", 35, 2, x, w, y, h, 1
    ),
    "drawOval": lambda x, y, a, b: struct.pack("<Bh4iB", 36, 2, x, a, y, b, 0),
}
# The wire's numbers of measurements, by what reads them in the API.
_MEASURED = {
    "position": 1,
    "gps": 2,
    "touch": 40,
    "force-3d": 41,
    "distance": 50,
    "axes": (51, 52, 53),
    "unit": 54,
    "light": 55,
    "presence": 1,
    "targets": 1,
}


def flat(*values: typing.Any) -> tuple:
    """Returns numbers, and those of lists, in a row."""
    return tuple(np.concatenate([np.ravel(v) for v in values]).tolist())


class DevicesInPython(PythonHand):
    """A hand of the controller API for all devices."""

    def ask(self, name: str, request: str, *values: typing.Any) -> None:
        getattr(self._robot.getDevice(name), request)(*values)

    draw = ask

    def ink(self, name: str, color: int, density: float) -> None:
        self._robot.getDevice(name).setInkColor(color, density)

    def write(self, name: str, on: bool) -> None:
        self._robot.getDevice(name).write(on)

    def enable(self, name: str, period: int) -> None:
        device = self._robot.getDevice(name)
        kind = "enable" if hasattr(device, "enable") else "enablePresence"
        getattr(device, kind)(period)

    def attach(self, display: str, camera: str) -> None:
        self._robot.getDevice(display).attachCamera(
            self._robot.getDevice(camera)
        )

    def measured(self, name: str, kind: str) -> typing.Any:
        device = self._robot.getDevice(name)
        if kind == "gps":
            return flat(
                device.getValues(), device.getSpeed(), device.getSpeedVector()
            )
        if kind == "targets":
            return [
                (t.distance, t.received_power, t.speed, t.azimuth)
                for t in device.getTargets()
            ]
        method = {
            "unit": "getQuaternion",
            "presence": "getPresence",
            "axes": "getValues",
            "force-3d": "getValues",
        }.get(kind, "getValue")
        value = getattr(device, method)()
        return tuple(value) if isinstance(value, list) else value

    def send(self, name: str, data: bytes, channel: int, reach: float) -> None:
        emitter = self._robot.getDevice(name)
        emitter.setChannel(channel)
        emitter.setRange(reach)
        emitter.send(data)

    def received(self, name: str) -> list[tuple]:
        receiver, packets = self._robot.getDevice(name), []
        while receiver.getQueueLength() > 0:
            packets.append(
                (
                    receiver.getBytes(),
                    receiver.getSignalStrength(),
                    *receiver.getEmitterDirection(),
                )
            )
            receiver.nextPacket()
        return packets

    def pixels(self, name: str, kind: str) -> bytes:
        device = self._robot.getDevice(name)
        if kind == "camera":
            return device.getImage()
        image = np.array(device.getRangeImage(), "<f4").tobytes()
        for p in device.getPointCloud() if kind == "lidar" else ():
            image += struct.pack("<3fif", p.x, p.y, p.z, p.layer, p.time)
        return image

    def seen(self, name: str) -> list[tuple]:
        camera = self._robot.getDevice(name)
        return [
            (
                flat(o.id, o.position, o.orientation, o.size),
                flat(o.position_on_image, o.size_on_image),
                flat(o.colors),
                o.model,
            )
            for o in camera.getRecognitionObjects()
        ]

    def shown(self, name: str) -> bytes:
        self._robot.getDevice(name).imageSave(None, "shown.png")
        with Image.open("shown.png") as image:
            return image.convert("RGBA").tobytes()

    def node(self, definition: str) -> typing.Any:
        return self._robot.getFromDef(definition)

    def of_node(self, node: typing.Any) -> tuple:
        points = [(*p.point, p.node_id) for p in node.getContactPoints()]
        place, turn = node.getPosition(), node.getOrientation()
        mass, velocity = node.getCenterOfMass(), node.getVelocity()
        return flat(place, turn, mass, velocity), points

    def push(self, node: typing.Any, force: list[float]) -> None:
        node.addForce(force, False)

    def place(self, node: typing.Any) -> tuple:
        return tuple(node.getField("translation").getSFVec3f())

    def move(self, node: typing.Any, place: list[float]) -> None:
        node.getField("translation").setSFVec3f(place)


class DevicesOnTheWire(WireHand):
    """A hand of a client of the wire for all devices."""

    def __init__(self, client: typing.Any):
        super().__init__(client)
        self.step = self._step
        self._packets: list = []

    def _step(self, period: int) -> int:
        delay = self._client.step(period)
        self._packets += [m for m in self._client.messages if m[1] == 1]
        return delay

    def ask(self, name: str, request: str, *values: typing.Any) -> None:
        number, layout = _REQUESTS[request]
        data = struct.pack(f"<B{layout}", number, *values)
        self._client.command(name, data)

    def ink(self, name: str, color: int, density: float) -> None:
        parts = color.to_bytes(3, "big")
        self._client.command(name, struct.pack("<B3Bd", 4, *parts, density))

    def write(self, name: str, on: bool) -> None:
        self._client.command(name, bytes([1 if on else 2]))

    def draw(self, name: str, request: str, *values: int) -> None:
        self._client.command(name, _DRAWN[request](*values))

    def attach(self, display: str, camera: str) -> None:
        tag = self._client.devices[camera][0]
        self._client.command(display, struct.pack("<BH", 20, tag))

    def measured(self, name: str, kind: str) -> typing.Any:
        numbers = _MEASURED[kind]
        for number in numbers if isinstance(numbers, tuple) else [numbers]:
            if (name, number) in self._client.seen:
                return self._client.seen[name, number]
        return None

    def send(self, name: str, data: bytes, channel: int, reach: float) -> None:
        head = struct.pack("<Bidi", 0, channel, reach, len(data))
        self._client.command(name, head + data)

    def received(self, name: str) -> list[tuple]:
        mine = [m[2] for m in self._packets if m[0] == name]
        self._packets = [m for m in self._packets if m[0] != name]
        return [(data, strength, *way) for _, way, strength, data in mine]

    def pixels(self, name: str, kind: str) -> bytes:
        return bytes(self._client.maps[name])

    def seen(self, name: str) -> list[tuple]:
        return [
            (flat(o[:10]), flat(o[10:14]), flat(*o[14]), o[15])
            for o in self._client.seen[name, 12]
        ]

    def shown(self, name: str) -> bytes:
        self._client.command(name, struct.pack("<Bi", 66, 0))
        self._client.step(0)
        _, width, height, pixels = self._client.seen[name, 66]
        image = np.frombuffer(pixels, np.uint8).reshape(height, width, 4)
        # As PNG has it, in the API's way.
        file = io.BytesIO()
        Image.fromarray(image[..., [2, 1, 0, 3]]).save(file, "png")
        with Image.open(file) as saved:
            return saved.convert("RGBA").tobytes()

    def node(self, definition: str) -> typing.Any:
        return self._client.from_def(definition)

    def of_node(self, node: typing.Any) -> tuple:
        ask = self._client.ask
        numbers = [ask(number, "I", node) for number in (90, 91, 93, 96)]
        return flat(*numbers), ask(94, "IB", node, 0)[2]

    def push(self, node: typing.Any, force: list[float]) -> None:
        self._client.command("", struct.pack("<BI3dB", 71, node, *force, 0))

    def place(self, node: typing.Any) -> tuple:
        return self._client.get(node, "translation")

    def move(self, node: typing.Any, place: list[float]) -> None:
        self._client.set(node, "translation", "3d", *place)


def bodies(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """GPS, unit, gyro, accelerometer, compass, brake, a light and a connector."""
    kinds = {"gps": "gps", "imu": "unit", "gyro": "axes", "base gps": "gps"}
    kinds |= {"accelerometer": "axes", "compass": "axes"}
    for i, name in enumerate(kinds):
        hand.enable(name, 8 * (1 + i % 2))
    hand.enable("connector", 8)
    hand.command("hinge motor", "Position", 1.0)
    hand.ask("led", "set", 1)
    for k in range(12):
        if k == 6:
            hand.ask("hinge brake", "setDampingConstant", 0.3)
            hand.ask("connector", "lock")
        if k == 9:
            hand.ask("connector", "unlock")
        yield hand.step(8)
        for name, kind in kinds.items():
            yield hand.measured(name, kind) if k > 1 else None
        yield hand.measured("connector", "presence")


def rays(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """All types of distance sensors, and light sensors."""
    distances = ["ahead", "left", "wheel", "laser", "cone", "sonar", "red"]
    lights = ["light", "shaded"]
    for name in [*distances, *lights]:
        hand.enable(name, 16)
    for k in range(6):
        yield hand.step(8)
        if k > 1:
            yield [hand.measured(name, "distance") for name in distances]
            yield [hand.measured(name, "light") for name in lights]


def touches(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """A bumper, and forces along one axis and along three."""
    for name in ("bumper", "push", "force"):
        hand.enable(name, 8)
    hand.command("motor", "Position", -1.0)
    for k in range(60):
        yield hand.step(8)
        if k > 1:
            yield hand.measured("bumper", "touch")
            yield hand.measured("push", "touch")
            yield hand.measured("force", "force-3d")


def grips(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """A gripper that takes the ground, a radar, and a pen that writes on it."""
    hand.enable("gripper", 8)
    hand.enable("radar", 16)
    hand.enable("red", 8)
    hand.ink("pen", 0x00FF00, 0.5)
    hand.write("pen", True)
    hand.command("motor", "Position", 1.0)
    for k in range(60):
        if k == 30:
            hand.ask("gripper", "turnOn")
            hand.write("pen", False)
        if k == 50:
            hand.ask("gripper", "turnOff")
        yield hand.step(8)
        if k > 1:
            yield bool(hand.measured("gripper", "presence"))
            yield hand.measured("radar", "targets")
            yield hand.measured("red", "distance")


def sends(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """Packets on several channels, and as far as several ranges."""
    for k in range(8):
        hand.send("emitter", b"packet %d" % k, [1, 1, 3, -1][k % 4], 1.0 + k)
        yield hand.step(8)


def receives(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """Receivers with channels and periods of their own, one changes its channel."""
    for i, name in enumerate(("receiver", "all", "picky")):
        hand.enable(name, 8 * (1 + i))
    for k in range(12):
        if k == 5:
            hand.ask("receiver", "setChannel", 3)
        yield hand.step(8)
        yield [hand.received(name) for name in ("receiver", "all", "picky")]


def images(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """Cameras, a range finder, a lidar with points, and what is recognized."""
    names = {
        "camera": "camera",
        "plain": "camera",
        "depth": "",
        "lidar": "lidar",
    }
    for name in names:
        hand.enable(name, 8)
    hand.ask("camera", "recognitionEnable", 8)
    hand.ask("lidar", "enablePointCloud")
    for k in range(4):
        if k == 2:
            hand.ask("camera", "setFov", 0.7)
            hand.ask("plain", "setExposure", 2.0)
        yield hand.step(8)
        if k > 0:
            yield [hand.pixels(*item) for item in names.items()]
            yield hand.seen("camera")


def drawing(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """A display with shapes in colours, over a camera's image."""
    hand.enable("camera", 8)
    for color, shape, place in (
        (0xFF0000, "fillRectangle", (5, 5, 20, 10)),
        (0x00FF00, "drawLine", (0, 0, 60, 40)),
        (0x0000FF, "drawOval", (30, 30, 12, 6)),
        (0xFFFFFF, "drawPixel", (70, 50)),
    ):
        hand.ask("display", "setColor", color)
        hand.draw("display", shape, *place)
        hand.step(8)
        yield hand.shown("display")
    hand.attach("display", "camera")
    yield hand.step(8)
    yield hand.shown("display")


def supervises(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """Poses, velocities, contacts, pushes and fields of nodes."""
    box, link = hand.node("BOX"), hand.node("ROBOT.link")
    for k in range(30):
        if k % 7 == 3:
            hand.push(box, [3.0, -1.0, 2.0])
        if k == 20:
            hand.move(box, [1.0, 1.0, 0.5])
        yield hand.step(8)
        yield hand.of_node(box), hand.of_node(link)
        yield hand.place(box)


def looks_on(hand: typing.Any) -> typing.Iterator[typing.Any]:
    """Only steps."""
    for _ in range(30):
        yield hand.step(8)


DEVICE_PROGRAMMES = {
    p.__name__: p
    for p in (
        bodies,
        rays,
        touches,
        grips,
        sends,
        receives,
        images,
        drawing,
        supervises,
        looks_on,
    )
}
