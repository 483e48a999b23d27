"""A stand-in for programs that link Webots' libController.

It writes and reads what the C library of R2023b to R2025a does, in blocking calls: the
first request, queued commands by tag, answers until the delay is not negative. It was
written from a description of the protocol, not from the server here.
"""

import contextlib
import mmap
import os
import socket
import struct
import urllib.parse
from pathlib import Path

ROBOT, BRAKE, CAMERA, LED, PEN, ALTIMETER = 34, 37, 38, 47, 51, 36
LINEAR, POSITION_SENSOR, ROTATIONAL = 50, 52, 57
FIRST = bytes.fromhex("11000000 00000000 0000 03000000 230000")
_MOTORS = (ROTATIONAL, LINEAR)
# Of a message of a device: (node type, id) -> layout.
_LAYOUTS = {
    (ROTATIONAL, 5): "d", (LINEAR, 5): "d",
    (ROTATIONAL, 8): "H", (LINEAR, 8): "H",
    (POSITION_SENSOR, 0): "i", (POSITION_SENSOR, 1): "d",
    (POSITION_SENSOR, 2): "H",
    (BRAKE, 0): "i", (BRAKE, 4): "H",
    (44, 0): "i", (44, 2): "7d",
    (45, 53): "3d", (35, 51): "3d", (39, 52): "3d", (46, 54): "4d",
    (36, 1): "d", (55, 8): "", (42, 50): "d", (49, 55): "d",
    (60, 40): "d", (60, 41): "3d",
    (40, 0): "B", (40, 1): "h", (61, 0): "B", (61, 1): "B",
    (54, 0): "4d", (58, 0): "I", (41, 0): "HH",
    (38, 0): "IHHddBddBB5d", (55, 0): "IHHddBd", (48, 0): "IHHddBdH5d",
}  # fmt: skip
# Of a reply to a supervisor: its layout.
_SUPERVISORS = {
    10: "i", 16: "B", 17: "B", 18: "B", 65: "i", 82: "B", 89: "i", 90: "3d",
    91: "9d", 92: "II16d", 93: "3d", 95: "B", 96: "6d", 98: "B",
}  # fmt: skip
# Of a field's value: its layout by type.
_VALUES = {1: "B", 2: "i", 3: "d", 4: "2d", 5: "3d", 6: "4d", 7: "3d"}
_TABLES = {45: "", 35: "", 39: "", 49: "", 42: "i3d", 60: "i"}


