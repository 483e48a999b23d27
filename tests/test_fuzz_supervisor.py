"""A small sample of the random calls of benchmarks/fuzz_supervisor.py."""

import fuzz_supervisor
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
def test_random_calls_of_a_supervisor_return_or_raise_what_webots_raises(
    tmp_path, capsys
):
    calls = draws(200, 400)
    found, wrong = fuzz_supervisor.fuzz(calls, 1, tmp_path)
    assert wrong == []
    assert found["returned"] > calls / 4
