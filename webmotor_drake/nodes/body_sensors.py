"""Webots' GPS, Altimeter, InertialUnit, Gyro, Accelerometer and Compass."""

from webmotor_drake.errors import below
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    LOOKUP_TABLE,
    POSITIVE_OR_NONE,
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
_AXES = one_of(*WORLD_AXES, kind="axes")


@node
class GPS(DeviceNode):
    """Webots' GPS: the position and speed of its origin in the world (WbGps.cpp)."""

    type: str = field(
        "satellite", "both measure the same", rule=one_of("satellite", "laser")
    )
    accuracy: float = field(
        0.0, "standard deviation of the position", unit="m", rule=AT_LEAST_0
    )
    noise_correlation: float = field(
        0.0, "share of the noise that is left after a second", rule=SHARE
    )
    resolution: float = field(
        -1.0,
        "step of the position, degrees in WGS84",
        unit="m",
        rule=POSITIVE_OR_NONE,
    )
    speed_noise: float = field(
        0.0,
        "standard deviation of the speed, as a part of it (0.1: 10 %, 1: as large"
        " as the speed)",
        rule=AT_LEAST_0,
    )
    speed_resolution: float = field(
        -1.0, "step of the speed", unit="m/s", rule=POSITIVE_OR_NONE
    )
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

    accuracy: float = field(
        0.0, "standard deviation of the height", unit="m", rule=AT_LEAST_0
    )
    resolution: float = field(
        -1.0, "step of the height", unit="m", rule=POSITIVE_OR_NONE
    )
    axes: str = field(
        "ENU",
        "axis that is up: U; WorldInfo.coordinateSystem",
        rule=_AXES,
        ours=True,
    )


@node
class InertialUnit(DeviceNode):
    """Webots' InertialUnit: the orientation of its frame (WbInertialUnit.cpp)."""

    noise: float = field(
        0.0,
        "standard deviation of a turn about each axis, in pi rad",
        rule=AT_LEAST_0,
    )
    x_axis: bool = field(True, "false: the x part of the rotation's axis is 0")
    y_axis: bool = field(True, "the same, but for z: as in Webots")
    z_axis: bool = field(True, "the same, but for y: as in Webots")
    resolution: float = field(
        -1.0, "step of each part of the quaternion, of 1", rule=POSITIVE_OR_NONE
    )
    axes: str = field(
        "ENU",
        "axes of roll, pitch and yaw: x, y, z in ENU, x, z, y in NUE;"
        " WorldInfo.coordinateSystem",
        rule=_AXES,
        ours=True,
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
    resolution: float = field(
        -1.0,
        "step of each value, after the table, in the unit of the value, 1",
        rule=POSITIVE_OR_NONE,
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

    axes: str = field(
        "ENU",
        "axis that is north: N; WorldInfo.coordinateSystem",
        rule=_AXES,
        ours=True,
    )
