"""A small sample of the odd scenarios of benchmarks/fuzz_scenarios.py."""

import fuzz_scenarios
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scenarios_with_mistakes_run_or_are_refused_in_a_line(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    found, wrong = fuzz_scenarios.fuzz(draws(60, 3000), 1, folder)
    assert wrong == []
    assert found["refused"] > found["ran"] > 0