class Stream:
    """Little-endian fields, one after the other."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def __bool__(self) -> bool:
        return self.at < len(self.data)

    def fields(self, layout: str) -> tuple:
        found = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return found

    def one(self, layout: str):
        return self.fields(layout)[0]

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        found, self.at = self.data[self.at : end].decode(), end + 1
        return found

    def bytes(self, size: int) -> bytes:
        assert 0 <= size <= len(self.data) - self.at
        found, self.at = self.data[self.at : self.at + size], self.at + size
        return found


def _seen(s: Stream) -> tuple:
    """Returns a recognized object: id, position, ..., colours, model."""
    found = s.fields("i3d4d2d2i2i")
    colors = [s.fields("3d") for _ in range(s.one("i"))]
    return (*found, colors, s.text())


class EndedError(Exception):
    """The server has closed."""


class WebotsClient:
    """A controller's side of a robot.

    Attributes:
        devices: tag and type by name.
        seen: the newest message of each (name of the device, id).
        messages: of the last answer: (name, id, value), in order.
        quit: whether the simulation is over.
    """

    def __init__(
        self,
        *,
        local: Path | None = None,
        port: int = 0,
        robot: str = "",
        has_protos: bool = True,
    ):
        self.local = local is not None
        if self.local:
            self.socket = socket.socket(socket.AF_UNIX)
            with self._closed_if_refused():
                self.socket.connect(str(local))
        else:
            self.socket = socket.create_connection(("127.0.0.1", port))
            hello = b"CTR"
            if robot:
                hello += b"\nRobot-Name: " + urllib.parse.quote(robot).encode()
            self.socket.sendall(hello)
            self.answered = self.socket.recv(10)
            if self.answered != b"CONNECTED":
                self.socket.close()
                raise EndedError(self.answered)
        self.socket.settimeout(180)  # it may compile first
        self.devices: dict[str, tuple[int, int]] = {}
        self._by_tag: dict[int, tuple[str, int]] = {0: ("", ROBOT)}
        self.seen, self.messages, self.quit = {}, [], False
        self.maps: dict[str, mmap.mmap] = {}
        self.images: dict[str, bytes] = {}
        self.queue: dict[int, bytes] = {}
        self.delay = 0
        self.self_node = None
        self.nodes: dict[int, dict] = {0: {"id": 0, "type": 14}}
        self.asked_field, self.asked_proto = None, -1
        self.has_protos = has_protos
        with self._closed_if_refused():
            self.socket.sendall(FIRST)
            self.handshake = self._read()
        stream = Stream(self.handshake)
        assert stream.fields("HB") == (0, 0)
        self._configure(stream)
        self._parse(stream)

    @contextlib.contextmanager
    def _closed_if_refused(self):
        try:
            yield
        except (OSError, EndedError):
            self.socket.close()
            raise

    def _configure(self, s: Stream) -> None:
        self.name, self.version = s.text(), s.text()
        self.supervisor, self.synchronization, count, kind = s.fields("BBHH")
        assert kind == ROBOT
        self.time = s.one("d")
        for tag in range(1, count):
            kind = s.one("H")
            name, _ = s.text(), s.text()
            self.devices.setdefault(name, (tag, kind))
            self._by_tag[tag] = name, kind
        self.basic_time_step = s.one("d")
        self.project, self.world, self.model = s.text(), s.text(), s.text()
        self.window, self.remote = s.text(), s.text()
        self.controller, self.custom_data = s.text(), s.text()
        assert s.fields("BB") == (0, 0)
        self.mode = s.one("i")

    def _exactly(self, size: int) -> bytes:
        parts = b""
        while len(parts) < size:
            got = self.socket.recv(size - len(parts))
            if not got:
                raise EndedError
            parts += got
        return parts

    def _read(self) -> bytes:
        """Returns the messages of an answer."""
        if self.local:
            size, self.delay = struct.unpack("<Ii", self._exactly(8))
            return self._exactly(size - 8)
        chunks, total = struct.unpack("<hI", self._exactly(6))
        data = b""
        for _ in range(chunks):
            size, kind = struct.unpack("<IB", self._exactly(5))
            if kind == 0:
                data += self._exactly(size)
            else:
                tag, number = struct.unpack("<HB", self._exactly(3))
                name = self._by_tag[tag][0]
                which = {0: name, 9: f"{name} segmentation"}[number]
                self.images[which] = self._exactly(size)
        assert len(data) == total
        self.delay = struct.unpack("<i", data[:4])[0]
        return data[4:]

    def command(self, device: str, data: bytes) -> None:
        """Queues a command of a device; "": of the robot."""
        tag = self.devices[device][0] if device else 0
        self.queue[tag] = self.queue.get(tag, b"") + data

    def motor(self, device: str, number: int, *values: float) -> None:
        self.command(device, struct.pack(f"<H{len(values)}d", number, *values))

    def enable(self, device: str, period: int) -> None:
        self.command(device, struct.pack("<BH", 1, period))

    def send(self, milliseconds: int) -> None:
        """Sends a request with all that is queued."""
        blocks = b"".join(
            struct.pack("<Hi", tag, len(data)) + data
            for tag, data in sorted(self.queue.items())
        )
        self.queue.clear()
        head = struct.pack("<II", 8 + len(blocks), milliseconds)
        self.socket.sendall(head + blocks)

    def step(self, milliseconds: int) -> int:
        """Steps; -1: it is over."""
        self.send(milliseconds)
        self.raw = self._read()
        self.messages = []
        self._parse(Stream(self.raw))
        return -1 if self.quit else self.delay

    def _parse(self, s: Stream) -> None:
        while s:
            tag, number = s.fields("HB")
            name, kind = self._by_tag[tag]
            assert kind not in (LED, PEN), "a client's LED would crash"
            value = self._value(s, name, kind, number)
            self.messages.append((name, number, value))
            self.seen[name, number] = value

    def _value(self, s: Stream, name: str, kind: int, number: int):  # noqa: C901
        if kind == ROBOT:
            return self._of_robot(s, number)
        if kind in _MOTORS and number == 0:
            fields = s.fields("i11d")
            return (*fields, list(s.fields(f"{s.one('i')}H")))
        if kind in _TABLES and number == 0:
            head = s.fields(_TABLES[kind])
            rows = s.one("i")
            return (*head, [s.fields("3d") for _ in range(rows)])
        if kind in (38, 48, 55) and number in (8, 13):
            size, path = s.one("i"), s.text()
            with open(path, "r+b") as file:
                which = name if number == 8 else f"{name} segmentation"
                self.maps[which] = mmap.mmap(file.fileno(), size)
            return size
        if kind == 38 and number == 12:
            return [_seen(s) for _ in range(s.one("i"))]
        if kind == 54 and number == 1:
            return [s.fields("4d") for _ in range(s.one("i"))]
        if kind == 59:
            return s.text() if number == 6 else None
        if kind == 41 and number == 66:
            image, width, height = s.fields("3i")
            return image, width, height, s.bytes(4 * width * height)
        if kind == 46 and number == 0:
            return s.one("d"), s.text()
        if kind == 43 and number == 0:
            return (*s.fields("iiddd"), list(s.fields(f"{s.one('i')}i")))
        if kind == 56 and number == 0:
            return (*s.fields("ii"), list(s.fields(f"{s.one('i')}i")))
        if kind == 56 and number == 1:
            channel, *place, strength = s.fields("i4d")
            return channel, place, strength, s.bytes(s.one("i"))
        assert (kind, number) in _LAYOUTS, (name, kind, number)
        found = s.fields(_LAYOUTS[kind, number])
        return found[0] if len(found) == 1 else found

    def _of_robot(self, s: Stream, number: int):
        if number == 2:
            self.quit = True
        elif number == 4:
            self.time = s.one("d")
            return self.time
        elif number == 5:
            return s.one("d")
        elif number == 3:
            return s.fields("3i")
        elif number == 80:
            return s.one("i")
        elif number == 46:
            return s.text()
        elif number == 6:
            return list(s.fields(f"{s.one('B')}i"))
        elif number == 11:
            self.custom_data = s.text()
            return self.custom_data
        else:
            assert self.supervisor, number
            return self._of_supervisor(s, number)
        return None

    def _node(self, s: Stream, layout: str = "IIiIB", named: str = "") -> int:
        """Reads a node as `supervisor.c` does, in one of its three forms."""
        number, kind, tag, parent, *flags = s.fields(layout)
        assert not any(flags[1:])
        known = {"id": number, "type": kind, "tag": tag, "parent": parent}
        known["is_proto"] = bool(flags[0])
        known |= {"kind": s.text(), "def": named or s.text()}
        if number:
            self.nodes[number] = known
        return number

    def _of_supervisor(self, s: Stream, number: int):  # noqa: C901
        if number == 0:
            own, parent, *flags = s.fields("IIBB")
            assert flags == [0, 0]
            self.self_node = own
            self.nodes[own] = {"id": own, "parent": parent, "kind": s.text()}
            self.nodes[own]["def"] = s.text()
            return own
        if number in (83, 85, 86):
            return self._node(s, "IIiIBB")
        if number == 84:
            return self._node(s, named=self.asked_field)
        if number in (64, 87):
            found = list(s.fields("iiBi"))
            if self.has_protos:
                actual = s.fields("ii")
                found += actual if actual != (-1, -1) else ()
            return (*found, s.text())
        if number == 88:
            return self._field_value(s)
        if number == 94:
            node, within, count = s.fields("IBi")
            return node, within, [s.fields("3di") for _ in range(count)]
        if number == 97:
            gone = s.one("I")
            del self.nodes[gone]
            return gone
        if number == 20:
            return s.one("i"), s.text(), s.one("i")
        if number == 77:
            return s.text()
        if number == 78:
            return (*s.fields("iBi"), s.text())
        layout = _SUPERVISORS[number]
        found = s.fields(layout)
        return found[0] if len(found) == 1 else found

    def _field_value(self, s: Stream):
        kind = s.one("i")
        if kind == 0:
            return None
        assert s.one("I") in self.nodes
        if self.has_protos:
            assert s.one("i") == self.asked_proto
        s.one("I")
        if kind & 15 == 8:
            return s.text()
        if kind & 15 == 9:
            at = s.at
            if s.one("I") == 0:
                return None
            s.at = at
            return self._node(s)
        found = s.fields(_VALUES[kind & 15])
        return found[0] if len(found) == 1 else found

    def ask(self, number: int, layout: str = "", *values, text: str = ""):
        """Asks the simulator as a supervisor, at once; returns its reply."""
        data = struct.pack(f"<B{layout}", number, *values)
        if text:
            data += text.encode() + b"\0"
        return self._asked(number, data)

    def _asked(self, number: int, data: bytes):
        self.command("", data)
        self.seen.pop(("", number), None)
        assert self.step(0) == 0
        return self.seen.get(("", number))

    def from_def(self, name: str) -> int:
        """wb_supervisor_node_get_from_def; 0: there is none."""
        self.asked_field = name.rpartition(".")[2]
        data = b"\x54" + name.encode() + b"\0" + struct.pack("<i", -1)
        return self._asked(84, data)

    def field(
        self, node: int, name: str, *, inside: bool = False, proto: int = -1
    ) -> tuple:
        """Asks for a field: index, type, internal, count, name.

        wb_supervisor_node_get_field, with `inside` ..._get_base_node_field, with
        `proto` wb_supervisor_proto_get_field: before the name the node and number of
        the field that it sets, if there is one.
        """
        head = struct.pack("<BI", 87, node)
        if self.has_protos:
            head += struct.pack("<i", proto)
        return self._asked(87, head + name.encode() + bytes([0, inside]))

    def get(
        self,
        node: int,
        name: str,
        index: int | None = None,
        *,
        inside: bool = False,
        proto: int = -1,
    ):
        """Returns the value of a field; see `field`."""
        number, _, is_inside, *_ = self.field(
            node, name, inside=inside, proto=proto
        )
        assert is_inside == inside
        self.asked_proto = proto
        head = struct.pack("<BI", 88, node)
        if self.has_protos:
            head += struct.pack("<i", proto)
        head += struct.pack("<IB", number, is_inside)
        if index is not None:
            head += struct.pack("<I", index)
        return self._asked(88, head)

    def set(self, node: int, name: str, layout: str, *values) -> None:
        """Queues the value of a field with one, for the next step."""
        number, kind, *_ = self.field(node, name)
        head = struct.pack("<BIIIi", 62, node, number, kind, -1)
        self.command("", head + struct.pack(f"<{layout}", *values))

    def clean_up(self) -> None:
        """Ends as wb_robot_cleanup does."""
        if not self.quit:
            self.command("", b"\x26")
            self.step(0)
        self.socket.sendall(bytes(4))
        self.close()

    def close(self) -> None:
        """Closes without a word, as a killed program."""
        self.socket.close()
        for mapped in self.maps.values():
            mapped.close()


def extern_socket(port: int, robot: str, kind: str = "extern") -> Path:
    """Returns where a client looks for a robot."""
    code = urllib.parse.quote(robot, safe="-_~.")
    user = os.environ["USER"]
    return Path(f"/tmp/webots/{user}/{port}/ipc/{code}/{kind}")
