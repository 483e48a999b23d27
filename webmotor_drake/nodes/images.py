"""Webots' Camera, RangeFinder, Lidar and Display."""

import math

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import amount, field, node, step_or_none
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    COLOR,
    MAX_INT,
    POSITIVE,
    between,
    each,
    one_of,
    or_special,
    whole,
    within,
)

__all__ = ["Camera", "Display", "Lidar", "RangeFinder", "Recognition", "Zoom"]

# Pixels per side, and most pixels of an image: more take gigabytes.
_SIDE, _MAX_PIXELS = whole(1, 8192), 2**25
_VIEW = between(0, math.pi)
# The steepest direction of a lidar, up or down, rad.
_STEEPEST = 1.4


@node
class Recognition:
    """Webots' Recognition: which objects a camera names."""

    max_range: float = field(
        100.0, "distance up to which it sees", "m", AT_LEAST_0
    )
    max_objects: int = field(
        -1,
        "largest number of objects, the nearest first",
        rule=or_special(whole(1, MAX_INT), -1, "all"),
    )
    segmentation: bool = field(
        False, "True if there are images of what is recognized"
    )
    recognition_colors: dict[str, list[list[float]]] = field(
        dict[str, list[list[float]]](),
        "the colours of each model that it knows, by the model's name; a model that"
        " is not there is not recognized",
        rule=each(each(COLOR)),
        ours=True,
    )


@node
class Zoom:
    """Webots' Zoom: the fields of view that a controller may set."""

    min_field_of_view: float = field(0.5, "the narrowest", "rad", _VIEW)
    max_field_of_view: float = field(1.5, "the widest", "rad", _VIEW)


@node
class Pixels(DeviceNode):
    """The common fields of devices with images."""

    width: int = field(64, "in pixels", rule=_SIDE)
    height: int = field(64, "in pixels", rule=_SIDE)

    def check(self) -> None:
        """Refuses images of gigabytes."""
        if self.width * self.height > _MAX_PIXELS:
            raise InputError(
                f"{self.width} x {self.height} pixels; {_MAX_PIXELS} in all are"
                " allowed",
                path=("width",),
            )


@node
class Camera(Pixels):
    """Webots' Camera: an image of the drawn scene, seen along x (WbCamera.cpp)."""

    field_of_view: float = field(
        0.785398, "across the image's width", "rad", _VIEW
    )
    near: float = field(
        0.01, "distance below which nothing is seen", "m", POSITIVE
    )
    far: float = field(
        0.0, "distance beyond which nothing is seen; 0: no end", "m"
    )
    noise: float = amount(
        "standard deviation of each channel, as a part of 255 (1: 255)"
    )
    zoom: Zoom | None = field(
        None, "the fields of view that a controller may set; default: this one"
    )
    recognition: Recognition | None = field(
        None, "the objects it names; default: no objects"
    )

    def check(self) -> None:
        """Refuses a far plane that is not beyond the near one."""
        super().check()
        if self.far and self.far <= self.near:
            raise InputError(
                f"{self.far:g} m is not beyond near, {self.near:g} m; 0"
                " (everything) or more is allowed",
                path=("far",),
            )


def _check_ranges(node: "RangeFinder | Lidar") -> None:
    if not 0 < node.min_range < node.max_range:
        raise InputError(
            f"{node.min_range:g} m is not allowed; must be a length above 0 and below"
            f" max_range, {node.max_range:g} m",
            path=("min_range",),
        )


@node
class RangeFinder(Pixels):
    """Webots' RangeFinder: an image of distances along x."""

    field_of_view: float = field(
        0.785398, "across the image's width", "rad", _VIEW
    )
    min_range: float = field(0.01, "distance below which it is infinite", "m")
    max_range: float = field(1.0, "distance beyond which it is infinite", "m")
    noise: float = amount(
        "standard deviation, as a part of max_range (1: max_range)"
    )
    resolution: float = step_or_none("step of the depth", "m")

    def check(self) -> None:
        """Refuses images of gigabytes and empty ranges."""
        super().check()
        _check_ranges(self)


@node
class Lidar(DeviceNode):
    """Webots' Lidar: distances in layers of directions around x (WbLidar.cpp)."""

    tilt_angle: float = field(0.0, "of all layers, up", "rad")
    horizontal_resolution: int = field(
        512, "points per layer", rule=whole(1, 65535)
    )
    field_of_view: float = field(
        1.5708,
        "across a layer, from left to right",
        "rad",
        within(0, 2 * math.pi),
    )
    vertical_field_of_view: float = field(
        0.2, "from the first layer, on top, to the last", "rad"
    )
    number_of_layers: int = field(4, "one above the other", rule=whole(1, 1024))
    min_range: float = field(0.01, "distance below which it is infinite", "m")
    max_range: float = field(1.0, "distance beyond which it is infinite", "m")
    type: str = field(
        "fixed",
        "rotating: all around, whatever field_of_view says",
        rule=one_of("fixed", "rotating"),
    )
    noise: float = amount(
        "standard deviation, as a part of max_range (1: max_range)"
    )
    resolution: float = step_or_none("step of the distance", "m")
    default_frequency: float = field(
        10.0, "of rotation; kept, but all is measured at once", "1/s"
    )
    min_frequency: float = field(
        1.0, "the lowest that a controller may set", "1/s"
    )
    max_frequency: float = field(
        25.0, "the highest that a controller may set", "1/s"
    )

    def check(self) -> None:
        """Refuses steep views and empty ranges."""
        half = self.vertical_field_of_view / 2 + abs(self.tilt_angle)
        if self.vertical_field_of_view < 0 or half > _STEEPEST:
            raise InputError(
                f"{self.vertical_field_of_view:g} rad, tilted by"
                f" {self.tilt_angle:g} rad, is not allowed; must be at most"
                f" {_STEEPEST:g} rad up or down",
                path=("vertical_field_of_view",),
            )
        _check_ranges(self)
        low, high = self.min_frequency, self.max_frequency
        if not low <= self.default_frequency <= high:
            raise InputError(
                f"{self.default_frequency:g} Hz is not allowed; must be from {low:g} to"
                f" {high:g} Hz",
                path=("default_frequency",),
            )


@node
class Display(Pixels):
    """Webots' Display: pixels that a controller draws; nobody sees them here."""
