"""A small sample of the random calls of benchmarks/fuzz_api.py."""

import fuzz_api
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
def test_random_calls_return_or_raise_what_webots_raises(tmp_path, capsys):
    calls = draws(150, 300)
    found, wrong = fuzz_api.fuzz(calls, 1, tmp_path)
    assert wrong == []
    assert found["returned"] > calls / 3
