"""Metrics are what closed forms say, to the error of the sampling."""

import math

import numpy as np
import pytest

from webmotor_drake.results.metrics import (
    METRICS,
    Segment,
    motor_metrics,
    segments,
    total_metrics,
    unit_of,
)
from webmotor_drake.results.results import Results
from webmotor_drake.results.run_record import LINEAR, ROTATIONAL

MOTOR = "arm/motor"
STEP = 1e-3
# Between rows 1 ms apart a curve of second derivative a is straight to
# a (1 ms)^2 / 8: below 1e-4 of a response with poles up to 10 1/s.
SAMPLING = 1e-4


def run_of(duration: float = 2.0, *, about=(), **signals) -> Results:
    """Returns a run of one motor; signals are functions of time, or values."""
    time = np.arange(round(duration / STEP) + 1) * STEP
    defaults = {
        "position": 0.0,
        "velocity": 0.0,
        "target_position": 1.0,
        "velocity_target": 0.0,
        "effort": 0.0,
        "effort_limit": 10.0,
        "saturated": 0.0,
        "energy": 0.0,
        "mode": 0.0,
    }
    table = {
        f"{MOTOR}/{name}": (value(time) if callable(value) else value)
        * np.ones(len(time))
        for name, value in {**defaults, **signals}.items()
    }
    metadata = {
        "motors": {
            MOTOR: {
                "unit": "rad",
                "max_velocity": 10.0,
                "acceleration": -1.0,
                **dict(about),
            }
        },
        "wall_time": 0.5,
    }
    return Results(time, table, metadata)


def metrics_of(*args, **kwargs) -> dict[str, float]:
    return motor_metrics(run_of(*args, **kwargs), MOTOR)


def test_a_first_order_response_rises_and_settles_as_its_pole_says():
    pole, target, duration = 4.0, 1.2, 2.0
    found = metrics_of(
        duration,
        position=lambda t: target * (1 - np.exp(-pole * t)),
        target_position=target,
    )
    assert found["rise_time"] == pytest.approx(math.log(9) / pole, rel=SAMPLING)
    assert found["settling_time"] == pytest.approx(
        math.log(50) / pole, rel=SAMPLING
    )
    assert found["overshoot"] == 0
    # The mean square of target exp(-pole t) over the run.
    mean = target**2 * (1 - math.exp(-2 * pole * duration))
    mean /= 2 * pole * duration
    # A sum over rows is off by half a row: pole times 1 ms, relatively.
    assert found["rms_position_error"] == pytest.approx(
        math.sqrt(mean), rel=pole * STEP
    )
    late = np.arange(1.8, 2.0 + STEP / 2, STEP)
    assert found["steady_state_error"] == pytest.approx(
        target * np.exp(-pole * late).mean(), rel=1e-9
    )


@pytest.mark.parametrize("damping", [0.2, 0.5, 0.8])
def test_a_second_order_response_overshoots_as_its_damping_says(damping):
    natural, root = 8.0, math.sqrt(1 - damping**2)

    def position(t):
        phase = natural * root * t
        swing = np.cos(phase) + damping / root * np.sin(phase)
        return 1 - np.exp(-damping * natural * t) * swing

    found = metrics_of(4.0, position=position)
    expected = 100 * math.exp(-math.pi * damping / root)
    assert found["overshoot"] == pytest.approx(expected, rel=SAMPLING)
    # It stays within the envelope, which is at 2 % for the last time at:
    envelope = -math.log(0.02 * root) / (damping * natural)
    half_swing = math.pi / (natural * root)
    assert envelope - half_swing < found["settling_time"] <= envelope


def test_a_ramp_is_held_exactly_and_its_work_is_force_times_way():
    speed, force, duration = 0.5, 3.0, 2.0
    found = metrics_of(
        duration,
        mode=1.0,
        target_position=math.inf,
        velocity_target=speed,
        position=lambda t: speed * t,
        velocity=speed,
        effort=force,
    )
    assert found["mechanical_energy"] == pytest.approx(
        force * speed * duration, rel=1e-12
    )
    assert found["peak_effort"] == found["rms_effort"] == force
    assert found["steady_state_velocity_error"] == 0
    assert found["rms_velocity_error"] == 0
    assert math.isnan(found["rms_position_error"])
    assert math.isnan(found["rise_time"])  # no step: it starts at its target


def test_a_velocity_is_judged_as_a_position_is():
    pole = 20.0
    found = metrics_of(
        mode=1.0,
        target_position=math.inf,
        velocity_target=2.0,
        velocity=lambda t: 2.0 * (1 - np.exp(-pole * t)),
    )
    # A faster pole: the error of straight lines between rows is 5^2 as large.
    assert found["rise_time"] == pytest.approx(math.log(9) / pole, rel=1e-3)
    assert found["settling_time"] == pytest.approx(
        math.log(50) / pole, rel=1e-3
    )
    assert math.isnan(found["steady_state_error"])


