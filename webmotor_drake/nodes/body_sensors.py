"""Webots' devices that are mounted on a body: their fields and units.

Fields have Webots' names in snake_case and Webots' defaults (its GPS.wrl and so on).
A device's frame is x forward, y left, z up.
"""

import dataclasses as dc

from webmotor_drake.nodes.field_docs import with_inherited_fields


@dc.dataclass
class Pose:
    """Where a device sits, in Webots' words.

    Attributes:
        translation: of the device's origin, m.
        rotation: of the device: axis x, y, z and angle, rad.
    """

    translation: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    rotation: list[float] = dc.field(
        default_factory=lambda: [0.0, 0.0, 1.0, 0.0]
    )


@dc.dataclass
class DeviceNode:
    """What all devices on a body share.

    Attributes:
        frame: the body or frame of the model that it is mounted on; "": the
            model's first body.
        pose: where it sits, seen from `frame`.
    """

    frame: str = ""
    pose: Pose = dc.field(default_factory=Pose)


@with_inherited_fields
@dc.dataclass
class GPS(DeviceNode):
    """Webots' GPS: the position and speed of its origin in the world.

    Attributes:
        type: "satellite" or "laser"; both measure the same.
        accuracy: standard deviation of the position, m.
        noise_correlation: what is left of the noise after a second, 0 to 1.
        resolution: step of the position, m (degrees in WGS84); -1: none.
        speed_noise: standard deviation of the speed, as a part of it (0.1: 10 %,
            1: as large as the speed).
        speed_resolution: step of the speed, m/s; -1: none.
        coordinate_system: "local" (m) or "WGS84" (latitude and longitude,
            degrees; altitude, m); WorldInfo.gpsCoordinateSystem.
        reference: what is added to the position, or in WGS84 where the world's
            origin is; WorldInfo.gpsReference.
    """

    type: str = "satellite"
    accuracy: float = 0.0
    noise_correlation: float = 0.0
    resolution: float = -1.0
    speed_noise: float = 0.0
    speed_resolution: float = -1.0
    coordinate_system: str = "local"
    reference: list[float] = dc.field(default_factory=lambda: [0.0] * 3)


@with_inherited_fields
@dc.dataclass
class Altimeter(DeviceNode):
    """Webots' Altimeter: the height of its origin in the world.

    Attributes:
        accuracy: standard deviation of the height, m.
        resolution: step of the height, m; -1: none.
    """

    accuracy: float = 0.0
    resolution: float = -1.0


@with_inherited_fields
@dc.dataclass
class InertialUnit(DeviceNode):
    """Webots' InertialUnit: the orientation of its frame in the world.

    Attributes:
        noise: standard deviation of a turn about each axis, in pi rad.
        x_axis: false: the x part of the rotation's axis is 0.
        y_axis: the same, but for z: as in Webots.
        z_axis: the same, but for y: as in Webots.
        resolution: step of each part of the quaternion; -1: none.
    """

    noise: float = 0.0
    x_axis: bool = True
    y_axis: bool = True
    z_axis: bool = True
    resolution: float = -1.0


@with_inherited_fields
@dc.dataclass
class ThreeAxisSensor(DeviceNode):
    """What Gyro, Accelerometer and Compass share.

    Attributes:
        lookup_table: rows of input, output and noise (a part of the output); the
            inputs increase. Empty: what is measured, as it is.
        x_axis: false: the x value is NaN.
        y_axis: the same for y.
        z_axis: the same for z.
        resolution: step of each value, after the table; -1: none.
    """

    lookup_table: list[list[float]] = dc.field(
        default_factory=list[list[float]]
    )
    x_axis: bool = True
    y_axis: bool = True
    z_axis: bool = True
    resolution: float = -1.0


@with_inherited_fields
@dc.dataclass
class Gyro(ThreeAxisSensor):
    """Webots' Gyro: the angular velocity, rad/s, in its frame."""


@with_inherited_fields
@dc.dataclass
class Accelerometer(ThreeAxisSensor):
    """Webots' Accelerometer: the acceleration less gravity, m/s^2, in its frame."""


@with_inherited_fields
@dc.dataclass
class Compass(ThreeAxisSensor):
    """Webots' Compass: the direction of the world's y, north, in its frame."""
