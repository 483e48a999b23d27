"""A small sample of the signals of benchmarks/fuzz_signals.py."""

import sys

import fuzz_signals
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_signals_end_a_command_soon_and_cost_nothing_that_is_saved(tmp_path):
    pytest.importorskip("joblib")
    _, wrong = fuzz_signals.fuzz(draws(2, 60), 1, tmp_path)
    assert wrong == []
