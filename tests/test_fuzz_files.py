"""A small sample of the damaged files of benchmarks/fuzz_files.py."""

import fuzz_files
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_read_or_refused_in_a_line(tmp_path, capfd):
    found, wrong = fuzz_files.fuzz(draws(20, 1000), 1, tmp_path)
    assert wrong == []
    assert found["refused"] > 0
