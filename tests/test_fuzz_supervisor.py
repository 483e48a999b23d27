"""A small sample of the random calls of benchmarks/fuzz_supervisor.py."""

import fuzz_supervisor
import pytest


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
def test_random_calls_of_a_supervisor_return_or_raise_what_webots_raises(
    tmp_path, capsys
):
    found, wrong = fuzz_supervisor.fuzz(400, 1, tmp_path)
    assert wrong == []
    assert found["returned"] > 100
