"""A small sample of the odd worlds of benchmarks/fuzz_worlds.py."""

import fuzz_worlds
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_worlds_with_mistakes_are_read_or_refused_with_a_place(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    found, wrong = fuzz_worlds.fuzz(draws(100, 20_000), 1, folder)
    assert wrong == []
    assert found["refused"] > 0 < found["read"]
