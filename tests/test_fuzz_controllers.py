"""A small sample of the random controllers of benchmarks/fuzz_controllers.py."""

import fuzz_controllers
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_random_controllers_cost_no_results(tmp_path, capfd):
    found, wrong = fuzz_controllers.fuzz(draws(40, 1000), 1, tmp_path)
    assert wrong == []
    assert found["done"] > found["refused"]
