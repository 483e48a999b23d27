"""Webots' RangeFinder, Lidar and Radar."""

import dataclasses as dc
import math
import os
import struct
from collections.abc import Sequence

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import Sensor, newest, of_node
from webmotor_drake.controllers.devices.images import (
    ImageDevice,
    save_picture,
    save_radiance,
)
from webmotor_drake.host import messages
from webmotor_drake.host.senses.lidar import NO_ROTATION, points_of
from webmotor_drake.host.senses.radar import RadarTarget


class Ranged(Sensor):
    """The common methods of sensors with a range."""

    getMinRange = of_node(nodes.RangeFinder, "min_range", math.nan)
    getMaxRange = of_node(nodes.RangeFinder, "max_range", math.nan)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)


class _Ranging(Ranged):
    """The common methods of RangeFinder and Lidar."""

    getFov = of_node(nodes.RangeFinder, "field_of_view", math.nan)
    fov = property(getFov)


class RangeFinder(ImageDevice, _Ranging):
    """Takes images of distances along its x axis."""

    _declared = nodes.RangeFinder
    _blank = ()

    def getRangeImage(self, data_type: str = "list") -> list[float] | bytes:
        """Returns the newest depths, m, row by row; infinite beyond the range.

        Args:
            data_type: "list", or "buffer" for bytes of 32-bit numbers.

        0 before the first measurement; the last depths, with an error, if it is off.
        """
        depths = newest(self, "getRangeImage()")
        if data_type == "buffer":
            return struct.pack(f"{len(depths)}f", *depths)
        return list(depths)

    def getRangeImageArray(self) -> list[list[float]]:
        """Returns the newest depths, m, as a list per row."""
        depths, width = list(newest(self, "getRangeImageArray()")), self.width
        return [depths[i : i + width] for i in range(0, len(depths), width)]

    @staticmethod
    def rangeImageGetDepth(
        image: Sequence[float], width: int, x: int, y: int
    ) -> float:
        """Returns the depth, m, at `x`, `y` of an `image` that is `width` wide."""
        return image[y * width + x]

    def saveImage(self, filename: str, quality: int) -> int:
        """Writes the newest image in grey, white at max_range, as .png or .jpg.

        A .hdr file holds the depths themselves, m, up to max_range. Returns 0, or -1
        with an error.
        """
        if not self._tag:
            return -1
        depths = np.array(newest(self, "saveImage()"))
        name = os.fspath(filename)
        if name.lower().endswith(".hdr"):
            finite = np.minimum(depths, self.getMaxRange())
            return save_radiance(
                self._call("saveImage()"),
                finite.reshape(self.height, self.width),
                name,
            )
        grey = np.clip(255 * depths / self.getMaxRange(), 0, 255)
        pixels = grey.reshape(self.height, self.width).astype(np.uint8)
        return save_picture(
            self._call("saveImage()"), pixels, filename, quality
        )

    range_image = property(getRangeImage)


@dc.dataclass
class LidarPoint:
    """A point that a lidar has measured.

    Attributes:
        x: distance ahead of the lidar, m.
        y: distance to its left, m.
        z: height above it, m.
        layer: 0 for the topmost.
        time: time of the measurement, s.
    """

    x: float
    y: float
    z: float
    layer: int
    time: float

    @property
    def layer_id(self) -> int:
        """The layer, by its name in C."""
        return self.layer


