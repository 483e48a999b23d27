"""Friction by direction: WbSimulationCluster::fillSurfaceParameters in numbers."""

import math

import pytest

from webmotor_drake.nodes.contact import ContactProperties


def properties(*friction, slip=()):
    return ContactProperties(
        coulomb_friction=list(friction), force_dependent_slip=list(slip)
    )


@pytest.mark.parametrize(
    ("friction", "turn", "along"),
    [
        # Of the first surface its own; of the second what its directions share.
        ([0.3], 0.7, (0.3, 0.3)),
        ([0.3, 0.2], 0.0, (0.3 + 0.3, 0.2 + 0.2)),
        ([0.3, 0.2], math.pi / 2, (0.3 + 0.2, 0.2 + 0.3)),
        ([0.3, 0.2, 0.1], 0.4, (0.3 + 0.1, 0.2 + 0.1)),
        ([0.3, 0.2, 0.1, 0.05], 0.0, (0.3 + 0.1, 0.2 + 0.05)),
        ([0.3, 0.2, 0.1, 0.05], math.pi / 2, (0.3 + 0.05, 0.2 + 0.1)),
        # A direction that has no share of an infinite coefficient has none of it.
        ([0.3, 0.2, math.inf, 0.05], 0.0, (math.inf, 0.2 + 0.05)),
    ],
)
def test_the_coefficients_of_both_sides_add(friction, turn, along):
    assert properties(*friction).frictions(turn) == pytest.approx(along)


def test_a_small_turn_takes_a_small_share():
    first, second = properties(0.3, 0.2, 1.0, 0.5).frictions(1e-3)
    # cos and sin of 1e-3, to their rounding.
    assert first == pytest.approx(0.3 + math.cos(1e-3) + 0.5 * math.sin(1e-3))
    assert second == pytest.approx(0.2 + math.sin(1e-3) + 0.5 * math.cos(1e-3))


@pytest.mark.parametrize(
    ("friction", "slip", "otherwise", "by_direction"),
    [
        ([0.3], [], False, False),
        ([0.3, 0.5], [], True, True),
        ([0.3], [0.1], True, False),
        ([0.3], [0.1, 0.2], True, True),
    ],
)
def test_directions_and_slip_are_more_than_one_coefficient(
    friction, slip, otherwise, by_direction
):
    found = properties(*friction, slip=slip)
    assert found.slides_otherwise == otherwise
    assert found.by_direction == by_direction
