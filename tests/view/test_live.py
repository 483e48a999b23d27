"""A run is watched and driven from a browser."""

import time
import types

import numpy as np
import pytest
from browser_input import press, pull

import webmotor_drake as wm
from webmotor_drake.runner import ready
from webmotor_drake.view import live_run
from webmotor_drake.view.live import LiveView
from webmotor_drake.view.server import start_meshcat


@pytest.fixture(scope="module")
def meshcat():
    """Returns a Meshcat that nobody looks at."""
    return start_meshcat()


def lift(**fields):
    """Returns the pendulum's scenario, without commands."""
    text = "{simulation_duration: 3.0}"
    scenario = wm.load_scenario("package:pendulum", name="Lift", text=text)
    driver = scenario.model_drivers["arm"]
    driver.commands.clear()
    for name, value in fields.items():
        setattr(driver, name, value)
    return scenario


def live(meshcat, scenario, **options):
    """Returns a view, as fast as it can, and its simulation at the start."""
    view = LiveView(meshcat, **{"rate": 0.0, **options})
    return view, view.attach(lambda: ready(scenario, meshcat=meshcat))


def advance(simulation, until):
    """Simulates in parts, so that the controls are looked at."""
    start = simulation.simulator.get_context().get_time()
    for part in np.linspace(start, until, 6)[1:]:
        simulation.advance_to(part)
        time.sleep(1 / 29)  # they are looked at 30 times per second


@pytest.mark.slow
@pytest.mark.parametrize("drive", ["torque", "implicit", "kinematic"])
def test_a_slider_moves_its_motor(meshcat, drive):
    _, simulation = live(meshcat, lift(drive=drive))
    advance(simulation, 0.5)
    pull(meshcat, "hinge motor (rad)", 0.7)
    advance(simulation, 3.0)
    results = simulation.results()
    # The PID halves the error about every 70 ms; 1e-3 is a slider's step.
    position = results["arm/hinge motor/position"]
    assert position[0] == 0
    assert position[-1] == pytest.approx(0.7, abs=1e-3)
    (command,) = results.metadata["live_commands"]
    assert command["motor"] == "arm/hinge motor"
    assert command["set_position"] == pytest.approx(0.7)
    assert 0.4 < command["time"] < 3


def test_a_slider_goes_from_soft_limit_to_soft_limit(meshcat):
    scenario = lift()
    motor = scenario.model_drivers["arm"].motors["hinge motor"]
    motor.min_position, motor.max_position = -0.5, 0.25
    _, simulation = live(meshcat, scenario)
    # A browser does not send what is beyond the ends; whatever is sent stays within.
    pull(meshcat, "hinge motor (rad)", 2.0)
    advance(simulation, 0.2)
    target = simulation.results()["arm/hinge motor/target_position"]
    assert target[-1] == 0.25


def test_a_slider_follows_what_others_command(meshcat):
    scenario = lift(
        commands=[
            wm.TimedCommand(time=0.2, motor="hinge motor", set_position=0.4)
        ]
    )
    _, simulation = live(meshcat, scenario)
    advance(simulation, 1.0)
    assert meshcat.GetSliderValue("hinge motor (rad)") == 0.4
    assert "live_commands" not in simulation.results().metadata


@pytest.mark.slow
def test_a_button_changes_to_velocity_control_and_back(meshcat):
    _, simulation = live(meshcat, lift())
    advance(simulation, 0.1)
    press(meshcat, "to velocity: hinge motor")
    advance(simulation, 0.3)
    pull(meshcat, "hinge motor (rad/s)", 0.5)
    advance(simulation, 1.0)
    press(meshcat, "to position: hinge motor")
    advance(simulation, 1.5)
    results = simulation.results()
    mode = results["arm/hinge motor/mode"]
    assert mode[5] == 0
    assert mode[100] == 1
    assert mode[-1] == 0
    # The servo's slip is its softness times its effort, 1e-5 * 10.
    assert results["arm/hinge motor/velocity"][100] == pytest.approx(
        0.5, abs=1e-3
    )
    # As fast as before: a speed of 0 would hold it for ever.
    assert results["arm/hinge motor/velocity"][-1] == pytest.approx(0, abs=1e-2)
    assert "hinge motor (rad)" in meshcat.GetSliderNames()


def test_pause_pauses_and_a_step_is_one_period(meshcat, monkeypatch):
    _, simulation = live(meshcat, lift())
    advance(simulation, 0.4)
    now = simulation.simulator.get_context().get_time
    seen = []

    def act(_):
        """Does something at each look of a run that waits."""
        seen.append(now())
        if len(seen) == 5:
            press(meshcat, "Step")
        if len(seen) == 10:
            press(meshcat, "Pause / go on")

    waiting = types.SimpleNamespace(sleep=act, perf_counter=time.perf_counter)
    monkeypatch.setattr(live_run, "time", waiting)
    press(meshcat, "Pause / go on")
    simulation.advance_to(1.0)
    assert 0.4 <= seen[0] < 0.45
    assert len(set(seen[:5])) == len(set(seen[5:])) == 1
    assert seen[5] - seen[4] == pytest.approx(0.008, abs=1e-9)
    assert len(seen) == 10
    assert now() == 1.0


