"""A controller asks things once `step` has told it that the scenario is over."""

import numpy as np
import pytest
from robots import controller, scenario

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.results.results import Results

pytestmark = pytest.mark.usefixtures("simulated", "leaves_nothing_behind")

# No sensor is on: the last steps are simulated in one go.
LOOP = """
    from controller import Supervisor
    s = Supervisor()
    s.getDevice("hinge motor").setPosition(0.7)
    while s.step(8) != -1:
        pass
    """
DURATIONS = [0.08, 0.083]
ASKED = [
    "s.simulationQuit(0)",
    "s.simulationQuit(3)",
    "print(s.getSelf().getPosition())",
    "print(s.getSelf().getVelocity())",
    "print(s.getSelf().getField('translation').getSFVec3f())",
    "s.getSelf().setVelocity([0] * 6)",
    "s.simulationResetPhysics()",
    "s.simulationReset()",
    "s.worldReload()",
    "s.getDevice('hinge motor').setPosition(2); s.step(0)",
    "s.getDevice('hinge sensor').enable(8)",
]


def run(tmp_path, text: str, duration: float) -> Results:
    overlay = (
        f"{{simulation_duration: {duration},"
        " model_drivers: {arm: {supervisor: true}}}"
    )
    file = controller(tmp_path, text)
    return run_with_controllers(scenario(text=overlay), {"arm": file})


@pytest.fixture(scope="module")
def unasked(tmp_path_factory):
    """Signals of runs whose controller asks nothing, by their duration."""
    folder = tmp_path_factory.mktemp("unasked")
    return {d: run(folder, LOOP, d).signals for d in DURATIONS}


@pytest.mark.parametrize("duration", DURATIONS)
@pytest.mark.parametrize("asked", ASKED)
def test_after_the_end_it_may_ask_and_changes_nothing(
    tmp_path, asked, duration, unasked
):
    results = run(tmp_path, f"{LOOP}{asked}\n", duration)
    for name, values in unasked[duration].items():
        np.testing.assert_array_equal(results[name], values, err_msg=name)
    assert results.metadata.get("exit_status", 0) in (0, 3)
    assert "resets" not in results.metadata


def test_what_is_read_after_the_end_is_the_last_value(tmp_path, capsys):
    read = "print(s.getFromDef('link').getOrientation()[0])\n"
    results = run(tmp_path, LOOP + read, 0.08)
    angle = results["arm/hinge motor/position"][-1]
    assert float(capsys.readouterr().out) == pytest.approx(np.cos(angle))
