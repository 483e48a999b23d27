"""What a device's fields may hold, as far as no model is needed to tell."""

import math
import typing
from collections.abc import Callable, Sequence

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.motor.device_nodes import (
    GPS,
    Altimeter,
    DeviceNode,
    InertialUnit,
    ThreeAxisSensor,
)
from webmotor_drake.motor.distance_nodes import (
    DISTANCE_TYPES,
    TOUCH_TYPES,
    DistanceSensor,
    TouchSensor,
)
from webmotor_drake.motor.image_nodes import (
    Camera,
    Display,
    Lidar,
    RangeFinder,
    Recognition,
)
from webmotor_drake.motor.light_nodes import Light, LightSensor, PointLight
from webmotor_drake.motor.node_rules import check_not_negative, check_numbers
from webmotor_drake.motor.radio_nodes import (
    LED,
    MEDIA,
    Emitter,
    RadioNode,
    Receiver,
)

# The largest whole number of Webots' files.
_MAX = 2**31 - 1
_MAX_RAYS = 10_000
# Images of more are gigabytes.
_MAX_SIDE, _MAX_PIXELS = 8192, 2**25
# How far up and down a lidar sees, rad.
_STEEPEST = 1.4


def check_device(node: DeviceNode) -> None:
    """Checks a device's values.

    Raises:
        InputError: the first that cannot be used, with its path.
    """
    check_numbers(node)
    _check_pose(node)
    for kind, check in _CHECKS.items():
        if isinstance(node, kind):
            check(node)


def _check_pose(node: DeviceNode) -> None:
    with below("pose"):
        pose = node.pose
        check_numbers(pose)
        check_length("translation", pose.translation, "x, y, z")
        check_length("rotation", pose.rotation, "axis x, y, z and angle")
        if not any(pose.rotation[:3]) and pose.rotation[3]:
            raise InputError("the axis is 0", path=("rotation",))


def check_length(field: str, values: Sequence[object], words: str) -> None:
    """Refuses a list with more or fewer values than it has `words`."""
    number = words.count(" and ") + words.count(", ") + 1
    if len(values) != number:
        raise InputError(
            f"{len(values)} numbers; {number} are needed: {words}",
            path=(field,),
        )


def check_resolution(value: float, field: str = "resolution") -> None:
    """Refuses a step that is none."""
    if value <= 0 and value != -1:
        raise InputError(
            f"{value} is not allowed; -1 (none) or a number above 0 is",
            path=(field,),
        )


def check_choice(kind: str, value: str, known: Sequence[str]) -> None:
    """Refuses a word that is none of those known."""
    if value not in known:
        raise InputError(unknown_name(kind, value, known), path=(kind,))


def check_range(
    field: str | int, value: float, low: float, high: float, unit: str = ""
) -> None:
    """Refuses a number outside of low to high."""
    if not low <= value <= high:
        unit = unit and f" {unit}"
        raise InputError(
            f"{value:g}{unit} is not allowed; {low:g} to {high:g}{unit} is",
            path=(field,),
        )


def check_count(field: str, value: int, low: int, high: int) -> None:
    """Refuses a whole number outside of low to high."""
    if not low <= value <= high:
        raise InputError(
            f"{value} is not allowed; a whole number from {low} to {high} is",
            path=(field,),
        )


def check_color(field: str | int, color: Sequence[float]) -> None:
    """Refuses what is no red, green and blue."""
    with below(field):
        if len(color) != 3:
            raise InputError(
                f"{len(color)} numbers; three are needed: red, green, blue"
            )
        for i, part in enumerate(color):
            check_range(i, part, 0, 1)


def check_lookup_table(table: Sequence[Sequence[float]]) -> None:
    """Refuses rows that are no triples, or inputs that don't increase."""
    before = -math.inf
    for i, row in enumerate(table):
        with below("lookup_table", i):
            if len(row) != 3:
                raise InputError(
                    f"{len(row)} numbers; three are needed: input, output, noise"
                )
            for number in row:
                if not math.isfinite(number):
                    raise InputError(
                        f"{number} is not allowed; a finite number is"
                    )
            if row[0] <= before:
                raise InputError(
                    f"the input {row[0]:g} is not above the {before:g} of the"
                    " row before; inputs have to increase"
                )
            before = row[0]


def _check_gps(node: GPS) -> None:
    check_choice("type", node.type, ("satellite", "laser"))
    for field in ("accuracy", "speed_noise"):
        check_not_negative(node, field)
    check_range("noise_correlation", node.noise_correlation, 0, 1)
    check_resolution(node.resolution)
    check_resolution(node.speed_resolution, "speed_resolution")
    check_choice(
        "coordinate_system", node.coordinate_system, ("local", "WGS84")
    )
    check_length("reference", node.reference, "x, y, z")
    if node.coordinate_system == "WGS84":
        with below("reference"):
            check_range("latitude", node.reference[0], -80, 84, "degrees")
            check_range("longitude", node.reference[1], -180, 180, "degrees")


