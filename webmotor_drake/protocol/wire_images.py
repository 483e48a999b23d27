"""Images on the wire: RangeFinders, Lidars and Cameras (WbAbstractCamera.cpp).

Over a local socket pixels go through a file that both sides map; over TCP they come
with the answer.
"""

import typing
from pathlib import Path

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.host.senses.lidar import NO_ROTATION, points_of
from webmotor_drake.protocol.addresses import encoded
from webmotor_drake.protocol.framing import packed
from webmotor_drake.protocol.wire_devices import KINDS, Kind, WireDevice

_MAPPED_FILE, _SEGMENTATION_FILE = 8, 13
# The numbers of images over TCP.
_IMAGE, _SEGMENTATION_IMAGE = 0, 9
_RECONFIGURE, _OBJECTS = 7, 12
_POINT = np.dtype(
    [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("layer", "<i4"), ("t", "<f4")]
)


class WireImage(WireDevice):
    """A device with images."""

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self._unseen = self._sampler.value  # before the first image
        # Pixels in files that the client maps, too, by the number of the image.
        self._files: dict[int, np.memmap] = {}

    def blank(self) -> bytes:
        """Returns the pixels before the first image."""
        return _raw(self._unseen)

    def pixels(self) -> bytes:
        """Returns the newest pixels."""
        return _raw(self._sampler.seen)

    def enable(self, period: int) -> None:
        """Switches the images on or off; shows a blank image when they go on.

        Without one the client would crash when it reads an image.
        """
        self.exchange.enable(self._sampler, period)
        if not period:
            return
        key = self.tag, _IMAGE
        if self.exchange.image_folder is None:
            self.exchange.images.setdefault(key, self.blank())
        elif _IMAGE not in self._files:
            self._show(_IMAGE, self.blank())
            shape, kind = self._sampler.drawn
            if shape:  # images are drawn in the file
                self._sampler.canvas = np.ndarray(
                    shape, kind, self._files[_IMAGE].data
                )

    def _show(self, number: int, pixels: bytes) -> None:
        """Gives the client pixels: in a file if there is a folder, else over TCP."""
        folder = self.exchange.image_folder
        if folder is None:
            self.exchange.images[self.tag, number] = pixels
            return
        if number not in self._files:
            name, message = encoded(self.device.name), _MAPPED_FILE
            if number == _SEGMENTATION_IMAGE:
                name, message = f"{name}.segmentation", _SEGMENTATION_FILE
            path, size = folder / f"snap.webots.{name}", len(pixels)
            path.unlink(missing_ok=True)
            self._files[number] = np.memmap(path, np.uint8, "w+", shape=size)
            self.tell(packed("Biz", message, size, str(path)))
        drawn = np.frombuffer(pixels, np.uint8)
        self._files[number][: len(pixels)] = drawn

    def measured(self) -> None:
        """Shows the newest image, which may be in the file already."""
        if self._sampler.canvas is None or (
            self._sampler.seen is not self._sampler.canvas
        ):
            self._show(_IMAGE, self.pixels())

    def restart(self) -> None:
        """Forgets the client that has left, and its files."""
        super().restart()
        if _IMAGE in self._files:
            self._sampler.canvas = self._sampler.seen = None
            self._sampler.value = self._unseen
        for file in self._files.values():  # who maps it keeps its pages
            Path(file.filename).unlink(missing_ok=True)
        self._files.clear()


def _raw(image: typing.Any) -> bytes:
    if isinstance(image, bytes):
        return image
    return np.asarray(image, "<f4").tobytes()


def _head(wire: WireDevice, angle: float, near: float, planar: bool) -> bytes:
    """Returns the start of C_CONFIGURE, which all these devices share."""
    node = wire.node
    width = getattr(node, "width", 0) or node.horizontal_resolution
    height = getattr(node, "height", 0) or node.number_of_layers
    return packed("IHHddB", wire.tag, width, height, angle, near, planar)


def _range_finder(wire: WireDevice) -> bytes:
    node = wire.node
    head = _head(wire, node.field_of_view, node.min_range, True)
    return head + packed("d", node.max_range)


