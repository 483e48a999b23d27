"""The benchmark of controllers runs; how fast they are is not tested."""

import controller_cost
import pytest
from _lib import interleaved


@pytest.mark.slow
def test_each_controller_has_a_cost_and_the_idle_one_a_goal(monkeypatch):
    monkeypatch.setattr(interleaved, "SETTLING_STEPS", 5)
    monkeypatch.setattr(controller_cost, "LINKS", (1, 3))
    monkeypatch.setattr(
        controller_cost, "QUICK", {"rounds": 1, "seconds": 0.001}
    )
    costs, ratios = controller_cost.measure(quick=True)
    assert min(map(min, costs.rows.values())) > 0
    # Without a controller, and that stopped at every step.
    assert len(costs.rows) == 2 + len(controller_cost.CONTROLLERS)
    assert len(ratios.rows) == 2 * (1 + len(controller_cost.CONTROLLERS))
    # step_cost.py takes these over, a number each.
    goals = [[1.3], [1.3], *[[1.5]] * 4]
    assert list(ratios.goals.values()) == goals
    assert all("only steps" in name for name in ratios.goals)


def test_the_chain_moves_as_its_commands_say(tmp_path):
    scenario = controller_cost.write_scenario(tmp_path, 3)
    results = controller_cost.built(scenario, {}, 500).run()
    for motor in results.motors:
        position = results[f"{motor}/position"][-1]
        assert abs(position - controller_cost.TARGET) < 1e-3
