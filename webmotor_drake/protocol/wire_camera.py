"""Cameras on the wire: images, and the objects that are recognized (WbCamera.cpp)."""

import mmap
import struct

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.host.devices import CameraDevice
from webmotor_drake.host.senses.camera import CameraSampler, black
from webmotor_drake.host.senses.recognition import Seen
from webmotor_drake.protocol.addresses import encoded
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.reader import Reader, text
from webmotor_drake.protocol.wire_devices import KINDS
from webmotor_drake.protocol.wire_images import MappedFile, WireImage

_RECONFIGURE = 7
_FOCAL_DISTANCE, _RECOGNITION_PERIOD, _SEGMENTATION = 5, 10, 11
_OBJECTS, _SEGMENTATION_FILE = 12, 13
# The number of this image over TCP.
_SEGMENTATION_IMAGE = 9
_SEEN = struct.Struct("<i3d4d2d2i2ii")


class Camera(WireImage):
    """A camera, which also recognizes objects."""

    device: CameraDevice

    def __init__(self, device: CameraDevice, exchange: Exchange):
        super().__init__(device, exchange)
        self._segmentation: MappedFile | None = None
        if device.recognition is not None:
            device.recognition.told = self._told_of_objects

    def configuration(self) -> bytes:
        """Returns size, view, zoom, recognition; no focus."""
        return self.head(self.device.node.near, planar=True) + self._rest()

    def _rest(self) -> bytes:
        """Returns what changes: zoom, recognition, exposure, no focus."""
        node, recognition = self.device.node, self.device.node.recognition
        narrow = wide = self._sampler.field_of_view
        if node.zoom is not None:
            narrow = node.zoom.min_field_of_view
            wide = node.zoom.max_field_of_view
        return struct.pack(
            "<ddBB5d",
            narrow,
            wide,
            recognition is not None,
            recognition is not None and recognition.segmentation,
            self._sampler.exposure,
            *(0, 0, 0, 0),
        )

    @property
    def _sampler(self) -> CameraSampler:
        return self.device.sampler

    @property
    def field_of_view(self) -> float:
        """The present field of view, rad."""
        return self._sampler.field_of_view

    def reconfigure(self) -> None:
        """Tells the field of view that a supervisor has set."""
        angle, near = self.field_of_view, self.device.node.near
        view = struct.pack("<BddB", _RECONFIGURE, angle, near, 1)
        self.tell(view + self._rest())

    def command(self, number: int, block: Reader) -> bool:
        """Sets view and exposure, which the client has checked; recognition."""
        if number == _FOCAL_DISTANCE:
            block.f64()
            self.tell_once("there is no focus")
            return True
        if number == _RECOGNITION_PERIOD:
            self._recognize(block.u16())
            return True
        if number == _SEGMENTATION:
            self._segment(on=bool(block.u8()))
            return True
        if number not in (4, 6):
            return super().command(number, block)
        device, value = self.device, block.f64()
        setter = (
            device.set_exposure if number == 6 else device.set_field_of_view
        )
        if problem := setter(value):
            self.tell_once(f"{value}: {problem}")
        return True

    def _recognize(self, period: int) -> None:
        if self.device.recognition is not None:
            self.exchange.enable(self.device.recognition, period)
        else:
            self.tell_once("it has no Recognition")

    def _segment(self, *, on: bool) -> None:
        """Switches images of what is recognized; the first is black."""
        if problem := self.device.segment(on=on):
            self.tell_once(problem)
        elif on and self._segmentation is None:
            self._show_segmentation(self.blank())

    def _show_segmentation(self, pixels: bytes) -> None:
        folder = self.exchange.image_folder
        if folder is None:
            self.exchange.images[self.tag, _SEGMENTATION_IMAGE] = pixels
            return
        if self._segmentation is None:
            name = encoded(self.device.name)
            path = folder / f"snap.webots.{name}.segmentation"
            self._segmentation = MappedFile(path, len(pixels))
            self.tell(
                struct.pack("<Bi", _SEGMENTATION_FILE, len(pixels))
                + text(str(path))
            )
        self._segmentation.memory[:] = pixels

    def _told_of_objects(self) -> None:
        recognition = self.device.recognition
        assert recognition is not None
        seen: list[Seen] = recognition.seen
        told = [struct.pack("<Bi", _OBJECTS, len(seen))]
        for one in seen:
            told += [
                _SEEN.pack(
                    one.id,
                    *one.position,
                    *one.orientation,
                    *one.size,
                    *one.position_on_image,
                    *one.size_on_image,
                    len(one.colors) // 3,
                ),
                struct.pack(f"<{len(one.colors)}d", *one.colors),
                text(one.model),
            ]
        self.tell(b"".join(told))
        if recognition.segments:
            self._show_segmentation(recognition.segmentation or self.blank())

    def restart(self) -> None:
        """Forgets the client that has left, and its files."""
        super().restart()
        self.device.segment(on=False)
        if self._segmentation is not None:
            self._segmentation.close()
            self._segmentation = None

    def blank(self) -> bytes:
        """Returns black."""
        return black(self.device.node)

    def canvas(self, memory: mmap.mmap) -> np.ndarray:
        """Returns rows of pixels."""
        node = self.device.node
        shape = node.height, node.width, 4
        return np.frombuffer(memory, np.uint8).reshape(shape)

    def pixels(self) -> bytes:
        """Returns blue, green, red, alpha per pixel."""
        return self._sampler.seen


KINDS[nodes.Camera] = Camera