class Lidar(WireImage):
    """A lidar: its image has the ranges, then the points if they are wanted."""

    has_points = False

    def blank(self) -> bytes:
        """Returns zeros, with room for the points, which may be wanted later."""
        mapped = self.exchange.image_folder is not None
        points = _POINT.itemsize * np.size(self._unseen)
        return super().blank() + bytes(points * (mapped or self.has_points))

    def pixels(self) -> bytes:
        """Returns ranges layer by layer, m, and points in the lidar's axes."""
        pixels = super().pixels()
        return pixels + self._points() if self.has_points else pixels

    def _points(self) -> bytes:
        ranges = np.asarray(self._sampler.seen, np.float64)
        points = np.zeros(ranges.shape, _POINT)
        for name, values in zip(
            "xyz", points_of(self.node, ranges), strict=True
        ):
            points[name] = values
        points["layer"] = np.arange(len(ranges))[:, None]
        clock = self._sampler.clock
        points["t"] = self._sampler.seen_at * clock.basic_time_step / 1000
        return points.tobytes()

    def restart(self) -> None:
        """Forgets the client that has left."""
        super().restart()
        self.has_points = False


def _lidar(wire: WireDevice) -> bytes:
    node = wire.node
    return _head(wire, node.field_of_view, node.min_range, False) + packed(
        "dH5d",
        node.max_range,
        node.number_of_layers,
        node.default_frequency,
        node.min_frequency,
        node.max_frequency,
        node.vertical_field_of_view,
        node.horizontal_resolution,
    )


class Camera(WireImage):
    """A camera, which also recognizes objects."""

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        if self.device.recognition is not None:
            self.device.recognition.told = self._told_of_objects

    def changing(self) -> bytes:
        """Returns the fields that may change: zoom, recognition, exposure, no focus."""
        recognition = self.node.recognition
        no_focus = 0, 0, 0, 0
        return packed(
            "ddBB5d",
            *self.device.zoom,
            recognition is not None,
            recognition is not None and recognition.segmentation,
            self._sampler.exposure,
            *no_focus,
        )

    def reconfigure(self) -> None:
        """Adds the present field of view and changing fields to the next answer."""
        angle, near = self._sampler.field_of_view, self.node.near
        view = packed("BddB", _RECONFIGURE, angle, near, True)
        self.tell(view + self.changing())

    def recognize(self, period: int) -> str:
        """Samples the recognized objects."""
        if self.device.recognition is None:
            return "it has no Recognition"
        self.exchange.enable(self.device.recognition, period)
        return ""

    def segment(self, on: int) -> str:
        """Switches images of recognized objects on or off; the first image is black."""
        problem = self.device.segment(on=bool(on))
        if on and not problem and _SEGMENTATION_IMAGE not in self._files:
            self._show(_SEGMENTATION_IMAGE, self.blank())
        return problem

    def _told_of_objects(self) -> None:
        recognition = self.device.recognition
        told = [packed("Bi", _OBJECTS, len(recognition.seen))]
        for one in recognition.seen:
            numbers = *one.position, *one.orientation, *one.size
            pixels = *one.position_on_image, *one.size_on_image
            told += [
                packed(
                    "i3d4d2d2i2ii",
                    one.id,
                    *numbers,
                    *pixels,
                    one.number_of_colors,
                ),
                *(packed("d", part) for part in one.colors),
                packed("z", one.model),
            ]
        self.tell(b"".join(told))
        if recognition.segments:
            pixels = recognition.segmentation or self.blank()
            self._show(_SEGMENTATION_IMAGE, pixels)


def _camera(wire: typing.Any) -> bytes:
    angle, near = wire.device.sampler.field_of_view, wire.node.near
    return _head(wire, angle, near, True) + wire.changing()


def _sets(field: str) -> typing.Callable[[WireDevice, float], str]:
    """Returns a request function that sets a field, unless the camera refuses."""

    def carry_out(wire: WireDevice, value: float) -> str:
        if problem := wire.device.refusal(field, value):
            return f"{value}: {problem}"
        wire.device.change(field, value)
        return ""

    return carry_out


_SHOWN = {1: ("H", WireImage.enable)}
KINDS |= {
    nodes.RangeFinder: Kind(_range_finder, _SHOWN, made=WireImage),
    nodes.Lidar: Kind(
        _lidar,
        {
            **_SHOWN,
            16: ("d", lambda wire, frequency: NO_ROTATION),
            17: ("", lambda wire: setattr(wire, "has_points", True)),
            18: ("", lambda wire: setattr(wire, "has_points", False)),
        },
        made=Lidar,
    ),
    nodes.Camera: Kind(
        _camera,
        {
            **_SHOWN,
            4: ("d", _sets("field_of_view")),
            5: ("d", lambda wire, distance: "there is no focus"),
            6: ("d", _sets("exposure")),
            10: ("H", Camera.recognize),
            11: ("B", Camera.segment),
        },
        made=Camera,
    ),
}
