"""The environment classes of deepbots drive a robot."""

import numpy as np
import pytest

from webmotor_drake.data import SCENARIOS
from webmotor_drake.loading import load_scenario
from webmotor_drake.robot import run_with_controllers

FILE = SCENARIOS / "supervisor_pendulum.scenario.yaml"


@pytest.fixture(autouse=True)
def _needs_deepbots():
    # Its modules import `controller`, so they cannot be imported here.
    from importlib import metadata

    try:
        metadata.distribution("deepbots")
    except metadata.PackageNotFoundError:
        pytest.skip("deepbots is an extra")


@pytest.mark.slow
def test_the_pendulum_learns_to_stand(capsys):
    results = run_with_controllers(load_scenario(FILE))
    *_, first, second, third = capsys.readouterr().out.splitlines()
    # 250 steps, and less than 10 % off for the distance from the middle.
    assert all(int(e.split()[-1]) > 225 for e in (first, second, third))
    assert results.metadata["exit_status"] == 0
    assert len(results.metadata["resets"]) == int(third.split()[1][:-1])
    assert results.metadata["labels"] == {"0": third}


def test_the_same_seed_gives_the_same_bits(capsys):
    text = "{simulation_duration: 2.0}"
    runs = [run_with_controllers(load_scenario(FILE, text=text)) for _ in "ab"]
    assert len(runs[0].metadata["resets"]) > 1
    np.testing.assert_allclose(runs[0].time, np.arange(126) * 0.016, atol=1e-9)
    for name, values in runs[0].signals.items():
        np.testing.assert_array_equal(values, runs[1].signals[name])
