"""Every simulation can go back to its start, from the same seed or another one."""

import copy

import numpy as np
import pytest
from pydrake.common.schema import Uniform

import webmotor_drake as wm
from webmotor_drake import InputError, SimulationError
from webmotor_drake.simulation.simulation import Simulation

# A pendulum that starts anywhere, and a box that lies anywhere.
TEXT = """\
Any:
  random_seed: 3
  simulation_duration: 0.24
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  - add_model:
      name: box
      file: package://webmotor_models/small_box.urdf
      default_free_body_pose:
        BODY:
          translation: !UniformVector {min: [1, 1, 1], max: [2, 2, 2]}
          rotation: !Uniform {}
  initial_position: {arm: {hinge: !Uniform {min: -1, max: 1}}}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        m: !RotationalMotor {joint: hinge}
      position_sensors:
        s: {joint: hinge, noise: 0.01}
      commands:
      - {time: 0.08, motor: m, set_position: 1}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    models = wm.MODELS / "small_box.urdf"
    body = models.read_text().partition('<link name="')[2].partition('"')[0]
    file = tmp_path_factory.mktemp("any") / "any.yaml"
    file.write_text(TEXT.replace("BODY", body))
    return file


@pytest.fixture
def scenario(file):
    return wm.load_scenario(file)


def run_to(simulation, end=0.24):
    """Returns the plant's states, step by step, of an episode."""
    states = []
    for step in range(1, round(end / 0.008) + 1):
        simulation.advance_to_step(step)
        context = simulation.plant.GetMyContextFromRoot(
            simulation.simulator.get_context()
        )
        states.append(simulation.plant.GetPositionsAndVelocities(context))
    return np.array(states)


@pytest.mark.parametrize("record", ["run", "episode", "nothing"])
@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_run_that_goes_back_is_the_same_to_the_bit(scenario, record, drive):
    scenario.model_drivers["arm"].drive = drive
    simulation = Simulation(scenario, record=record)
    first = run_to(simulation)
    for _ in range(2):
        simulation.reset()
        assert np.array_equal(run_to(simulation), first)


@pytest.mark.parametrize("time_step", [0.0, 0.008])
def test_another_seed_starts_as_a_scenario_with_that_random_seed(
    scenario, time_step
):
    scenario.plant_config.time_step = time_step
    scenario.model_drivers["arm"].basic_time_step = 0.008
    simulation = Simulation(scenario)
    first = run_to(simulation)
    for seed in 8, 9:
        other = copy.copy(scenario)
        other.random_seed = seed
        fresh = run_to(Simulation(other))
        simulation.reset(seed)
        assert np.array_equal(run_to(simulation), fresh)
        assert not np.array_equal(fresh, first)
    simulation.reset()
    assert np.array_equal(run_to(simulation), first)


def test_the_run_has_all_episodes_the_episode_the_last(scenario):
    for record, rows in ("run", 61), ("episode", 31):
        simulation = Simulation(scenario, record=record)
        run_to(simulation)
        simulation.reset()
        run_to(simulation)
        results = simulation.results()
        assert len(results.time) == rows
        assert results.time[-1] == pytest.approx((rows - 1) * 0.008)
    whole = Simulation(scenario)
    run_to(whole)
    for name, values in whole.results().signals.items():
        assert np.array_equal(values, results[name], equal_nan=True)


def test_without_a_record_the_results_are_the_present(scenario):
    simulation = Simulation(scenario, record="nothing")
    states = run_to(simulation)
    simulation.reset()
    states = run_to(simulation, 0.08)
    results = simulation.results()
    assert results.time.tolist() == pytest.approx([0.08])
    assert results["arm/m/position"].tolist() == [states[-1][0]]
    assert results.metadata["recorded"] == "nothing"
    names = [
        s.get_name() for s in simulation.simulator.get_system().GetSystems()
    ]
    assert not any("Log" in name for name in names)


def test_a_simulation_that_failed_goes_on_after_a_reset(scenario):
    simulation = Simulation(scenario, record="nothing")
    first = run_to(simulation, 0.08)
    context = simulation.simulator.get_mutable_context()
    own = simulation.plant.GetMyMutableContextFromRoot(context)
    simulation.plant.SetVelocities(own, [1e200] * 7)
    with pytest.raises(SimulationError):
        simulation.advance_to(0.24)
    assert simulation.failed
    simulation.reset()
    assert np.array_equal(run_to(simulation, 0.08), first)