class Lidar(_Ranging):
    """Measures distances in layers of directions around its x axis."""

    _declared = nodes.Lidar
    _blank = np.zeros((0, 0))

    def getRangeImage(self) -> list[float]:
        """Returns the newest distances, m, layer by layer, from left to right.

        Infinite beyond the range. 0 before the first measurement; the last distances,
        with an error, if it is off.
        """
        return newest(self, "getRangeImage()").ravel().tolist()

    def getRangeImageArray(self) -> list[list[float]]:
        """Returns the newest distances, m, as a list per layer."""
        return newest(self, "getRangeImageArray()").tolist()

    def getLayerRangeImage(self, layer: int) -> list[float]:
        """Returns the newest distances of a layer, m; layer 0 is on top.

        For a missing layer it returns an empty list, with an error.
        """
        distances = newest(self, "getLayerRangeImage()")
        if not self._has_layer("getLayerRangeImage", layer):
            return []
        return distances[layer].tolist()

    def _has_layer(self, method: str, layer: int) -> bool:
        call = self._call(f"{method}({layer!r})")
        number = messages.whole_number(call, layer)
        if 0 <= number < self.getNumberOfLayers():
            return True
        messages.error(
            call, f"there are {self.getNumberOfLayers()} layers, from 0 on"
        )
        return False

    def enablePointCloud(self) -> None:
        """Starts the point cloud."""
        self._put("has_points", bool(self._tag))

    def disablePointCloud(self) -> None:
        """Stops the point cloud."""
        self._put("has_points", False)

    def isPointCloudEnabled(self) -> bool:
        """Returns whether the point cloud is on."""
        return self._tag > 0 and self._device.get("has_points", False)

    def _points_are_off(self, method: str) -> bool:
        problem = ""
        if not self.isPointCloudEnabled():
            problem = "the point cloud is off; enablePointCloud() first"
        elif self.getSamplingPeriod() <= 0:
            problem = "the sensor is off; enable it first"
        if problem:
            messages.error(self._call(method), problem)
        return bool(problem)

    def getPointCloud(self) -> list[LidarPoint]:
        """Returns the newest points in the lidar's axes, layer by layer.

        If points or the lidar are off it returns an empty list, with an error.
        """
        if self._points_are_off("getPointCloud()"):
            return []
        return [point for layer in self._layers() for point in layer]

    def getLayerPointCloud(self, layer: int) -> list[LidarPoint]:
        """Returns the newest points of a layer; see `getPointCloud`."""
        if self._points_are_off("getLayerPointCloud()"):
            return []
        if not self._has_layer("getLayerPointCloud", layer):
            return []
        return self._layers()[layer]

    def _layers(self) -> list[list[LidarPoint]]:
        sampler = self._device.sampler
        time = sampler.seen_at * sampler.clock.basic_time_step / 1000
        places = np.stack(points_of(self._device.node, sampler.seen), axis=-1)
        return [
            [LidarPoint(*place, layer, time) for place in row]
            for layer, row in enumerate(places.tolist())
        ]

    def getNumberOfPoints(self) -> int:
        """Returns the number of points; 0, with an error, when they are off."""
        if self._points_are_off("getNumberOfPoints()"):
            return 0
        return self.getHorizontalResolution() * self.getNumberOfLayers()

    def getFrequency(self) -> float:
        """Returns the frequency of rotation as it was set, 1/s."""
        return self._device.get(
            "frequency", self._device.get("default_frequency")
        )

    def setFrequency(self, frequency: float) -> None:
        """Stores the frequency, 1/s; ignored, with an error, beyond the node's."""
        call = self._call(f"setFrequency({frequency!r})")
        wanted = messages.number(call, frequency)
        low, high = self.getMinFrequency(), self.getMaxFrequency()
        if not low <= wanted <= high:
            messages.error(call, f"ignored; {low:g} to {high:g} Hz are allowed")
        elif self._is_here():
            if "frequency" not in self._device.fields:
                messages.warning(self._call("setFrequency()"), NO_ROTATION)
            self._put("frequency", wanted)

    getHorizontalResolution = of_node(nodes.Lidar, "horizontal_resolution", 0)
    getNumberOfLayers = of_node(nodes.Lidar, "number_of_layers", 0)
    getVerticalFov = of_node(nodes.Lidar, "vertical_field_of_view", math.nan)
    getMinFrequency = of_node(nodes.Lidar, "min_frequency", math.nan)
    getMaxFrequency = of_node(nodes.Lidar, "max_frequency", math.nan)
    range_image = property(getRangeImage)
    horizontal_resolution = property(getHorizontalResolution)
    number_of_layers = property(getNumberOfLayers)
    number_of_points = property(getNumberOfPoints)
    vertical_fov = property(getVerticalFov)
    frequency = property(getFrequency, setFrequency)
    min_frequency = property(getMinFrequency)
    max_frequency = property(getMaxFrequency)


class Radar(Ranged):
    """Sees bodies that have a radar_cross_section, in a cone around its x axis."""

    _declared = nodes.Radar

    def getTargets(self) -> list[RadarTarget]:
        """Returns the newest targets; the last targets, with an error, if it is off."""
        return [dc.replace(target) for target in newest(self, "getTargets()")]

    def getNumberOfTargets(self) -> int:
        """Returns the number of the newest targets; see `getTargets`."""
        return len(newest(self, "getNumberOfTargets()"))

    getHorizontalFov = of_node(
        nodes.Radar, "horizontal_field_of_view", math.nan
    )
    getVerticalFov = of_node(nodes.Radar, "vertical_field_of_view", math.nan)
    number_of_targets = property(getNumberOfTargets)
    horizontal_fov = property(getHorizontalFov)
    vertical_fov = property(getVerticalFov)