def _check_altimeter(node: Altimeter) -> None:
    check_not_negative(node, "accuracy")
    check_resolution(node.resolution)


def _check_inertial_unit(node: InertialUnit) -> None:
    check_not_negative(node, "noise")
    check_resolution(node.resolution)


def _check_three_axes(node: ThreeAxisSensor) -> None:
    check_lookup_table(node.lookup_table)
    check_resolution(node.resolution)


def _check_distance_sensor(node: DistanceSensor) -> None:
    check_choice("type", node.type, DISTANCE_TYPES)
    check_lookup_table(node.lookup_table)
    check_count("number_of_rays", node.number_of_rays, 1, _MAX_RAYS)
    if node.type == "laser" and node.number_of_rays != 1:
        raise InputError(
            f"{node.number_of_rays} rays; a laser has one",
            path=("number_of_rays",),
        )
    check_range("aperture", node.aperture, 0, 2 * math.pi, "rad")
    if node.gaussian_width <= 0:
        raise InputError(
            f"{node.gaussian_width:g} is not allowed; a number above 0 is",
            path=("gaussian_width",),
        )
    check_resolution(node.resolution)
    check_range("red_color_sensitivity", node.red_color_sensitivity, 0, 1)


def _check_touch_sensor(node: TouchSensor) -> None:
    check_choice("type", node.type, TOUCH_TYPES)
    check_lookup_table(node.lookup_table)
    check_resolution(node.resolution)


def _check_light_sensor(node: LightSensor) -> None:
    check_lookup_table(node.lookup_table)
    check_color("color_filter", node.color_filter)
    check_resolution(node.resolution)


def _check_led(node: LED) -> None:
    for i, color in enumerate(node.color):
        with below("color"):
            check_color(i, color)


def _check_radio(node: RadioNode) -> None:
    check_choice("type", node.type, MEDIA)
    if node.aperture != -1:
        check_range("aperture", node.aperture, 0, 2 * math.pi, "rad")
    check_count("channel", node.channel, -1, _MAX)
    for field in ("baud_rate", "buffer_size"):
        if getattr(node, field) != -1:
            check_count(field, getattr(node, field), 1, _MAX)
    check_count("byte_size", node.byte_size, 8, _MAX)
    if node.allowed_channels and node.channel not in node.allowed_channels:
        known = ", ".join(map(str, node.allowed_channels))
        raise InputError(
            f"{node.channel} is none of the allowed_channels {known}",
            path=("channel",),
        )


def _check_emitter(node: Emitter) -> None:
    for field in ("range", "max_range"):
        check_resolution(getattr(node, field), field)
    if node.max_range != -1 and not 0 < node.range <= node.max_range:
        raise InputError(
            f"{node.range:g} m is beyond the max_range {node.max_range:g} m",
            path=("range",),
        )


def _check_receiver(node: Receiver) -> None:
    for field in ("signal_strength_noise", "direction_noise"):
        check_not_negative(node, field)


def check_light(node: Light) -> None:
    """Checks a light's values.

    Raises:
        InputError: the first that cannot be used, with its path.
    """
    check_numbers(node)
    check_color("color", node.color)
    for field in ("intensity", "ambient_intensity"):
        check_not_negative(node, field)
    if isinstance(node, PointLight):
        check_length("location", node.location, "x, y, z")
        check_length("attenuation", node.attenuation, "a, b, c")
        for i, part in enumerate(node.attenuation):
            with below("attenuation"):
                check_range(i, part, 0, math.inf)
        check_not_negative(node, "radius")
    direction = getattr(node, "direction", [1.0, 0.0, 0.0])
    check_length("direction", direction, "x, y, z")
    if not any(direction):
        raise InputError("the direction is 0", path=("direction",))


def _check_pixels(node: Camera | RangeFinder | Display) -> None:
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


def _check_camera(node: Camera) -> None:
    _check_pixels(node)
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
        check_count("max_objects", node.max_objects, 1, _MAX)
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


def _check_range_finder(node: RangeFinder) -> None:
    _check_pixels(node)
    _check_view("field_of_view", node.field_of_view)
    _check_ranges(node)


def _check_lidar(node: Lidar) -> None:
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


_CHECKS: dict[type[DeviceNode], Callable[[typing.Any], None]] = {
    Altimeter: _check_altimeter,
    GPS: _check_gps,
    InertialUnit: _check_inertial_unit,
    ThreeAxisSensor: _check_three_axes,
    DistanceSensor: _check_distance_sensor,
    TouchSensor: _check_touch_sensor,
    LightSensor: _check_light_sensor,
    LED: _check_led,
    RadioNode: _check_radio,
    Emitter: _check_emitter,
    Receiver: _check_receiver,
    Camera: _check_camera,
    RangeFinder: _check_range_finder,
    Lidar: _check_lidar,
    Display: _check_pixels,
}
