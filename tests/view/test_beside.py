"""Ghosts beside a run: the same commands, as far apart as `compare` says."""

import functools

import numpy as np
import pytest
from page_client import connected

import webmotor_drake as wm
from webmotor_drake.comparison.ghosts import ghost_maker, ghost_results
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import Kind
from webmotor_drake.runner import ready
from webmotor_drake.view.beside import Beside, RunGhost
from webmotor_drake.view.live_page import LivePage
from webmotor_drake.view.replay_page import replay_page

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
ARM = "package:two_link_arm"
MOTORS = ["arm/shoulder motor", "arm/elbow motor"]


def scenario(text="{simulation_duration: 0.8}"):
    return wm.load_scenario(ARM, text=text)


def run_beside(name, scenario):
    """Runs a scenario with a ghost; returns its numbers, and the results."""
    simulation = ready(scenario)
    beside = Beside(ghost_maker(name, scenario)(), simulation)
    results = simulation.run()
    beside.follow()
    return beside, results


@pytest.mark.parametrize("name", ["drake_pd", "ideal", "pd", "webots_implicit"])
@pytest.mark.parametrize("time_step", [0.008, 0.002])
def test_a_ghost_is_as_far_away_as_compare_says(name, time_step):
    text = f"{{simulation_duration: 0.8, plant_config: {{time_step: {time_step}}}}}"
    made = scenario(text)
    for driver in made.model_drivers.values():
        driver.basic_time_step = 0.008
    beside, _ = run_beside(name, made)
    comparison = wm.compare(made, ["webots", name])
    for motor, row in zip(MOTORS, beside.numbers, strict=True):
        value = comparison.difference(name, motor, "position").value
        assert row[4] == pytest.approx(np.abs(value).max(), abs=1e-12)
        other = comparison.results[name]
        for k, signal in enumerate(("position", "velocity", "effort")):
            values = other[f"{motor}/{signal}"]
            assert row[k] == pytest.approx(values[-1], abs=1e-9)


def test_a_ghost_of_the_same_motors_is_in_the_same_place():
    beside, results = run_beside("webots", scenario())
    assert beside.numbers[:, 4].max() == 0
    q = beside.ghost.plant.GetPositions(beside.pose())
    np.testing.assert_array_equal(q, results.positions[-1])


def test_a_ghost_takes_what_is_commanded_by_hand():
    made = scenario()
    simulation = ready(made)
    beside = Beside(ghost_maker("webots", made)(), simulation)
    simulation.advance_to_step(20)
    root = simulation.simulator.get_mutable_context()
    system = simulation.motors["arm"]
    context = system.GetMyMutableContextFromRoot(root)
    system.apply_all(context, [(0, Kind.POSITION, -0.7)])
    simulation.advance_to(0.8)
    beside.follow()
    assert beside.numbers[:, 4].max() == 0


@pytest.mark.parametrize(
    ("name", "time_step"),
    [("pd", 0.008), ("pd", 0.002), ("drake_pd", 0.008), ("webots", 0)],
)
def test_a_ghost_is_there_however_often_one_looks(name, time_step):
    # Commands between looks and at them, at the ends of steps and just before them.
    made = scenario(
        f"{{simulation_duration: 0.8, plant_config: {{time_step: {time_step}}},"
        " model_drivers: {arm: {basic_time_step: 0.008}}}"
    )
    found = []
    for looks in ([], range(1, 60, 7), range(1, 100)):
        simulation = ready(made)
        beside = Beside(ghost_maker(name, made)(), simulation)
        root = simulation.simulator.get_mutable_context()
        own = simulation.plant.GetMyContextFromRoot(root)
        system = simulation.motors["arm"]
        context = system.GetMyMutableContextFromRoot(root)
        for step in range(1, 100):
            simulation.advance_to_step(step)
            if step in (20, 21, 70):
                system.apply_all(context, [(0, Kind.POSITION, -step / 100)])
            if step in looks:
                beside.follow()
                state = simulation.plant.get_state_output_port().Eval(own)
                here = state[system.position_indices]
                there, *_, apart, _ = beside.numbers.T
                np.testing.assert_array_equal(apart, abs(there - here))
        simulation.advance_to(0.8)
        beside.follow()
        found.append(beside.numbers.copy())
    # An integrator's steps end where somebody looks; Drake's discrete ones don't.
    rounding = 0 if time_step else 1e-10
    np.testing.assert_allclose(found[1:], found[:-1], rtol=0, atol=rounding)
    assert np.abs(found[0][:, 0]).min() > 0.1


