"""Our own worlds run with their controllers and do what their first lines say."""

import numpy as np
import pytest
from pydrake.multibody.plant import MultibodyPlant

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
WORLDS = SCENARIOS / "worlds" / "worlds"


def run(name, duration):
    text = f"{{simulation_duration: {duration}}}"
    return wm.run(wm.load_scenario(WORLDS / f"{name}.wbt", text=text))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "up"), [("maze", 2), ("old_maze", 1)])
def test_the_e_puck_goes_along_and_stays_in_the_maze(name, up):
    position = run(name, 8)["e-puck/e-puck/position"]
    assert abs(position[:, up]).max() < 1e-3
    assert abs(position).max() < 0.5
    path = np.linalg.norm(np.diff(position, axis=0), axis=1).sum()
    assert path > 0.3


@pytest.mark.slow
def test_the_arm_reaches_out_and_back():
    results = run("arm", 4)
    elbow = results["arm/elbow/position"]
    assert elbow[: len(elbow) // 2].max() == pytest.approx(1.6, abs=0.02)
    assert abs(elbow[-1]) < 0.02


@pytest.mark.slow
def test_the_quadcopter_rises_and_hovers():
    results = run("quadcopter", 6)
    assert results["quadcopter/quadcopter/position"][-1, 2] == pytest.approx(
        1, abs=0.05
    )


@pytest.mark.slow
def test_the_conveyor_takes_both_boxes_off():
    if not hasattr(MultibodyPlant, "SetSurfaceVelocityAxis"):
        pytest.skip("moving surfaces came after this version of Drake")
    results = run("conveyor", 10)
    for box in ("first", "second"):
        y, z = results[f"{box}/{box}/position"][-1, 1:]
        assert y > 0.2
        assert z < 0.2
