"""Angles, against Drake's own."""

import numpy as np
import pytest
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RollPitchYaw

from webmotor_drake.results.run_record import roll_pitch_yaw


def test_angles_are_those_of_drake():
    quaternions = np.random.default_rng(1).normal(size=(300, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    for q in quaternions:
        drakes = RollPitchYaw(Quaternion(q)).vector()
        # Near a pitch of a quarter turn angles are known to half the digits.
        assert roll_pitch_yaw(q[np.newaxis])[0] == pytest.approx(
            drakes, abs=1e-7
        )


def test_angles_run_on_past_half_a_turn():
    angle = np.linspace(0, 20, 100)
    zero = 0 * angle
    about_z = np.column_stack(
        [np.cos(angle / 2), zero, zero, np.sin(angle / 2)]
    )
    assert roll_pitch_yaw(about_z)[:, 2] == pytest.approx(angle)


def test_what_is_not_known_stays_so():
    quaternions = np.array([[1.0, 0, 0, 0], [np.nan] * 4, [1, 0, 0, 0]])
    angles = roll_pitch_yaw(quaternions)
    assert np.isnan(angles[1]).all()
    assert (angles[[0, 2]] == 0).all()