def test_a_lag_behind_a_ramp_is_its_steady_state_error():
    # A chain of targets 1 ms apart is a ramp; a first-order motor lags behind
    # by speed / pole, here measured against the last target.
    speed, pole = 0.5, 10.0
    run = run_of(
        target_position=lambda t: speed * t,
        position=lambda t: speed * (t - (1 - np.exp(-pole * t)) / pole),
    )
    end = Segment(1.9, 2.0, "position", speed * 1.95)
    found = motor_metrics(run, MOTOR, [end])["steady_state_error"]
    # Over the last 10 ms the ramp itself is 45 ms further on average.
    assert found == pytest.approx(speed / pole - speed * 0.045, rel=1e-6)


def test_braking_takes_no_energy_back():
    found = metrics_of(position=lambda t: np.where(t < 1, t, 2 - t), effort=2.0)
    assert found["mechanical_energy"] == pytest.approx(2.0, rel=1e-12)


def test_the_worst_segment_counts():
    def position(t):  # the second step is half as fast, and falls short
        second = np.where(t < 1, 0, 1 - np.exp(-5 * np.maximum(t - 1, 0)))
        return (1 - np.exp(-10 * t)) * np.where(t < 1, 1, 0) + np.where(
            t < 1, 0, 1 + second
        )

    run = run_of(
        position=position, target_position=lambda t: np.where(t <= 1, 1.0, 2.0)
    )
    assert segments(run, MOTOR) == [
        Segment(0.0, 1.0, "position", 1.0),
        Segment(1.0, 2.0, "position", 2.0),
    ]
    found = motor_metrics(run, MOTOR)
    assert found["rise_time"] == pytest.approx(math.log(9) / 5, rel=SAMPLING)


def test_a_jump_settles_between_the_rows_around_it():
    """From a distance of 1 to one of 0 in a step: 2 % are left after 0.98 of it."""
    found = metrics_of(position=lambda t: np.where(t < 1, 0.0, 1.0))
    assert found["settling_time"] == pytest.approx(1 - 0.02 * STEP)


def test_what_is_never_reached_is_infinite():
    found = metrics_of(position=lambda t: 0.5 * t / 2)
    assert found["rise_time"] == math.inf
    assert found["settling_time"] == math.inf


def test_a_motor_at_its_target_has_no_step_to_judge():
    found = metrics_of(position=1.0)
    assert math.isnan(found["rise_time"])
    assert found["steady_state_error"] == 0


@pytest.mark.parametrize(
    "without", [{"mode": 2.0}, {"effort_limit": 0.0}], ids=["effort", "power"]
)
def test_without_a_target_there_is_no_segment(without):
    run = run_of(**without)
    assert segments(run, MOTOR) == []
    assert math.isnan(motor_metrics(run, MOTOR)["rms_position_error"])


def test_limits_are_exceeded_by_what_is_above_them():
    found = metrics_of(
        about={"max_velocity": 1.5, "acceleration": 4.0},
        velocity=lambda t: np.minimum(5 * t, 2.0),
    )
    # Differences of velocities 1 ms apart carry their rounding.
    assert found["velocity_violation"] == pytest.approx(0.5, abs=1e-12)
    assert found["acceleration_violation"] == pytest.approx(1.0, abs=1e-9)
    assert math.isnan(metrics_of()["acceleration_violation"])


def test_energy_and_saturation_are_sums_over_steps():
    found = metrics_of(
        energy=lambda t: 30 * t, saturated=lambda t: (t > 1.5) * 1.0
    )
    assert found["electrical_energy"] == pytest.approx(60.0)
    assert found["time_saturated"] == pytest.approx(0.5)
    assert found["wall_time"] == 0.5
    assert found["microseconds_per_step"] == pytest.approx(250.0)


def test_totals_are_worst_sums_and_means_as_each_metric_says():
    row = dict.fromkeys(METRICS, 1.0)
    other = dict.fromkeys(METRICS, 7.0) | {"overshoot": math.nan}
    found = total_metrics(
        {"a/x": row, "a/y": other}, {"a/x": ROTATIONAL, "a/y": ROTATIONAL}
    )
    assert found["rise_time"] == 7
    assert found["mechanical_energy"] == 8
    assert found["rms_effort"] == 5  # sqrt((1 + 49) / 2)
    assert found["overshoot"] == 1


def test_metres_and_radians_have_no_total():
    row = dict.fromkeys(METRICS, 1.0)
    found = total_metrics(
        {"a/x": row, "a/y": row}, {"a/x": ROTATIONAL, "a/y": LINEAR}
    )
    assert math.isnan(found["peak_effort"])
    assert found["mechanical_energy"] == 2
    assert unit_of(METRICS["acceleration_violation"], LINEAR) == "m/s²"


def test_a_run_that_ends_at_once_has_no_metrics():
    found = metrics_of(0.0)
    assert found["electrical_energy"] == 0
    assert math.isnan(found["peak_effort"])
    assert math.isnan(found["microseconds_per_step"])


def test_a_run_cut_short_is_judged_by_what_there_is():
    targets = segments(run_of(), MOTOR)
    short = run_of(0.3, position=lambda t: np.where(t < 0.2, t, np.nan))
    found = motor_metrics(short, MOTOR, targets)
    assert found["settling_time"] == math.inf
    assert math.isnan(found["steady_state_error"])
