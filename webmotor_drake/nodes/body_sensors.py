"""Webots' GPS, Altimeter, InertialUnit, Gyro, Accelerometer and Compass."""

import functools

from webmotor_drake.errors import below
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import amount, field, node, step_or_none
from webmotor_drake.nodes.rules import (
    LOOKUP_TABLE,
    SHARE,
    numbers,
    one_of,
    within,
)

__all__ = [
    "GPS",
    "WORLD_AXES",
    "Accelerometer",
    "Altimeter",
    "Compass",
    "Gyro",
    "InertialUnit",
]

# Coordinate systems of a world: which of x, y and z are east, north and up.
WORLD_AXES = ("ENU", "NUE", "EUN")
_axes = functools.partial(
    field, "ENU", rule=one_of(*WORLD_AXES, kind="axes"), ours=True
)


@node
class GPS(DeviceNode):
    """Webots' GPS: the position and speed of its origin in the world (WbGps.cpp)."""

    type: str = field(
        "satellite", "both measure the same", rule=one_of("satellite", "laser")
    )
    accuracy: float = amount("standard deviation of the position", "m")
    noise_correlation: float = field(
        0.0, "share of the noise that is left after a second", rule=SHARE
    )
    resolution: float = step_or_none(
        "step of the position, degrees in WGS84", "m"
    )
    speed_noise: float = amount(
        "standard deviation of the speed, as a part of it (0.1: 10 %, 1: as large"
        " as the speed)"
    )
    speed_resolution: float = step_or_none("step of the speed", "m/s")
    coordinate_system: str = field(
        "local",
        "in m, or latitude and longitude, degrees, and altitude, m;"
        " WorldInfo.gpsCoordinateSystem",
        rule=one_of("local", "WGS84", kind="coordinate_system"),
        ours=True,
    )
    reference: list[float] = field(
        [0.0] * 3,
        "added to the position, or in WGS84 where the world's origin is;"
        " WorldInfo.gpsReference",
        rule=numbers("x, y, z"),
        ours=True,
    )

    def check(self) -> None:
        """Refuses places that UTM does not have."""
        if self.coordinate_system == "WGS84":
            for i, limits in enumerate((within(-80, 84), within(-180, 180))):
                with below("reference", i):
                    limits.check(self.reference[i], "degrees")


@node
class Altimeter(DeviceNode):
    """Webots' Altimeter: the height of its origin in the world (WbAltimeter.cpp)."""

    accuracy: float = amount("standard deviation of the height", "m")
    resolution: float = step_or_none("step of the height", "m")
    axes: str = _axes("axis that is up: U; WorldInfo.coordinateSystem")


@node
class InertialUnit(DeviceNode):
    """Webots' InertialUnit: the orientation of its frame (WbInertialUnit.cpp)."""

    noise: float = amount(
        "standard deviation of a turn about each axis, in pi rad"
    )
    x_axis: bool = field(True, "false: the x part of the rotation's axis is 0")
    y_axis: bool = field(True, "the same, but for z: as in Webots")
    z_axis: bool = field(True, "the same, but for y: as in Webots")
    resolution: float = step_or_none(
        "step of each part of the quaternion, of 1"
    )
    axes: str = _axes(
        "axes of roll, pitch and yaw: x, y, z in ENU, x, z, y in NUE;"
        " WorldInfo.coordinateSystem"
    )


@node
class ThreeAxisSensor(DeviceNode):
    """The common fields of Gyro, Accelerometer and Compass."""

    lookup_table: list[list[float]] = field(
        list[list[float]](),
        "noise is a part of the output; empty: what is measured, as it is",
        rule=LOOKUP_TABLE,
    )
    x_axis: bool = field(True, "false: the x value is NaN")
    y_axis: bool = field(True, "the same for y")
    z_axis: bool = field(True, "the same for z")
    resolution: float = step_or_none(
        "step of each value, after the table, in the unit of the value, 1"
    )


@node
class Gyro(ThreeAxisSensor):
    """Webots' Gyro: the angular velocity, rad/s, in its frame (WbGyro.cpp)."""


@node
class Accelerometer(ThreeAxisSensor):
    """Webots' Accelerometer: the acceleration less gravity, m/s^2, in its frame."""


@node
class Compass(ThreeAxisSensor):
    """Webots' Compass: the direction of north in its frame (WbCompass.cpp)."""

    axes: str = _axes("axis that is north: N; WorldInfo.coordinateSystem")
