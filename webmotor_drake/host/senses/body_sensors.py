"""Samplers of GPS, Altimeter, InertialUnit, Gyro, Accelerometer and Compass.

They look at a body's pose and velocity in the plant's Context; the rules are those
of WbGps.cpp, WbInertialUnit.cpp, WbGyro.cpp, WbAccelerometer.cpp and WbCompass.cpp.
The world is ENU, as Webots' own, unless a device says otherwise: x east, y north,
z up.
"""

import math
import typing

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RollPitchYaw, RotationMatrix

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import BodySampler, device_for
from webmotor_drake.host.senses.sampling import LookupTable, rounded
from webmotor_drake.host.senses.utm import UTM

_NAN = [math.nan] * 3

ThreeAxis = typing.TypeVar(
    "ThreeAxis", nodes.Gyro, nodes.Accelerometer, nodes.Compass
)


@device_for(nodes.GPS)
class GPSSampler(BodySampler[nodes.GPS]):
    """Position (m, or degrees and m), speed (m/s) and velocity (m/s).

    Correlated noise decays by noise_correlation^t in t seconds; new noise keeps its
    deviation constant. Webots has one noise for all GPS; here each has its own.
    """

    blank = _NAN, math.nan, _NAN

    def __init__(self, node: nodes.GPS, *rest: typing.Any):
        super().__init__(node, *rest)
        self._noise = np.zeros(3)
        self._utm = (
            UTM(*node.reference[:2])
            if node.coordinate_system == "WGS84"
            else None
        )

    def restart(self) -> None:
        """Restarts the noise."""
        super().restart()
        self._noise = np.zeros(3)

    def sensed(self) -> tuple[list[float], float, list[float]]:
        """Returns position, speed and velocity."""
        node, velocity = self.node, self.motion("v_WD")
        position = self.motion("p_WD") + self._reference()
        if node.accuracy:
            position += node.accuracy * self._next_noise()
        measured = [rounded(x, node.resolution) for x in position.tolist()]
        if self._utm is not None:
            east, north, altitude = measured
            measured = [*self._utm.latitude_longitude(east, north), altitude]
        speed = float(np.linalg.norm(velocity))
        if node.speed_noise:
            speed *= 1 + node.speed_noise * self.random.standard_normal()
        speed = rounded(speed, node.speed_resolution)
        return measured, speed, velocity.tolist()

    def _reference(self) -> np.ndarray:
        """Returns the offset of the position in the world, m."""
        reference = np.array(self.node.reference)
        if self._utm is not None:
            reference[:2] = self._utm.east_north(*reference[:2])
        return reference

    def _next_noise(self) -> np.ndarray:
        left = 0.0
        if self.node.noise_correlation:
            left = self.node.noise_correlation ** self.elapsed()
        fresh = math.sqrt(1 - left**2) * self.random.standard_normal(3)
        self._noise = left * self._noise + fresh
        return self._noise


@device_for(nodes.Altimeter)
class AltimeterSampler(BodySampler[nodes.Altimeter]):
    """The height, m."""

    blank = math.nan

    def sensed(self) -> float:
        """Returns the height."""
        height = float(self.motion("p_WD")[self.node.axes.index("U")])
        if self.node.accuracy:
            height += self.node.accuracy * self.random.standard_normal()
        return rounded(height, self.node.resolution)


@device_for(nodes.InertialUnit)
class InertialUnitSampler(BodySampler[nodes.InertialUnit]):
    """The orientation, as a quaternion x, y, z, w."""

    blank = [math.nan] * 4

    def sensed(self) -> list[float]:
        """Returns the quaternion."""
        node = self.node
        R_WD = RotationMatrix(self.motion("R_WD"))
        if node.noise:
            angles = node.noise * math.pi * self.random.standard_normal(3)
            R_WD = R_WD @ RotationMatrix(RollPitchYaw(angles))
        # Webots exchanges the flags of y and z.
        axes = np.array([node.x_axis, node.z_axis, node.y_axis], dtype=bool)
        if not axes.all():
            R_WD = _about(R_WD, axes)
        w, x, y, z = R_WD.ToQuaternion().wxyz()
        return [float(rounded(part, node.resolution)) for part in (x, y, z, w)]


def _about(R: RotationMatrix, axes: np.ndarray) -> RotationMatrix:
    """Returns a rotation by the same angle about the chosen parts of its axis."""
    turn = R.ToAngleAxis()
    axis = turn.axis() * axes
    length = np.linalg.norm(axis)
    if not length:
        return RotationMatrix()
    return RotationMatrix(AngleAxis(angle=turn.angle(), axis=axis / length))


class ThreeAxisSampler(BodySampler[ThreeAxis]):
    """A vector in the device's axes, each part through the lookup table."""

    def __init__(self, node: ThreeAxis, *rest: typing.Any):
        super().__init__(node, *rest)
        self._table = LookupTable(node.lookup_table, self.random)

    def sensed(self) -> list[float]:
        """Returns x, y, z; NaN for an axis that is off."""
        node = self.node
        values = (self.vector_W() @ self.motion("R_WD")).tolist()
        axes = node.x_axis, node.y_axis, node.z_axis
        if all(axes) and node.resolution <= 0 and not node.lookup_table:
            return values
        return [
            rounded(self._table(value), node.resolution) if on else math.nan
            for value, on in zip(values, axes, strict=True)
        ]

    def vector_W(self) -> np.ndarray:
        """Returns the vector in the world's axes."""
        raise NotImplementedError


@device_for(nodes.Gyro)
class GyroSampler(ThreeAxisSampler[nodes.Gyro]):
    """The body's angular velocity, rad/s."""

    def vector_W(self) -> np.ndarray:
        """Returns the measured vector in the world's axes."""
        return self.motion("w_WD")


@device_for(nodes.Accelerometer)
class AccelerometerSampler(ThreeAxisSampler[nodes.Accelerometer]):
    """The origin's acceleration less gravity, m/s^2.

    It is the mean since the last measurement. The first measurement starts from
    a velocity of 0, as in Webots: a robot that moves gives a spike.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self._before = np.zeros(3)
        self._gravity = self.place.plant.gravity_field()

    def restart(self) -> None:
        """Forgets the last velocity."""
        super().restart()
        self._before = np.zeros(3)

    def vector_W(self) -> np.ndarray:
        """Returns the measured vector in the world's axes."""
        velocity = self.motion("v_WD")
        change = (velocity - self._before) / self.elapsed()
        self._before = velocity
        return change - self._gravity.gravity_vector()


@device_for(nodes.Compass)
class CompassSampler(ThreeAxisSampler[nodes.Compass]):
    """The direction of north."""

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self._north = np.zeros(3)
        self._north[self.node.axes.index("N")] = 1.0

    def vector_W(self) -> np.ndarray:
        """Returns the measured vector in the world's axes."""
        return self._north
