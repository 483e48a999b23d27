"""A small sample of the random controllers of benchmarks/fuzz_controllers.py."""

import gc

import fuzz_controllers
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_random_controllers_cost_no_results(tmp_path, capfd):
    gc.freeze()  # they collect garbage often: not what other tests left
    try:
        found, wrong = fuzz_controllers.fuzz(draws(40, 1000), 1, tmp_path)
    finally:
        gc.unfreeze()
    assert wrong == []
    assert found["done"] > found["refused"]
