"""Where one Connector holds another, against turns made by hand."""

import math

import numpy as np
import pytest
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from webmotor_drake.nodes import Connector
from webmotor_drake.simulation.connector_alignment import held_pose, is_in_place

# B faces A: its x axis is opposite, its z axis the same.
FACING = RotationMatrix.MakeZRotation(math.pi)


def pose(turn=0.0, tilt=0.0, away=(0.0, 0.0, 0.0)):
    """Returns a pose of B in A: turned about A's x axis, then tilted about its y."""
    R = RotationMatrix.MakeYRotation(tilt) @ RotationMatrix.MakeXRotation(turn)
    return RigidTransform(R @ FACING, away)


@pytest.mark.parametrize(
    ("X_AB", "fits"),
    [
        (pose(), True),
        (pose(away=(0.006, 0.007, 0)), True),
        (pose(away=(0.008, 0.008, 0)), False),
        (pose(tilt=0.19), True),
        (pose(tilt=-0.21), False),
        (pose(turn=0.19), True),
        (pose(turn=0.21), False),
        (pose(turn=math.pi / 2 - 0.19), True),
        (pose(turn=-math.pi / 2 + 0.1), True),
        (pose(turn=math.pi), True),
        (pose(turn=math.pi / 4), False),
        (RigidTransform(), False),  # it looks the same way
    ],
)
def test_one_is_in_place_within_the_tolerances(X_AB, fits):
    assert is_in_place(Connector(), X_AB) == fits


def test_any_turn_is_allowed_if_their_number_is_0():
    node = Connector(number_of_rotations=0)
    assert is_in_place(node, pose(turn=math.pi / 4))
    held = held_pose(node, pose(turn=math.pi / 4, away=(0.005, 0, 0)))
    assert held.IsNearlyEqualTo(pose(turn=math.pi / 4), 1e-12)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 6])
def test_what_snaps_is_held_in_the_nearest_allowed_turn(number):
    node = Connector(number_of_rotations=number)
    random = np.random.default_rng(number)
    for _ in range(50):
        step = random.integers(number) * 2 * math.pi / number
        fit = pose(turn=step)
        off = RigidTransform(
            RollPitchYaw(random.uniform(-0.08, 0.08, 3)),
            random.uniform(-0.005, 0.005, 3),
        )
        X_AB = off @ fit
        assert is_in_place(node, X_AB)
        held = held_pose(node, X_AB)
        assert held.IsNearlyEqualTo(fit, 1e-9)  # of rotations multiplied


def test_what_does_not_snap_is_held_as_it_is():
    X_AB = pose(turn=0.1, tilt=0.1, away=(0.001, 0.002, 0.003))
    assert held_pose(Connector(snap=False), X_AB) is X_AB


def test_types_and_models_have_to_fit():
    kinds = {t: Connector(type=t) for t in Connector.types}
    fitting = {(a, b) for a in kinds for b in kinds if kinds[a].fits(kinds[b])}
    assert fitting == {
        ("symmetric", "symmetric"),
        ("active", "passive"),
        ("passive", "active"),
    }
    assert not Connector(model="a").fits(Connector(model="b"))
