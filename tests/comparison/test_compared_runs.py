"""Runs under several models, of which some do not say all."""

import numpy as np

from webmotor_drake.comparison.compared_runs import Outcome, _completed
from webmotor_drake.results.results import Results

MOTORS = {"arm/m": {}}


def results_of(time, **signals):
    named = {f"arm/m/{name}": np.array(v) for name, v in signals.items()}
    return Results(np.array(time), named, {"motors": MOTORS})


def test_a_run_without_commands_has_those_of_another_at_its_own_times():
    first = results_of(
        [0.0, 0.008, 0.016, 0.024],
        target_position=[0.0, 1.0, 2.0, 3.0],
        energy=[0.0, 5.0, 6.0, 7.0],
        position=[9.0, 9.0, 9.0, 9.0],
    )
    # Another engine's times are sums of steps, off by a rounding; one is between two
    # rows, of the step that ends after it; one is beyond the end.
    own = results_of(
        [0.0, 0.008 + 1e-12, 0.016 - 1e-12, 0.02, 0.03],
        position=[0.0, 0.1, 0.2, 0.3, 0.4],
    )
    found = _completed(Outcome(own, ""), first).results.signals
    assert found["arm/m/target_position"].tolist() == [0, 1, 2, 3, 3]
    assert found["arm/m/position"].tolist() == [0, 0.1, 0.2, 0.3, 0.4]
    assert np.isnan(found["arm/m/energy"]).all()
