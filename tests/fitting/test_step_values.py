"""Samples of a log become a value for each step of the motors."""

import numpy as np
import pytest

from webmotor_drake.fitting.replay import step_values
from webmotor_drake.fitting.robot_log import RobotLog


def steps_of(values: list[float], between: str) -> np.ndarray:
    """Returns the values of steps of 0.3 s, of samples 1 s apart."""
    values = np.array(values)
    time = np.arange(float(len(values)))
    log = RobotLog(time, {("hinge", "target"): values})
    edges = 0.3 * np.arange(round((len(values) + 1) / 0.3))
    return step_values(log, values, edges, between)


def test_a_step_in_which_a_sample_comes_has_the_mean():
    found = steps_of([0.0, 1.0], "hold")
    # From 0.9 to 1.2 s a third is of the first sample; the last one stays.
    expected = [0.0, 0.0, 0.0, 2 / 3, 1.0, 1.0]
    np.testing.assert_allclose(found[:6], expected, rtol=0, atol=1e-12)


def test_between_samples_a_line_has_the_value_of_a_steps_middle():
    found = steps_of([0.0, 1.0], "interpolate")
    assert found[:3] == pytest.approx([0.15, 0.45, 0.75])


def test_a_sample_that_is_missing_leaves_the_one_before():
    found = steps_of([2.0, np.nan, 4.0], "hold")
    assert found[:6] == pytest.approx([2.0] * 6)
