"""Motor models are told apart by their logs: the one that made a log comes first."""

import pytest
from drawn import draws
from modelled_pendulum import log_of, pendulum

from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.ranking import rank_models
from webmotor_drake.fitting.solve import FitSettings

pytest.importorskip("scipy")

# The last two differ by a DC motor alone: both are PD loops.
CANDIDATES = ["webots", "pd_explicit", "pd", "dc_motor"][-draws(2, 4) :]
LOGS = draws(1, 4)  # benchmarks/told_apart.py has 20, and all models


def nearest(log) -> str:
    settings = FitSettings()
    fits = {
        name: FitRun(pendulum(), log, None, model=name, settings=settings).run()
        for name in CANDIDATES
    }
    return rank_models(fits)[0].model


@pytest.mark.slow
@pytest.mark.parametrize("model", CANDIDATES[-draws(1, 4) :])
def test_the_model_that_made_a_log_is_the_nearest_to_it(model):
    found = [nearest(log_of(model, seed)) for seed in range(LOGS)]
    assert found == [model] * LOGS
