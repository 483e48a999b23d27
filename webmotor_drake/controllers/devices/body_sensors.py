"""Webots' GPS, Altimeter, InertialUnit, Gyro, Accelerometer and Compass."""

import math

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import (
    Sensor,
    TableDevice,
    ValueSensor,
    newest,
    of_node,
)


class GPS(Sensor):
    """Measures the position and the velocity of its origin in the world."""

    _declared = nodes.GPS

    LOCAL = 0
    WGS84 = 1

    def getValues(self) -> list[float]:
        """Returns the newest position: x, y, z, m.

        In WGS84: latitude and longitude, degrees, and altitude, m. NaN before the
        first measurement; the last position, with an error, if it is off.
        """
        return list(newest(self, "getValues()")[0])

    def getSpeed(self) -> float:
        """Returns the newest speed, m/s."""
        return newest(self, "getSpeed()")[1]

    def getSpeedVector(self) -> list[float]:
        """Returns the newest velocity, m/s, in the world's axes, without noise."""
        return list(newest(self, "getSpeedVector()")[2])

    def getCoordinateSystem(self) -> int:
        """Returns LOCAL or WGS84."""
        system = self._field("coordinate_system", "local")
        return self.WGS84 if system == "WGS84" else self.LOCAL

    @staticmethod
    def convertToDegreesMinutesSeconds(decimalDegrees: float) -> str:
        """Returns `decimalDegrees` as a text of degrees, minutes and seconds."""
        degrees = int(decimalDegrees)
        minutes = int((decimalDegrees - degrees) * 60)
        seconds = int(((decimalDegrees - degrees) * 60 - minutes) * 60)
        return f"{degrees}° {minutes}\u2032 {seconds}\u2033"

    value = property(getValues)
    speed = property(getSpeed)
    speed_vector = property(getSpeedVector)
    coordinate_system = property(getCoordinateSystem)


class Altimeter(ValueSensor):
    """Measures the height of its origin in the world, m."""

    _declared = nodes.Altimeter


class InertialUnit(Sensor):
    """Measures the orientation of its frame in the world."""

    _declared = nodes.InertialUnit

    def getRollPitchYaw(self) -> list[float]:
        """Returns the newest angles, rad: the rotation is Rz(yaw) Ry(pitch) Rx(roll).

        With y up it is Ry(yaw) Rz(pitch) Rx(roll). NaN before the first measurement;
        the last angles, with an error, if the sensor is off.
        """
        x, y, z, w = newest(self, "getRollPitchYaw()")
        turned = self._field("axes", "ENU") != "ENU"
        if turned:  # with y up: as if the axes were x, -z and y
            y, z = -z, y
        sine = 2 * (w * y - z * x)
        if not math.isnan(sine):
            sine = max(min(sine, 1.0), -1.0)
        pitch = math.asin(sine)
        return [
            math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
            -pitch if turned else pitch,
            math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
        ]

    def getQuaternion(self) -> list[float]:
        """Returns the newest orientation: x, y, z, w."""
        return list(newest(self, "getQuaternion()"))

    getNoise = of_node(nodes.InertialUnit, "noise", math.nan)
    roll_pitch_yaw = property(getRollPitchYaw)
    quaternion = property(getQuaternion)
    noise = property(getNoise)


class _ThreeAxisSensor(TableDevice, Sensor):
    """The common methods of Gyro, Accelerometer and Compass."""

    def getValues(self) -> list[float]:
        """Returns the newest x, y, z; NaN for an axis that is off.

        NaN before the first measurement; the last values, with an error, if it is off.
        """
        return list(newest(self, "getValues()"))

    value = property(getValues)


class Gyro(_ThreeAxisSensor):
    """Measures the angular velocity, rad/s, in its own axes."""

    _declared = nodes.Gyro


class Accelerometer(_ThreeAxisSensor):
    """Measures the acceleration less gravity, m/s^2, in its own axes."""

    _declared = nodes.Accelerometer


class Compass(_ThreeAxisSensor):
    """Measures the direction of north, the world's y, in its own axes."""

    _declared = nodes.Compass
