"""A small sample of the hostile files of benchmarks/fuzz_strangers.py."""

import fuzz_strangers
import pytest
from drawn import draws


@pytest.mark.slow
@pytest.mark.parametrize("kind", fuzz_strangers.CLASSES)
def test_hostile_files_are_read_or_refused_within_their_budget(tmp_path, kind):
    found, fell = fuzz_strangers.fuzz(draws(3, 700), 1, tmp_path, kind)
    assert fell == []
    assert sum(found[kind].values()) == draws(3, 700)
