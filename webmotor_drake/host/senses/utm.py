"""Latitude and longitude from metres: Universal Transverse Mercator on WGS84.

Krueger's series to the third order, good to a millimetre within a zone.
"""

import cmath
import math
import operator
from collections.abc import Sequence

_A, _F, _K0, _EAST = 6378137.0, 1 / 298.257223563, 0.9996, 500000.0
_N = _F / (2 - _F)
_SCALE = _K0 * _A / (1 + _N) * (1 + _N**2 / 4 + _N**4 / 64)
_ALPHA = (
    _N / 2 - 2 * _N**2 / 3 + 5 * _N**3 / 16,
    13 * _N**2 / 48 - 3 * _N**3 / 5,
    61 * _N**3 / 240,
)
_BETA = (
    _N / 2 - 2 * _N**2 / 3 + 37 * _N**3 / 96,
    _N**2 / 48 + _N**3 / 15,
    17 * _N**3 / 480,
)
_DELTA = (
    2 * _N - 2 * _N**2 / 3 - 2 * _N**3,
    7 * _N**2 / 3 - 8 * _N**3 / 5,
    56 * _N**3 / 15,
)
_ECCENTRICITY = 2 * math.sqrt(_N) / (1 + _N)


class UTM:
    """The zone of a place, with its half of the globe.

    Args:
        latitude: latitude of the place, degrees.
        longitude: longitude of the place, degrees.
    """

    def __init__(self, latitude: float, longitude: float):
        zone = math.floor((longitude + 180) / 6)
        self._meridian = math.radians(6 * zone - 177)
        self._north = 0.0 if latitude >= 0 else 1e7

    def east_north(
        self, latitude: float, longitude: float
    ) -> tuple[float, float]:
        """Returns easting and northing, m, of a place in degrees."""
        sine = math.sin(math.radians(latitude))
        turn = math.radians(longitude) - self._meridian
        t = math.sinh(
            math.atanh(sine) - _ECCENTRICITY * math.atanh(_ECCENTRICITY * sine)
        )
        xi = math.atan2(t, math.cos(turn))
        eta = math.atanh(math.sin(turn) / math.hypot(1, t))
        place = _SCALE * _moved(complex(xi, eta), _ALPHA)
        return _EAST + place.imag, self._north + place.real

    def latitude_longitude(
        self, east: float, north: float
    ) -> tuple[float, float]:
        """Returns latitude and longitude, degrees."""
        place = complex(north - self._north, east - _EAST) / _SCALE
        place = _moved(place, [-term for term in _BETA])
        xi, eta = place.real, place.imag
        chi = math.asin(math.sin(xi) / math.cosh(eta))
        latitude = _moved(complex(chi), _DELTA).real
        longitude = self._meridian + math.atan2(math.sinh(eta), math.cos(xi))
        return math.degrees(latitude), math.degrees(longitude)


def _moved(place: complex, terms: Sequence[float]) -> complex:
    """Returns xi + i eta with the terms of a series added."""
    sines = [cmath.sin(2 * j * place) for j in range(1, len(terms) + 1)]
    return place + sum(map(operator.mul, terms, sines))
