"""The scenarios of propellers and tracks do what their comments say."""

import numpy as np
import pytest
from scenarios_here import HAS_TRACKS

from webmotor_drake.data import SCENARIOS
from webmotor_drake.loading import load_scenario
from webmotor_drake.runner import ready


@pytest.mark.skipif(
    not HAS_TRACKS, reason="this Drake knows no moving surfaces"
)
def test_the_conveyor_carries_boxes_at_its_speed():
    results = ready(load_scenario(SCENARIOS / "conveyor.scenario.yaml")).run()
    for name in ("first", "second"):
        x = results[f"{name}/parcel/position"][:, 0]
        for time, expected in ((2.9, 0.5), (5.9, -0.3)):
            k = np.searchsorted(results.time, time)
            speed = (x[k] - x[k - 5]) / (results.time[k] - results.time[k - 5])
            assert speed == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.008, 0.032])
def test_the_quadcopter_hovers_within_5_cm(step):
    scenario = load_scenario(SCENARIOS / "quadcopter.scenario.yaml")
    scenario.plant_config.time_step = step
    results = ready(scenario).run()
    place = results["quadcopter/body/position"]
    for start, end, expected in ((4, 6, (0, 0, 1)), (10.5, 12, (1, 0.5, 1.5))):
        there = place[(results.time > start) & (results.time <= end)]
        off = np.linalg.norm(there - expected, axis=1)
        assert off.max() < 0.05
    # Each carries a quarter of the weight: t1 w^2.
    for motor in results.motors:
        speed = abs(results[f"{motor}/velocity"][-1])
        assert speed == pytest.approx((9.81 / 4 / 1e-4) ** 0.5, rel=1e-3)


def test_piles_of_boxes_stand_until_the_rover_comes():
    scenario = load_scenario(SCENARIOS / "heap.scenario.yaml")
    results = ready(scenario).run()
    before = results.time < 0.8
    for name in "abcdef":
        place = results[f"{name}/cube/position"]
        # Within what they sink, and nothing creeps.
        assert abs(place[before] - place[0]).max() < 5e-4
        assert place[-1, 2] > 0.0295  # none is in the floor
    moved = [
        np.linalg.norm(np.diff(results[f"{n}/cube/position"][[0, -1]], axis=0))
        for n in "abcdef"
    ]
    assert sum(way > 0.05 for way in moved) >= 4
    assert results["rover/chassis/position"][-1, 0] > 0.3
