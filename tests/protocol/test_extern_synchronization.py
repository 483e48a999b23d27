"""Robots that the simulation does not wait for (Robot.synchronization FALSE)."""

import numpy as np
import pytest
from connected import connected
from drawn import draws
from robots import scenario
from webots_client import WebotsClient

import webmotor_drake as wm

FREE = "synchronization: false"


def free(name: str, model: str, more: str = "") -> wm.Scenario:
    """Returns a scenario in which nobody waits for one model."""
    return scenario(name, f"{{{more} model_drivers: {{{model}: {{{FREE}}}}}}}")


def until(client, time: float) -> None:
    """Computes until so much simulated time has passed, s."""
    while client.time < time and not client.quit:
        client.step(0)


@pytest.mark.slow
def test_time_goes_on_while_the_client_computes_and_it_is_told_how_late_it_is():
    told = []

    def control(client):
        told.append(client.synchronization)
        assert client.step(8) == 0
        asked = client.time - 0.008
        until(client, asked + 0.2)
        before = client.time
        client.motor("hinge motor", 1, 0.7)
        late = client.step(8)
        # It was asked for in the step before the answer.
        assert late == round(1000 * (client.time - 0.008 - asked)) - 8
        assert late >= 190
        told.append((before, client.time))
        until(client, 1.0)  # ends without a further step
        client.clean_up()

    seconds = "simulator_config: {target_realtime_rate: 1},"
    run = free("Arm", "arm", f"simulation_duration: 2, {seconds}")
    results = connected(run, arm=control).results
    synchronized, (before, after) = told
    assert synchronized == 0
    target = results["arm/hinge motor/target_position"]
    changed = results.time[np.flatnonzero(target == 0.7)[0]]
    assert before - 1e-9 <= changed <= after + 1e-9
    assert results.time[-1] == 2


def test_a_run_ends_by_itself_where_nobody_connects():
    alone = wm.run(scenario("Arm"))
    found = connected(free("Arm", "arm")).results
    for name, values in alone.signals.items():
        np.testing.assert_array_equal(found.signals[name], values, err_msg=name)


def test_one_that_is_waited_for_sets_the_pace_of_another_that_is_not():
    def moves(client):
        for k in range(125):
            client.motor("hinge motor", 1, 0.9 if k % 20 < 10 else -0.5)
            assert client.step(8) == 0
        client.clean_up()

    def comes_and_goes(client):
        for k in range(draws(3, 100)):
            client.enable("hinge sensor", 8)
            if client.step(8 * k) == -1:
                break
        client.close()

    both = connected(
        scenario("TwoArms"), first=moves, second=WebotsClient.clean_up
    )
    mixed = connected(
        free("TwoArms", "second"), first=moves, second=comes_and_goes
    )
    for name in ("first/hinge motor/position", "second/hinge motor/position"):
        np.testing.assert_array_equal(
            mixed.results.signals[name], both.results.signals[name]
        )


def test_a_supervisor_reads_the_field_and_ends_a_run_without_an_end():
    def control(client):
        synchronization = client.get(client.self_node, "synchronization")
        client.ask(54, "i", 7 if synchronization == 0 else 1)
        client.close()

    endless = free("Arm", "arm", "simulation_duration: .inf,")
    endless.model_drivers["arm"].supervisor = True
    endless.simulator_config.target_realtime_rate = 1
    assert connected(endless, arm=control).exit_status == 7
