"""Drake's visualization: imported once a scenario has it, and of Drake's class."""

import copy
import pickle
import subprocess
import sys

import pytest
from loaded import loaded
from pydrake import visualization

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.checks import check_kinds
from webmotor_drake.scenario.scenario import VisualizationConfig

PENDULUM = wm.SCENARIOS / "pendulum.scenario.yaml"


@pytest.mark.slow
def test_a_run_that_draws_nothing_does_without_matplotlib():
    # It would be a fifth of the time that each process takes to start.
    code = (
        "import sys, webmotor_drake as wm\n"
        "wm.run(wm.load_scenario(sys.argv[1], name='Lift',"
        " text='simulation_duration: 0.08'))\n"
        "print({'matplotlib', 'pydrake.visualization'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, PENDULUM], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("set()\n", "")


def test_a_scenario_that_has_it_has_drakes():
    scenario = loaded(PENDULUM, "Lift", "visualization: {publish_period: 0.5}")
    wanted = visualization.VisualizationConfig(publish_period=0.5)
    for one in (
        scenario,
        copy.deepcopy(scenario),
        pickle.loads(pickle.dumps(scenario)),
    ):
        assert type(one.visualization) is visualization.VisualizationConfig
        assert repr(one.visualization) == repr(wanted)


def test_one_that_a_program_sets_has_to_be_drakes():
    scenario = loaded(PENDULUM, "Lift")
    scenario.visualization = visualization.VisualizationConfig()
    check_kinds(scenario)
    scenario.visualization = {"publish_period": 0.5}
    with pytest.raises(InputError, match="a VisualizationConfig or None is"):
        check_kinds(scenario)


def test_what_stands_for_drakes_makes_drakes():
    made = VisualizationConfig()
    assert isinstance(made, VisualizationConfig)
    assert type(made) is visualization.VisualizationConfig
    assert not isinstance(VisualizationConfig, VisualizationConfig)
