"""Inertias that no body has are brought to those of one."""

import numpy as np
import pytest
from pydrake.geometry import Box, Cylinder, Sphere
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody.tree import RotationalInertia, SpatialInertia

from webmotor_drake.worlds.models import KINEMATIC, WEIGHTLESS, Joint, Link
from webmotor_drake.worlds.shapes import (
    Mass,
    mass_of_mesh as mesh,
    mass_of_shape as of_shape,
    possible,
    total,
)

R = RotationMatrix.MakeYRotation(0.4).matrix()


@pytest.mark.parametrize("moments", [(1.0, 2.0, 2.5), (1.0, 1.0, 2.0)])
def test_an_inertia_that_a_body_can_have_stays(moments):
    given = R @ np.diag(moments) @ R.T
    assert possible(given) is given


@pytest.mark.parametrize(
    ("moments", "wanted"),
    [
        ((1.0, 1.0, 10.0), (5.0, 5.0, 10.0)),
        ((-1.0, 2.0, 4.0), (0.0, 4.0, 4.0)),
        ((-1.0, -1.0, 4.0), (2.0, 2.0, 4.0)),
    ],
)
def test_moments_that_are_too_small_for_the_largest_grow(moments, wanted):
    found = possible(R @ np.diag(moments) @ R.T)
    expected = R @ np.diag(wanted) @ R.T
    # More by a billionth, so that rounding leaves a body.
    np.testing.assert_allclose(found, expected, atol=1e-7)


def drakes(mass):
    """Returns Drake's inertia of a mass, about the frame's origin."""
    i = mass.inertia
    central = RotationalInertia(
        i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]
    )
    return SpatialInertia.MakeFromCentralInertia(mass.mass, mass.com, central)


def assert_same(mass, M):
    """Compares a mass with Drake's."""
    assert mass.mass == pytest.approx(M.get_mass())
    np.testing.assert_allclose(mass.com, M.get_com(), atol=1e-12)
    central = M.Shift(M.get_com()).CalcRotationalInertia()
    # Of some hundred kg m^2, rounded a dozen times.
    np.testing.assert_allclose(
        mass.inertia, central.CopyToFullMatrix3(), rtol=1e-10, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(10))
def test_masses_move_scale_and_add_up_as_drakes_do(seed):
    some = np.random.default_rng(seed)
    shapes = Box(*some.uniform(0.1, 1, 3)), Sphere(0.3), Cylinder(0.2, 0.7)
    parts, sum_of_drakes = [], None
    for shape in shapes:
        X = RigidTransform(
            RollPitchYaw(some.uniform(-3, 3, 3)), some.uniform(-1, 1, 3)
        )
        factor = some.uniform(0.5, 2)
        here = of_shape(shape)
        part = here.scaled(factor).moved(X)
        M = drakes(here)
        moved = M.ReExpress(X.rotation()).Shift(-X.translation())
        moved = SpatialInertia(
            moved.get_mass() * factor, moved.get_com(), moved.get_unit_inertia()
        )
        assert_same(part, moved)
        parts.append(part)
        if sum_of_drakes is None:
            sum_of_drakes = moved
        else:
            sum_of_drakes += moved
    assert_same(total(parts), sum_of_drakes)
    assert total(parts[:1]) is parts[0]


def test_nothing_has_no_mass():
    nothing = Mass(0.0, np.ones(3), np.eye(3))
    for parts in ([], [nothing], [nothing, nothing]):
        assert total(parts).mass == 0
    assert not total([nothing, nothing]).inertia.any()


def test_the_mesh_of_a_box_has_its_mass():
    corners = np.array(
        [[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float
    )
    quads = [
        *((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1)),
        *((2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)),
    ]
    faces = [f for a, b, c, d in quads for f in ((a, b, c), (a, c, d))]
    box = of_shape(Box(1, 2, 3)).moved(RigidTransform([0.5, 1, 1.5]))
    both = [mesh(corners[faces]), mesh(corners[faces][:, ::-1])]
    assert None in both  # one of them is inside out
    (found,) = [mass for mass in both if mass is not None]
    assert found.mass == pytest.approx(box.mass)
    np.testing.assert_allclose(found.com, box.com)
    np.testing.assert_allclose(found.inertia, box.inertia, atol=1e-6)
    assert mesh(corners[faces[:2]]) is None  # a side alone encloses nothing


@pytest.mark.parametrize(
    ("joint", "mass"),
    [(None, KINEMATIC), ("revolute", KINEMATIC), ("fixed", WEIGHTLESS)],
)
def test_a_link_without_mass_is_as_light_as_its_joint_lets_it_be(joint, mass):
    """Drake needs some mass of what moves, and none is to be felt in what is welded."""
    here = RigidTransform()
    base = Link("base", "dynamic", here, None)
    inboard = joint and Joint("joint", joint, base, here, None)
    assert Link("link", "dynamic", here, None, inboard).mass is mass