def test_it_runs_at_the_rate_wanted(meshcat, monkeypatch):
    clock = types.SimpleNamespace(now=0.0)

    def sleep(seconds):
        clock.now += seconds

    monkeypatch.setattr(
        live_run,
        "time",
        types.SimpleNamespace(sleep=sleep, perf_counter=lambda: clock.now),
    )
    _, simulation = live(meshcat, lift(), rate=4.0)
    simulation.advance_to(1.3)
    # Nothing but its own waits takes time on this clock.
    assert clock.now == pytest.approx(1.3 / 4, abs=1e-9)


@pytest.mark.slow
def test_reset_runs_it_again_and_stop_ends_it(meshcat):
    runs = []

    def act(now, end):
        if now == 0.6 and not runs:
            runs.append("reset")
            press(meshcat, "Reset")
        if now == 0.9:
            press(meshcat, "Stop")
        time.sleep(0.002)

    scenario = lift()
    results = wm.run(scenario, meshcat=meshcat, realtime=0, progress=act)
    assert runs == ["reset"]
    assert 0.9 <= results.time[-1] < 3
    assert meshcat.GetSliderNames() == []


@pytest.mark.slow
def test_a_session_is_driven_by_its_program_and_by_sliders(meshcat):
    scenario = lift()
    with wm.RobotSession(scenario, meshcat=meshcat, realtime=0) as session:
        session.robot("arm").getDevice("hinge motor").setPosition(0.3)
        for _ in range(60):
            session.step(8)
            time.sleep(0.002)
        assert meshcat.GetSliderValue("hinge motor (rad)") == 0.3
        pull(meshcat, "hinge motor (rad)", 0.6)
        for _ in range(120):
            session.step(8)
            time.sleep(0.001)
    position = session.results()["arm/hinge motor/position"]
    assert position[55] == pytest.approx(0.3, abs=0.01)
    assert position[-1] == pytest.approx(0.6, abs=0.01)
    with pytest.raises(wm.InputError, match="made to"):
        wm.RobotSession(session.simulation, meshcat=meshcat)


def test_drawing_changes_nothing(meshcat):
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    plain = wm.run(scenario)
    drawn = wm.run(scenario, meshcat=meshcat, realtime=0)
    assert plain.signals.keys() == drawn.signals.keys()
    for name, values in plain.signals.items():
        # The same bits on Drake 1.51. On 1.58 a diagram with Drake's visualizers,
        # looked at or not, differs by 1e-11 from one without.
        np.testing.assert_allclose(values, drawn[name], rtol=0, atol=1e-9)


def test_who_pulls_a_slider_after_the_end_goes_on(meshcat, monkeypatch):
    view, simulation = live(meshcat, lift())
    simulation.run()
    seen = []

    def act(_):
        """Does something at each look of a run that waits."""
        seen.append(simulation.simulator.get_context().get_time())
        if len(seen) == 3:
            pull(meshcat, "hinge motor (rad)", 0.4)
        assert len(seen) < 10

    def stop(now):
        if now > 4.5:
            press(meshcat, "Stop")
            time.sleep(0.05)

    waiting = types.SimpleNamespace(sleep=act, perf_counter=time.perf_counter)
    monkeypatch.setattr(live_run, "time", waiting)
    show_time = view._controls.show_time
    monkeypatch.setattr(
        view._controls, "show_time", lambda now: (stop(now), show_time(now))
    )
    with pytest.raises(KeyboardInterrupt):
        view.run_on()
    assert seen == [3.0] * 3
    assert view.ended == "stop"
    results = simulation.results()
    assert results.time[-1] > 4.5
    assert results["arm/hinge motor/position"][-1] == pytest.approx(
        0.4, abs=1e-3
    )


@pytest.mark.slow
def test_reset_starts_controllers_again_and_stop_ends_them(meshcat):
    scenario = wm.load_scenario(
        "package:controller_waits", text="{simulation_duration: 4.0}"
    )
    pressed = []

    def act(now, end):
        time.sleep(0.005)
        wanted = ["Reset", "Stop"][len(pressed) :][:1]
        if wanted and now > 0.5 + 0.5 * len(pressed):
            pressed.extend(wanted)
            press(meshcat, wanted[0])

    drawn = wm.run(scenario, meshcat=meshcat, realtime=0, progress=act)
    assert pressed == ["Reset", "Stop"]
    assert 1.0 <= drawn.time[-1] < 4.0
    plain = wm.run(scenario)
    for name, values in drawn.signals.items():
        np.testing.assert_array_equal(values, plain[name][: len(values)])


def test_the_time_goes_on_beyond_the_end_of_the_slider(meshcat):
    view, _ = live(meshcat, lift())
    view._controls.show_time(3.0)
    assert meshcat.GetSliderValue("time (s)") == 3.0
    view._controls.show_time(4.5)
    assert meshcat.GetSliderValue("time (s)") == 4.5
