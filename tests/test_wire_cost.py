"""The benchmark of programs that connect runs; how fast they are is not tested."""

import os

import pytest
import wire_cost


@pytest.mark.slow  # starts processes
def test_programs_have_a_cost_and_some_of_them_a_goal(monkeypatch):
    monkeypatch.setenv("USER", os.environ.get("USER", "somebody"))
    monkeypatch.setattr(wire_cost, "QUICK_STEPS", 100)
    monkeypatch.setattr(wire_cost, "QUICK_ROUNDS", 1)
    monkeypatch.setattr(wire_cost, "QUICK_IMAGES", 2)
    *tables, images = wire_cost.measure(quick=True)
    for table in tables:
        assert list(table.rows) == list(wire_cost.CASES)
        for without, with_it, ratio, on_top in table.rows.values():
            assert min(without, with_it) > 0  # which takes longer is not sure
            assert ratio == with_it / without
            assert on_top == with_it - without
        assert [goals[-1] for goals in table.goals.values()] == [80, 120, None]
    [(here, there, ratio)] = images.rows.values()
    assert min(here, there) > 0
    assert ratio == there / here
