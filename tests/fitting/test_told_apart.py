"""Motor models are told apart by their logs: the one that made a log comes first."""

import pytest
from drawn import draws
from modelled_pendulum import log_of, pendulum

from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.model_parameters import DISTINCT
from webmotor_drake.fitting.ranking import rank_models
from webmotor_drake.fitting.solve import FitSettings

pytest.importorskip("scipy")

LOGS = draws(1, 20)
MISSED = LOGS // 10  # of 20, two


def nearest(log) -> str:
    fits = {}
    for model in DISTINCT:
        few = FitSettings(max_iterations=20)
        ready = FitRun(pendulum(), log, None, model=model, settings=few)
        fits[model] = ready.run()
    return rank_models(fits)[0].model


@pytest.mark.slow
@pytest.mark.parametrize("model", DISTINCT)
def test_the_model_that_made_a_log_is_the_nearest_to_it(model):
    found = [nearest(log_of(model, seed)) for seed in range(LOGS)]
    assert found.count(model) >= LOGS - MISSED, found
