"""A scenario can be sent to another process, and copied."""

import copy
import copyreg
import dataclasses as dc
import io
import pickle

import pytest
from folders import TEST_SCENARIOS

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.runner import run
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario

EVERY_FIELD = TEST_SCENARIOS / "every_field.scenario.yaml"
LIFT = SCENARIOS / "pendulum.scenario.yaml"


def fields(scenario: Scenario) -> dict[str, str]:
    """Returns the fields as text: Drake's structs know no equality."""
    return {
        field.name: repr(getattr(scenario, field.name))
        for field in dc.fields(scenario)
    }


def pickled(scenario: Scenario) -> Scenario:
    return pickle.loads(pickle.dumps(scenario))


@pytest.mark.parametrize("change", [pickled, copy.copy, copy.deepcopy])
def test_every_field_comes_through(change):
    scenario = load_scenario(EVERY_FIELD, name="EveryField")
    assert fields(change(scenario)) == fields(scenario)


@pytest.mark.parametrize("change", [pickled, copy.copy, copy.deepcopy])
def test_an_error_still_has_its_place(change):
    scenario = change(load_scenario(LIFT, name="Lift"))
    scenario.random_seed = -1
    with pytest.raises(
        InputError, match=r"pendulum.scenario.yaml:\d+:\d+: Lift"
    ):
        check_scenario(scenario)


def test_what_was_changed_after_loading_is_pickled_too():
    scenario = load_scenario(LIFT, name="Lift")
    scenario.lcm_buses.clear()
    scenario.simulation_duration = 0.4
    found = pickled(scenario)
    assert found.lcm_buses == {}
    results, others = run(scenario), run(found)
    assert results.time[-1] == pytest.approx(0.4)
    for name, values in results.signals.items():
        assert others[name].tobytes() == values.tobytes()


def test_a_pickler_that_was_there_before_the_drawing_was_imported_does_it():
    scenario = load_scenario(EVERY_FIELD, name="EveryField")
    stream = io.BytesIO()
    pickler = pickle.Pickler(stream)
    # As joblib's does; others than of the scenario's own module come later.
    known = dict(copyreg.dispatch_table)
    known.pop(type(scenario.visualization), None)
    pickler.dispatch_table = known
    pickler.dump(scenario)
    assert fields(pickle.loads(stream.getvalue())) == fields(scenario)


def test_a_scenario_made_in_python_has_no_place_before_and_after():
    assert pickled(Scenario(random_seed=7)).source is None
    assert pickled(Scenario(random_seed=7)).random_seed == 7


def test_a_deep_copy_shares_nothing_that_changes():
    scenario = load_scenario(LIFT, name="Lift")
    other = copy.deepcopy(scenario)
    other.plant_config.time_step = 0.5
    other.model_drivers.clear()
    assert scenario.plant_config.time_step == 0.008
    assert scenario.model_drivers
