"""Masses and inertias of Solids (WbPhysics.cpp, WbSolid.cpp, WbSolidMerger.cpp)."""

import dataclasses as dc

import numpy as np
from pydrake.geometry import Shape
from pydrake.math import RigidTransform
from pydrake.multibody.tree import CalcSpatialInertia

# The density of shapes if Physics gives none, kg/m^3.
DENSITY = 1000.0


@dc.dataclass(frozen=True)
class Mass:
    """Mass, centre of mass and inertia in a frame F.

    Attributes:
        mass: mass, kg.
        com: p_FFcm, the centre of mass, m.
        inertia: I_FFcm_F, about the centre of mass, shape (3, 3), kg m^2.
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def moved(self, X_GF: RigidTransform) -> "Mass":
        """Returns the same in a frame G."""
        R = X_GF.rotation().matrix()
        return Mass(self.mass, X_GF @ self.com, R @ self.inertia @ R.T)

    def scaled(self, factor: float) -> "Mass":
        """Returns the same with a mass and inertia that is `factor` times as large."""
        return Mass(factor * self.mass, self.com, factor * self.inertia)


def total(parts: list[Mass]) -> Mass:
    """Returns the total of several masses in one frame."""
    mass = sum(part.mass for part in parts)
    if not mass:
        return Mass(0.0, np.zeros(3), np.zeros((3, 3)))
    if len(parts) == 1:
        return parts[0]
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        r = part.com - com
        shift = part.mass * (r @ r * np.eye(3) - np.outer(r, r))
        inertia += part.inertia + shift
    return Mass(mass, com, inertia)


def of_shape(shape: Shape) -> Mass:
    """Returns the mass of a shape in its own frame, of density 1000."""
    M = CalcSpatialInertia(shape, DENSITY)
    inertia = M.CalcRotationalInertia().CopyToFullMatrix3()
    return Mass(M.get_mass(), np.zeros(3), inertia)


def mesh(triangles: np.ndarray) -> Mass | None:
    """Returns the mass of a closed mesh of density 1000.

    Args:
        triangles: corners, shape (n, 3, 3), anticlockwise seen from outside.

    Returns:
        None if its volume is not positive: then Webots takes 1 kg and an inertia of
        1 kg m^2.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    # Signed volumes of the tetrahedra from the origin, and their moments.
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = float(volumes.sum())
    if not volume > 0:
        return None
    corners = a + b + c
    com = (volumes @ corners) / (4 * volume)
    second = np.zeros((3, 3))
    for p in (a, b, c, corners):
        second += np.einsum("i,ij,ik->jk", volumes, p, p)
    second /= 20
    second -= volume * np.outer(com, com)
    inertia = DENSITY * (np.trace(second) * np.eye(3) - second)
    if not (np.linalg.eigvalsh(inertia) > 0).all():
        return None
    return Mass(DENSITY * volume, com, inertia)


# What a mesh weighs that encloses nothing, and a shape without a size.
NONE_GIVEN = Mass(1.0, np.zeros(3), np.eye(3))


def possible(inertia: np.ndarray) -> np.ndarray:
    """Returns an inertia that a body can have, the given one if it is.

    Webots asks for positive moments only. Of a body the two smaller principal ones
    are together at least as large as the third, so that none is negative: they are
    scaled up to that.
    """
    moments, axes = np.linalg.eigh(inertia)
    if moments[0] + moments[1] >= moments[2] * (1 - 1e-12):
        return inertia
    small = np.maximum(moments[:2], 1e-12 * moments[2])
    moments[:2] = small * (moments[2] / small.sum() * (1 + 1e-9))
    return axes @ np.diag(moments) @ axes.T