@pytest.mark.parametrize("name", ["webots", "drake_pd"])
def test_a_ghost_starts_again_with_the_run(name):
    made = scenario()
    simulation = ready(made)
    beside = Beside(ghost_maker(name, made)(), simulation)
    simulation.advance_to(0.4)
    beside.follow()
    first = beside.numbers.copy()
    simulation.reset()
    beside.follow()
    simulation.advance_to(0.8)
    beside.follow()
    np.testing.assert_array_equal(beside.numbers, first)
    assert not beside.failure


def test_a_saved_run_with_other_steps_is_beside_at_the_same_times():
    made, other = scenario(), scenario()
    other.model_drivers["arm"].basic_time_step = 0.016
    results = wm.run(other)
    simulation = ready(made)
    plant = ghost_maker("webots", made)().plant
    beside = Beside(RunGhost("slow", results, plant), simulation)
    simulation.advance_to(0.4)
    beside.follow()
    motor = results[f"{MOTORS[0]}/position"]
    assert beside.numbers[0, 0] == motor[results.time.searchsorted(0.4 - 1e-9)]


def test_a_page_shows_the_ghost_with_its_numbers():
    made = scenario()
    page = LivePage(rate=0, beside=ghost_maker("drake_pd", made), waits=False)
    try:
        simulation = page.attach(functools.partial(ready, made, by_hand=True))
        with connected(page) as client:
            page.wait_for_browser()
            simulation.run()
            page.at_end()
            client.after("over")
            about = client.told[0]
            assert about["beside"] == ["drake_pd"]
            bodies = about["ghosts"]
            paths = [about["paths"][i] for i in bodies]
            ghosts = about["paths"][about["bodies"] :][: len(bodies)]
            assert [p.replace("shapes", "ghosts/0") for p in paths] == ghosts
            frame = client.frames[-1]
            poses = np.frombuffer(frame, "<f4", 16 * len(about["paths"]), 20)
            poses = poses.reshape(-1, 16)
            rows = np.frombuffer(frame, "<f4", 26, 20 + poses.nbytes)
            numbers = rows.reshape(2, 13)[:, 8:]
            shown = page._beside.numbers
            np.testing.assert_allclose(numbers, shown, rtol=1e-6)
            own, ghost = poses[bodies[0]], poses[about["bodies"]]
            assert np.abs(own - ghost).max() > 1e-3
    finally:
        page.close()


def test_a_saved_run_is_a_ghost_live_and_in_replay(tmp_path):
    made = scenario()
    slow = scenario("{simulation_duration: 0.4}")
    slow.model_drivers["arm"].motors["shoulder motor"].max_velocity = 0.5
    wm.run(slow).save(tmp_path / "slow")
    beside, results = run_beside(str(tmp_path / "slow"), made)
    other = ghost_results(str(tmp_path / "slow"), made)
    # After its end it stays.
    last = other["arm/shoulder motor/position"][-1]
    assert beside.numbers[0, 0] == last
    server = replay_page(results, beside={"slow": other})
    try:
        with connected(server) as client:
            about = client.told[0]
            assert about["beside"] == ["slow"]
            (samples,) = client.samples
            plotted = np.frombuffer(samples, "<f4", offset=4).reshape(-1, 27)
            assert plotted[-1, 9] == pytest.approx(last, rel=1e-6)
            rows = np.frombuffer(client.frames[-1], "<f4", offset=20)
            numbers = rows[16 * len(about["paths"]) :].reshape(2, 13)
            apart = np.abs(numbers[:, 0] - numbers[:, 8])
            assert (numbers[:, 12] >= apart - 1e-6).all()
    finally:
        server.close()


def test_a_model_runs_for_a_replay():
    other = ghost_results("drake_pd", scenario())
    assert other.motors == MOTORS
    assert other.positions is not None


def test_a_ghost_that_fails_stays_and_says_so():
    made = scenario()
    simulation = ready(made)
    ghost = ghost_maker("drake_pd", made)()
    beside = Beside(ghost, simulation)
    ghost.follow = None  # breaks it
    simulation.run()
    beside.follow()
    assert beside.failure.startswith("drake_pd: ")
    assert np.isnan(beside.numbers).all()


def test_what_is_no_ghost_is_told(tmp_path):
    with pytest.raises(
        InputError, match="unknown model 'drake_pb'; did you mean"
    ):
        ghost_maker("drake_pb", scenario())
    other = wm.run(wm.load_scenario("package:pendulum", name="Lift"))
    other.save(tmp_path / "other")
    with pytest.raises(
        InputError, match="other has no motor arm/shoulder motor; a ghost"
    ):
        ghost_maker(str(tmp_path / "other"), scenario())
    results = wm.run(scenario())
    with pytest.raises(InputError, match="has no motor arm/shoulder motor"):
        replay_page(results, beside={"other": other})
