"""The programs of the page about learning run in its order."""

import pytest
from folders import ROOT
from shown import blocks

PAGE = (ROOT / "docs" / "gym.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_its_programs_run_one_after_the_other():
    names = {}
    for code in blocks(PAGE, "python"):
        exec(compile(code, "gym.md", "exec"), names)
    assert names["observations"].shape == (64, 4)
    assert abs(names["q"] - [0.5, -0.5]).max() < 0.01
