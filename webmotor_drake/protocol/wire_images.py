"""Images on the wire; RangeFinders and Lidars (WbAbstractCamera.cpp).

Over a local socket pixels go through a file that both sides map; over TCP they come
with the answer.
"""

import contextlib
import mmap
import os
import struct
import typing
from pathlib import Path

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.host.devices import HostDevice
from webmotor_drake.host.senses.camera import ImageSampler
from webmotor_drake.host.senses.lidar import angles
from webmotor_drake.protocol.addresses import encoded
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.reader import Reader, text
from webmotor_drake.protocol.wire_devices import KINDS
from webmotor_drake.protocol.wire_sensors import WireSensor

_MAPPED_FILE = 8
# The number of an image over TCP.
_IMAGE = 0
_POINT = np.dtype(
    [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("layer", "<i4"), ("t", "<f4")]
)


class MappedFile:
    """A file of pixels that the client maps as well.

    Args:
        path: where; whatever is there is replaced.
        size: in bytes.
    """

    def __init__(self, path: Path, size: int):
        self.path = path
        self.size = size
        path.unlink(missing_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        descriptor = os.open(path, flags, 0o600)
        try:
            os.ftruncate(descriptor, size)
            self.memory = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Removes the file; a client that has it mapped keeps its pages."""
        with contextlib.suppress(BufferError):  # somebody looks at it still
            self.memory.close()
        self.path.unlink(missing_ok=True)


class WireImage(WireSensor):
    """The common part of devices with images."""

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        self._file: MappedFile | None = None
        self._unseen = self._sampler.value  # before the first image

    def blank(self) -> bytes:
        """Returns the pixels before the first image."""
        raise NotImplementedError

    def pixels(self) -> bytes:
        """Returns the newest pixels."""
        raise NotImplementedError

    def head(self, near: float, planar: bool) -> bytes:
        """Returns what C_CONFIGURE of all of them begins with."""
        node = self.device.node
        width = getattr(node, "width", 0) or node.horizontal_resolution
        height = getattr(node, "height", 0) or node.number_of_layers
        return struct.pack(
            "<IHHddB",
            self.tag,
            width,
            height,
            self.field_of_view,
            near,
            planar,
        )

    @property
    def field_of_view(self) -> float:
        """The present field of view, rad."""
        return self.device.node.field_of_view

    def command(self, number: int, block: Reader) -> bool:
        """Switches it on and off; with the first image, black, when it goes on."""
        if not super().command(number, block):
            return False
        if self._sampler.asked:
            self._show_blank()
        return True

    def _show_blank(self) -> None:
        """Gives the client pixels: without any it crashes where it reads one."""
        folder = self.exchange.image_folder
        if folder is None:
            self.exchange.images.setdefault((self.tag, _IMAGE), self.blank())
        elif self._file is None:
            blank = self.blank()
            path = folder / f"snap.webots.{encoded(self.device.name)}"
            self._file = MappedFile(path, len(blank))
            self._file.memory[:] = blank
            self._sampler.canvas = self.canvas(self._file.memory)
            self.tell(
                struct.pack("<Bi", _MAPPED_FILE, len(blank)) + text(str(path))
            )

    @property
    def _sampler(self) -> ImageSampler:
        return typing.cast(ImageSampler, self.device.sampler)

    def canvas(self, memory: mmap.mmap) -> np.ndarray | None:
        """Returns a file's memory as its images are drawn in; None: they are copied."""
        return None

    def measured(self) -> None:
        """Shows the newest image, which may be in the file already."""
        if self._file is None:
            self.exchange.images[self.tag, _IMAGE] = self.pixels()
        elif self._sampler.seen is not self._sampler.canvas:
            pixels = self.pixels()
            self._file.memory[: len(pixels)] = pixels

    def restart(self) -> None:
        """Forgets the client that has left, and its file."""
        super().restart()
        if self._file is not None:
            self._sampler.canvas = self._sampler.seen = None
            self._sampler.value = self._unseen
            self._file.close()
            self._file = None


class RangeFinder(WireImage):
    """A range finder."""

    def configuration(self) -> bytes:
        """Returns size, view and range."""
        node = self.device.node
        return self.head(node.min_range, planar=True) + struct.pack(
            "<d", node.max_range
        )

    def blank(self) -> bytes:
        """Returns zeros."""
        return bytes(4 * self.device.node.width * self.device.node.height)

    def canvas(self, memory: mmap.mmap) -> np.ndarray:
        """Returns rows of depths."""
        node = self.device.node
        return np.frombuffer(memory, "<f4").reshape(node.height, node.width)

    def pixels(self) -> bytes:
        """Returns depths, m."""
        return np.asarray(self._sampler.seen, "<f4").tobytes()


class Lidar(WireImage):
    """A lidar: ranges, and behind them the points where they are wanted."""

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        self._has_points = False

    def configuration(self) -> bytes:
        """Returns size, view, range, layers and frequency."""
        node = self.device.node
        return self.head(node.min_range, planar=False) + struct.pack(
            "<dH5d",
            node.max_range,
            node.number_of_layers,
            node.default_frequency,
            node.min_frequency,
            node.max_frequency,
            node.vertical_field_of_view,
            node.horizontal_resolution,
        )

    def command(self, number: int, block: Reader) -> bool:
        """Switches points on and off; the frequency changes nothing."""
        if number == 16:
            block.f64()
            self.tell_once("its frequency changes nothing here")
        elif number in (17, 18):
            self._has_points = number == 17
        else:
            return super().command(number, block)
        return True

    def _size(self) -> int:
        node = self.device.node
        return node.number_of_layers * node.horizontal_resolution

    def blank(self) -> bytes:
        """Returns zeros: a file has room for the points from the start."""
        mapped = self.exchange.image_folder is not None
        return bytes((24 if mapped or self._has_points else 4) * self._size())

    def pixels(self) -> bytes:
        """Returns ranges layer by layer, m, and points in the lidar's axes."""
        ranges = np.asarray(self._sampler.seen, np.float64)
        pixels = ranges.astype("<f4").tobytes()
        return pixels + self._points(ranges) if self._has_points else pixels

    def _points(self, r: np.ndarray) -> bytes:
        theta, phi = angles(self.device.node)
        points = np.zeros(r.shape, _POINT)
        level = np.cos(phi)[:, None]
        with np.errstate(invalid="ignore"):
            points["x"] = r * np.cos(theta) * level
            points["y"] = r * np.sin(theta) * level
            points["z"] = r * np.sin(phi)[:, None]
        points["layer"] = np.arange(len(phi))[:, None]
        taken = self._sampler.seen_at
        points["t"] = taken * self.exchange.host.stepped.basic_time_step / 1000
        return points.tobytes()

    def restart(self) -> None:
        """Forgets the client that has left."""
        super().restart()
        self._has_points = False


KINDS |= {
    nodes.RangeFinder: RangeFinder,
    nodes.Lidar: Lidar,
}
