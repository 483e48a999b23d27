"""What the fields of cameras, range finders, lidars and displays may hold."""

import math

from webmotor_drake.errors import InputError, below
from webmotor_drake.nodes.field_checks import (
    MAX_INT,
    check_choice,
    check_color,
    check_count,
    check_range,
    check_resolution,
)
from webmotor_drake.nodes.images import (
    Camera,
    Display,
    Lidar,
    RangeFinder,
    Recognition,
)
from webmotor_drake.nodes.node_rules import check_not_negative

# Images of more are gigabytes.
_MAX_SIDE, _MAX_PIXELS = 8192, 2**25
# How far up and down a lidar sees, rad.
_STEEPEST = 1.4


def check_pixels(node: Camera | RangeFinder | Display) -> None:
    """Refuses images without pixels, or with gigabytes of them."""
    for side in ("width", "height"):
        check_count(side, getattr(node, side), 1, _MAX_SIDE)
    if node.width * node.height > _MAX_PIXELS:
        raise InputError(
            f"{node.width} x {node.height} pixels; {_MAX_PIXELS} in all are"
            " allowed",
            path=("width",),
        )


def _check_view(field: str, angle: float) -> None:
    if not 0 < angle < math.pi:
        raise InputError(
            f"{angle:g} rad is not allowed; an angle between 0 and pi is",
            path=(field,),
        )


def check_camera(node: Camera) -> None:
    """Checks a camera's values."""
    check_pixels(node)
    _check_view("field_of_view", node.field_of_view)
    check_not_negative(node, "noise")
    if not node.near > 0:
        raise InputError(
            f"{node.near:g} m is not allowed; a length above 0 is",
            path=("near",),
        )
    if node.far and node.far <= node.near:
        raise InputError(
            f"{node.far:g} m is not beyond near, {node.near:g} m; 0 (everything)"
            " or more is allowed",
            path=("far",),
        )
    if node.zoom is not None:
        with below("zoom"):
            for field in ("min_field_of_view", "max_field_of_view"):
                _check_view(field, getattr(node.zoom, field))
    if node.recognition is not None:
        with below("recognition"):
            _check_recognition(node.recognition)


def _check_recognition(node: Recognition) -> None:
    check_not_negative(node, "max_range")
    if node.max_objects != -1:
        check_count("max_objects", node.max_objects, 1, MAX_INT)
    for model, colors in node.recognition_colors.items():
        with below("recognition_colors", model):
            for i, color in enumerate(colors):
                check_color(i, color)


def _check_ranges(node: RangeFinder | Lidar) -> None:
    check_not_negative(node, "noise")
    check_resolution(node.resolution)
    if not 0 < node.min_range < node.max_range:
        raise InputError(
            f"{node.min_range:g} m is not allowed; a length above 0 and below"
            f" max_range, {node.max_range:g} m, is",
            path=("min_range",),
        )


def check_range_finder(node: RangeFinder) -> None:
    """Checks a range finder's values."""
    check_pixels(node)
    _check_view("field_of_view", node.field_of_view)
    _check_ranges(node)


def check_lidar(node: Lidar) -> None:
    """Checks a lidar's values."""
    check_choice("type", node.type, ("fixed", "rotating"))
    check_count("horizontal_resolution", node.horizontal_resolution, 1, 65535)
    check_count("number_of_layers", node.number_of_layers, 1, 1024)
    check_range("field_of_view", node.field_of_view, 0, 2 * math.pi, "rad")
    half = node.vertical_field_of_view / 2 + abs(node.tilt_angle)
    if node.vertical_field_of_view < 0 or half > _STEEPEST:
        raise InputError(
            f"{node.vertical_field_of_view:g} rad, tilted by {node.tilt_angle:g}"
            f" rad, is not allowed; up to {_STEEPEST:g} rad up and down are",
            path=("vertical_field_of_view",),
        )
    _check_ranges(node)
    low, high = node.min_frequency, node.max_frequency
    check_range("default_frequency", node.default_frequency, low, high, "Hz")
