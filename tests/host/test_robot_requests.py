"""Commands that are ignored with a warning, as in motor.c and brake.c."""

import math

import pytest

from webmotor_drake.host.robot_requests import no_window, refusal
from webmotor_drake.loops.rows import Kind

INF, NAN = math.inf, math.nan
INFINITE = "an infinite damping is ignored"


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        (Kind.CONTROL_PID, (10.0, 0.0, 0.0), ""),
        (Kind.CONTROL_PID, (0.0, 1.0, 1.0), "p > 0"),
        (Kind.CONTROL_PID, (10.0, -1.0, 0.0), "i >= 0"),
        (Kind.CONTROL_PID, (10.0, 0.0, INF), "d >= 0"),
        (Kind.POSITION, -2.0, ""),
        (Kind.POSITION, NAN, "NaN is ignored"),
        (Kind.ACCELERATION, 0.0, ""),
        (Kind.ACCELERATION, -1.0, ""),
        (Kind.ACCELERATION, -2.0, "-1 removes the limit"),
        (Kind.AVAILABLE_EFFORT, 0.0, ""),
        (Kind.AVAILABLE_EFFORT, -1.0, "a negative effort is ignored"),
        (Kind.BRAKE_DAMPING, 3.0, ""),
        (Kind.BRAKE_DAMPING, -3.0, ""),
        (Kind.BRAKE_DAMPING, INF, INFINITE),
        (Kind.BRAKE_DAMPING, -INF, INFINITE),
        (Kind.POSITION, INF, ""),
        (Kind.POSITION, -INF, ""),
        (Kind.VELOCITY, -INF, ""),
    ],
)
def test_what_webots_ignores_is_refused(kind, value, told):
    found = refusal(kind, value)
    assert told in found if told else not found


def test_a_negative_velocity_is_a_way_only_without_a_target():
    assert not refusal(Kind.VELOCITY, -1.0, math.inf)
    assert not refusal(Kind.VELOCITY, 1.0, 0.5)
    told = refusal(Kind.VELOCITY, -1.0, 0.5)
    assert told.startswith("a negative velocity is ignored while the target")
    assert "position is 0.5; call setPosition(float('inf'))" in told


def test_a_long_text_to_a_window_is_told_by_its_beginning():
    assert no_window("a" * 59).endswith(f"first {'a' * 59!r}")
    assert no_window("a" * 60).endswith(f"first {'a' * 56 + ' ...'!r}")
