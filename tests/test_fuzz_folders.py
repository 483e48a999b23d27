"""A small sample of the damaged folders of benchmarks/fuzz_folders.py."""

import fuzz_folders
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_damaged_folders_are_read_or_refused_in_a_line(tmp_path):
    pytest.importorskip("pandas")
    found, wrong = fuzz_folders.fuzz(draws(4, 400), 1, tmp_path)
    assert wrong == []
    assert found["refused"] > 0
