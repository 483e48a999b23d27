"""Webots' ContactProperties and Damping (ContactProperties.wrl, Damping.wrl)."""

import math

from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    POSITIVE,
    SHARE,
    each,
    numbers,
    or_special,
    whole,
)

__all__ = ["ContactProperties", "Damping"]

_FRICTION = or_special(AT_LEAST_0, -1, "infinite")


@node
class ContactProperties:
    """Webots' ContactProperties: how two materials touch (WbContactProperties.cpp)."""

    material1: str = field("default", "the one material")
    material2: str = field("default", "the other one, or the same")
    coulomb_friction: list[float] = field(
        [1.0],
        "Coulomb's coefficient; two to four: by direction; -1: infinite",
        rule=each(_FRICTION, 1, 4),
    )
    friction_rotation: list[float] = field(
        [0.0, 0.0],
        "turn of the directions on the surface of each material, rad",
        rule=numbers("first, second"),
    )
    rolling_friction: list[float] = field(
        [0.0] * 3,
        "resistance against rolling, and turning about the normal; of points",
        rule=numbers("rho, rho2, rhoN", _FRICTION),
    )
    bounce: float | None = field(
        None, "restitution; unset: the scenario's default_bounce", rule=SHARE
    )
    bounce_velocity: float = field(
        0.01, "speed from which on it bounces", "m/s", AT_LEAST_0
    )
    force_dependent_slip: list[float] = field(
        list[float](),
        "slip per force at each point; two to four: by direction",
        "m/(N s)",
        each(AT_LEAST_0, 0, 4),
    )
    soft_erp: float = field(
        0.2, "share of the depth that a step takes back", rule=SHARE
    )
    soft_cfm: float = field(0.001, "softness, m/(N s)", rule=POSITIVE)
    max_contact_joints: int = field(
        10, "points per pair of shapes in ODE; not used", rule=whole(1)
    )

    @property
    def materials(self) -> tuple[str, str]:
        """The two materials, in the order of the alphabet."""
        first, second = sorted((self.material1, self.material2))
        return first, second

    def frictions(self, turn: float | None = None) -> tuple[float, float]:
        """Returns Webots' friction along the first surface's directions.

        With two to four values the coefficients of both sides add
        (WbSimulationCluster::fillSurfaceParameters); infinite is inf.

        Args:
            turn: angle between the first directions of both surfaces, rad; None: the
                surfaces lie alike.
        """
        if turn is None:
            turn = self.friction_rotation[0] - self.friction_rotation[1]
        return _of_both(
            [math.inf if v == -1 else v for v in self.coulomb_friction], turn
        )

    def slips(self, turn: float) -> tuple[float, float]:
        """Returns the slip per force along the directions of `frictions`, m/(N s).

        Args:
            turn: angle between the first directions of both surfaces, rad.
        """
        match self.force_dependent_slip:
            case [only, 0.0] | [0.0, only] as both:
                return (only, 0.0) if both[0] else (0.0, only)
            case []:
                return 0.0, 0.0
            case values:
                return _of_both(values, turn)

    @property
    def slides_otherwise(self) -> bool:
        """True if friction has more than one Coulomb coefficient, or slip."""
        return self.by_direction or any(self.force_dependent_slip)

    @property
    def by_direction(self) -> bool:
        """True if friction or slip depends on the direction."""
        return (
            len(self.coulomb_friction) > 1 or len(self.force_dependent_slip) > 1
        )


def _of_both(values: list[float], turn: float) -> tuple[float, float]:
    """Returns the values along two directions, from a pair's one to four values."""
    c, s = abs(math.cos(turn)), abs(math.sin(turn))
    match values:
        case [m]:
            return m, m
        case [m0, m1]:
            return m0 + _of(m0, c) + _of(m1, s), m1 + _of(m0, s) + _of(m1, c)
        case [m0, m1, m2]:
            return m0 + m2, m1 + m2
        case _:
            m0, m1, m2, m3 = values
            return m0 + _of(m2, c) + _of(m3, s), m1 + _of(m2, s) + _of(m3, c)


def _of(friction: float, share: float) -> float:
    """Returns a share of a coefficient; a share of 0 is 0 even of an infinite one."""
    return friction * share if share > 1e-9 else 0.0


@node
class Damping:
    """Webots' Damping: the share of its velocity that a body loses per second."""

    linear: float = field(0.2, "of its linear velocity", "1/s", SHARE)
    angular: float = field(0.2, "of its angular velocity", "1/s", SHARE)
