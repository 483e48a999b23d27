"""The measurements of a run's sensors, for our pages."""

import json
import struct
import time
import typing
from collections.abc import Iterator

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.scenario.scenario import robots_of
from webmotor_drake.simulation.simulation import Simulation

# Begins a picture; see `PageScene.frame`.
_PICTURE = b"\xc1\1"
# Between two messages with values, and with pictures, s.
_VALUES, _PICTURES = 0.1, 0.2
# Devices that measure nothing that can be shown.
_BLIND = (
    *(nodes.Emitter, nodes.Receiver, nodes.Display),
    *(nodes.LED, nodes.Pen, nodes.Skin, nodes.Speaker),
)
# The longest side of a picture that is sent, pixels.
_LONGEST = 240


class PageSensors:
    """The sensors of a simulation, as folders of the page.

    Sensors measure where a controller has enabled them; the page only looks.

    Attributes:
        about: robot, name and node of each sensor.

    Args:
        simulation: simulation of the robots.
    """

    def __init__(self, simulation: Simulation):
        self._measured = simulation.measured
        self._keys = [
            (model, name, node)
            for model, driver in robots_of(simulation.scenario).items()
            for name, node in [
                *driver.position_sensors.items(),
                *driver.devices.items(),
            ]
            if not isinstance(node, _BLIND)
        ]
        self.about = [
            {"robot": model, "name": name, "type": type(node).__name__}
            for model, name, node in self._keys
        ]
        self._next = [-np.inf, -np.inf]

    def values(self, now: float) -> list[str]:
        """Returns the sensors' values as JSON; nothing if they are not due yet.

        A sensor that is off, or has a picture, has the value None.

        Args:
            now: the simulated time, s.
        """
        if not self._is_due(0, _VALUES):
            return []
        values: list[list[float | None] | None] = [None] * len(self._keys)
        for index, value, _, shape in self._seen():
            if not shape:
                values[index] = _numbers(value)
        return [json.dumps({"values": values, "at": now})]

    def pictures(self) -> list[bytes]:
        """Returns the pictures that have to be shown now."""
        pictures = []
        seen = self._seen() if self._is_due(1, _PICTURES) else ()
        for index, value, node, shape in seen:
            if not shape or (image := _image(value, node, shape)) is None:
                continue  # it has not measured yet
            height, width = image.shape[:2]
            head = struct.pack("<HII", index, width, height)
            pictures.append(_PICTURE + head + image.tobytes())
        return pictures

    def last(self, now: float) -> list[str | bytes]:
        """Returns all messages for the end of a run, due or not."""
        self._next = [-np.inf, -np.inf]
        return [*self.values(now), *self.pictures()]

    def _is_due(self, kind: int, period: float) -> bool:
        now = time.perf_counter()
        if not self._measured or now < self._next[kind]:
            return False
        self._next[kind] = now + period
        return True

    def _seen(self) -> Iterator[tuple[int, typing.Any, object, typing.Any]]:
        """Yields number, measurement, node and shape of the sensors that are on."""
        for index, (model, name, node) in enumerate(self._keys):
            sampler = self._measured.get((model, name))
            if sampler is not None and sampler.period:
                yield index, sampler.value, node, _shape(node)


def _shape(node: object) -> tuple[int, int] | None:
    """Returns rows and columns of a device's image; None: it measures numbers."""
    if isinstance(node, nodes.Lidar):
        return node.number_of_layers, node.horizontal_resolution
    if isinstance(node, nodes.Camera | nodes.RangeFinder):
        return node.height, node.width
    return None


def _numbers(value: typing.Any) -> list[float | None]:
    """Returns the numbers of a measurement; None for NaN and infinity.

    A GPS gives its position and a Radar distances, though both measure more.
    """
    first = value[0] if isinstance(value, tuple) else value
    if isinstance(first, list):
        first = [getattr(part, "distance", part) for part in first]
    numbers = np.atleast_1d(np.asarray(first, dtype=float)).ravel()
    return [float(x) if np.isfinite(x) else None for x in numbers]


def _image(
    value: typing.Any, node: object, shape: tuple[int, int]
) -> np.ndarray | None:
    """Returns a picture, shape (rows, columns, 4), red, green, blue and 255."""
    if isinstance(node, nodes.Camera):
        image = np.frombuffer(value, np.uint8)
        if image.size != 4 * shape[0] * shape[1]:
            return None
        image = image.reshape(*shape, 4)
        every = -(-max(shape) // _LONGEST)
        return np.ascontiguousarray(image[::every, ::every, [2, 1, 0, 3]])
    ranges = np.asarray(value, dtype=float).ravel()
    if ranges.size != shape[0] * shape[1]:
        return None
    share = np.clip(ranges.reshape(shape) / node.max_range, 0, 1)
    grey = np.where(np.isfinite(share), 255 * share, 255).astype(np.uint8)
    every = -(-shape[0] // _LONGEST), -(-shape[1] // _LONGEST)
    grey = grey[:: every[0], :: every[1]]
    opaque = np.full_like(grey, 255)
    return np.ascontiguousarray(np.stack([grey, grey, grey, opaque], axis=-1))
