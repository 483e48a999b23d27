"""The look of muscles, against the formulas by hand."""

import math

import pytest

from webmotor_drake.motor.muscle_shape import (
    motor_status,
    muscle_color,
    muscle_radius,
)

REST, SECOND, THIRD = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
COLORS = [REST, SECOND, THIRD]


@pytest.mark.parametrize("length", [0.05, 0.2, 1.0])
def test_the_volume_stays_as_it_gets_longer(length):
    radius = muscle_radius(0.01, length)
    assert 4 / 3 * math.pi * length * radius**2 == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("effort", "options", "status"),
    [
        (5, {}, 0.5),
        (-5, {}, -0.5),
        (5, {"is_linear": True}, -0.5),  # a slider's feedback counts negative
        (5, {"is_linear": True, "is_direct": True}, 0.5),
        (30, {}, 1.0),  # a stop's force may be above the motor's
        (-30, {}, -1.0),
    ],
)
def test_a_muscle_is_told_the_share_of_the_largest_effort(
    effort, options, status
):
    assert motor_status(effort, 10, **options) == status


def test_a_motor_without_effort_leaves_its_muscles_at_rest():
    assert motor_status(5, 0) == 0


def test_a_joint_that_simply_moves_tells_its_share_of_the_largest_speed():
    assert motor_status(-1, 4) == -0.25
    assert motor_status(9, 4) == 1


@pytest.mark.parametrize(
    ("status", "stretch", "color"),
    [
        (0.0, 0.1, REST),
        (-1.0, 0.0, SECOND),
        (1.0, 0.0, THIRD),
        (1.0, -0.1, THIRD),
        (1.0, 0.1, SECOND),  # longer with a positive status: swapped
        (-1.0, -0.1, THIRD),  # shorter with a negative one: swapped
        (-0.25, 0.0, (0.25, 0.0, 0.0)),  # a quarter of the way from rest
    ],
)
def test_the_colour_follows_status_and_stretch(status, stretch, color):
    assert muscle_color(COLORS, status, stretch) == pytest.approx(color)


def test_the_last_colour_stands_for_those_that_are_missing():
    assert muscle_color(COLORS[:2], 1.0, 0.0) == SECOND
    assert muscle_color(COLORS[:1], 1.0, 0.0) == REST
    assert muscle_color([], 0.5, 0.0) == (1.0, 0.0, 0.0)
