"""A small sample of the random calls of benchmarks/fuzz_api.py."""

import fuzz_api
import pytest


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
def test_random_calls_return_or_raise_what_webots_raises(tmp_path, capsys):
    found, wrong = fuzz_api.fuzz(300, 1, tmp_path)
    assert wrong == []
    assert found["returned"] > 100