def test_a_random_weld_is_refused_with_its_place(scenario, file):
    text = file.read_text().replace(
        "child: arm::base}",
        "child: arm::base, X_PC: {translation: !UniformVector"
        " {min: [0, 0, 0], max: [0, 0, 1]}}}",
    )
    other = file.with_name("weld.yaml")
    other.write_text(text)
    simulation = Simulation(wm.load_scenario(other))
    first = run_to(simulation, 0.08)
    with pytest.raises(InputError, match=r"weld.yaml:7:\d+: .*X_PC: is drawn"):
        simulation.reset(4)
    simulation.reset()
    assert np.array_equal(run_to(simulation, 0.08), first)


@pytest.mark.parametrize("frame", ["world", "arm::base"])
def test_a_pose_that_is_drawn_in_a_frame_is_that_of_the_build(file, frame):
    text = file.read_text().replace(
        "translation:", f"base_frame: {frame}\n          translation:"
    )
    other = file.with_name("frame.yaml")
    other.write_text(text)
    scenario = wm.load_scenario(other)
    simulation = Simulation(scenario)
    plain = Simulation(wm.load_scenario(file))  # the base is the world's origin
    # The pose in the other frame is composed once more: rounding only.
    first = run_to(plain, 0.08)
    np.testing.assert_allclose(run_to(simulation, 0.08), first, atol=1e-12)
    if frame == "world":
        simulation.reset(4)
        plain.reset(4)
        assert np.array_equal(run_to(simulation, 0.08), run_to(plain, 0.08))
    else:
        with pytest.raises(InputError, match="default_free_body_pose: is dra"):
            simulation.reset(4)
        simulation.reset()


def test_a_fixed_pose_in_a_frame_stays_with_another_seed(file):
    text = file.read_text().replace(
        "translation: !UniformVector {min: [1, 1, 1], max: [2, 2, 2]}",
        "base_frame: arm::base",
    )
    other = file.with_name("fixed.yaml")
    other.write_text(text.replace("rotation: !Uniform {}", ""))
    simulation = Simulation(wm.load_scenario(other))
    first = run_to(simulation, 0.08)[:, 1:8]  # behind the hinge
    simulation.reset(4)
    assert np.array_equal(run_to(simulation, 0.08)[:, 1:8], first)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_what_is_no_seed_is_refused(scenario, seed):
    with pytest.raises(InputError, match="a whole number from 0 to 4294967295"):
        Simulation(scenario).reset(seed)


def test_an_unknown_record_is_refused(scenario):
    with pytest.raises(InputError, match="did you mean episode?"):
        Simulation(scenario, record="episodes")


def episode(session, steps=10):
    """Returns what the sensor reads from an episode's start on."""
    robot = session.robot("arm")
    sensor = robot.getDevice("s")
    sensor.enable(8)
    readings = []
    for _ in range(steps):
        assert robot.step(8) == 0
        readings.append(sensor.getValue())
    return readings


def test_a_session_begins_episodes(scenario):
    with wm.RobotSession(scenario, record="episode") as session:
        first = episode(session)
        motor = session.robot("arm").getDevice("m")
        motor.setVelocity(0.1)
        motor.setControlPID(3, 0, 0)
        session.robot("arm").step(8)
        motor.setPosition(0.5)  # is dropped
        session.reset()
        assert session.time == session.robot("arm").getTime() == 0
        assert motor.getVelocity() == 10
        assert episode(session) == first


def test_a_session_with_another_seed_has_other_noise(scenario):
    other = copy.copy(scenario)
    other.random_seed = 9
    with wm.RobotSession(other) as session:
        fresh = episode(session)
    with wm.RobotSession(scenario) as session:
        first = episode(session)
        session.reset(9)
        assert episode(session) == fresh
        for seed in 3, None:
            session.reset(seed)
            assert episode(session) == first


def test_each_episode_of_a_session_lasts_as_long_as_the_scenario(scenario):
    with wm.RobotSession(scenario) as session:
        robot = session.robot("arm")
        for _ in range(3):
            steps = 0
            while robot.step(8) != -1:
                steps += 1
            assert steps == 30
            session.reset()


def test_sensors_have_measured_the_start_after_a_reset(scenario):
    scenario.model_drivers["arm"].position_sensors["s"].noise = 0.0
    scenario.initial_position = {"arm": {"hinge": Uniform(min=-1, max=1)}}
    with wm.RobotSession(scenario) as session:
        episode(session)
        plant = session.simulation.plant
        for seed in 1, 2:
            session.reset(seed)
            context = plant.GetMyContextFromRoot(
                session.simulation.simulator.get_context()
            )
            angle = plant.GetJointByName("hinge").get_angle(context)
            assert session.robot("arm").getDevice("s").getValue() == angle
