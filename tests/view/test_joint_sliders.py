"""Robots to look at: each joint has a slider."""

import numpy as np
import pytest
from browser_input import pull

import webmotor_drake as wm
from webmotor_drake.view.joint_sliders import JointSliders
from webmotor_drake.view.model_scenario import model_scenario
from webmotor_drake.view.server import start_meshcat


@pytest.fixture(scope="module")
def meshcat():
    """Returns a Meshcat that nobody looks at."""
    return start_meshcat()


def test_a_joint_goes_where_its_slider_goes(meshcat):
    scenario = wm.load_scenario("package:six_axis")
    sliders = JointSliders(scenario, meshcat, show=["limits"])
    names = meshcat.GetSliderNames()
    assert names == [f"motor {i} (rad)" for i in range(1, 7)]
    assert meshcat.GetSliderValue("motor 2 (rad)") == pytest.approx(-0.4)
    pull(meshcat, "motor 6 (rad)", 1.25)
    sliders.update()
    # What was not moved is where it was: 0.4 is no step of its slider.
    expected = [0, -0.4, 0.4, 0, 0, 1.25]
    np.testing.assert_allclose(sliders._puppet.positions, expected, atol=1e-12)


def test_a_model_alone_has_its_joints(meshcat):
    JointSliders(model_scenario(wm.MODELS / "six_axis.urdf"), meshcat)
    assert meshcat.GetSliderNames()[0] == "joint_1 (rad)"


def test_a_file_that_is_not_there_or_no_model_is_told(tmp_path):
    (tmp_path / "run.npz").touch()
    with pytest.raises(
        wm.InputError, match=r"neither a model \(\.urdf, .*run$"
    ):
        model_scenario(tmp_path / "run.npz")
    with pytest.raises(wm.InputError, match="/dev/zero is a pipe or a device"):
        model_scenario("/dev/zero")
    with pytest.raises(wm.InputError, match="No such file"):
        model_scenario(tmp_path / "a.urdf")
