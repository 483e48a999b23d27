"""Angles, against Drake's own; metadata of a file that anyone may have written."""

import numpy as np
import pytest
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RollPitchYaw

from webmotor_drake.errors import InputError
from webmotor_drake.results.run_record import checked_metadata, roll_pitch_yaw


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


def test_a_null_counts_as_missing_where_many_values_are_meant():
    metadata = {"motors": None, "package_xmls": None, "wall_time": None}
    assert checked_metadata(metadata) == {"wall_time": None}


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"positions": ["arm", "a\0b"]}, "positions: .*holds a NUL"),
        ({"scenario": "a\0b"}, "scenario: .*holds a NUL"),
        ({"motors": {"arm/m": {"unit": "\0"}}}, "arm/m.unit: .*holds a NUL"),
        ({"motors": {"arm/m": {"gains": "10"}}}, "arm/m.gains: "),
        ({"resets": ["soon"]}, "resets"),
    ],
)
def test_metadata_that_cannot_be_used_are_refused_by_their_path(metadata, told):
    with pytest.raises(InputError, match=told):
        checked_metadata(metadata)
