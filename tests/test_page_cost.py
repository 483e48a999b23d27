"""The benchmark of live pages; how fast they are is not tested."""

import page_cost
import pytest


@pytest.mark.slow  # starts a process
def test_a_page_has_a_cost_and_with_the_go2_a_goal(monkeypatch):
    cases = {"quadruped": page_cost.CASES["quadruped, 8 motors"]}
    monkeypatch.setattr(page_cost, "CASES", cases)
    (table,) = page_cost.measure(quick=True)
    without, with_it, ratio, frames = table.rows["quadruped"]
    assert min(without, with_it, ratio) > 0
    # 30 per second; each turn begins with one.
    assert 0 < frames < 120
    assert table.goals["quadruped"] == [None, None, None, None]
