"""What a device's fields may hold, as far as no model is needed to tell."""

import math
import typing
from collections.abc import Callable

from webmotor_drake.errors import InputError, below
from webmotor_drake.nodes.body_sensors import (
    GPS,
    Altimeter,
    DeviceNode,
    InertialUnit,
    ThreeAxisSensor,
)
from webmotor_drake.nodes.distance import (
    DISTANCE_TYPES,
    TOUCH_TYPES,
    DistanceSensor,
    TouchSensor,
)
from webmotor_drake.nodes.field_checks import (
    MAX_INT,
    check_choice,
    check_color,
    check_count,
    check_length,
    check_lookup_table,
    check_range,
    check_resolution,
)
from webmotor_drake.nodes.image_checks import (
    check_camera,
    check_lidar,
    check_pixels,
    check_range_finder,
)
from webmotor_drake.nodes.images import (
    Camera,
    Display,
    Lidar,
    RangeFinder,
)
from webmotor_drake.nodes.lights import Light, LightSensor, PointLight
from webmotor_drake.nodes.node_rules import check_not_negative, check_numbers
from webmotor_drake.nodes.radio import (
    LED,
    MEDIA,
    Emitter,
    RadioNode,
    Receiver,
)

_MAX_RAYS = 10_000


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
    check_count("channel", node.channel, -1, MAX_INT)
    for field in ("baud_rate", "buffer_size"):
        if getattr(node, field) != -1:
            check_count(field, getattr(node, field), 1, MAX_INT)
    check_count("byte_size", node.byte_size, 8, MAX_INT)
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
    Camera: check_camera,
    RangeFinder: check_range_finder,
    Lidar: check_lidar,
    Display: check_pixels,
}
