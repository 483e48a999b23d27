"""A scenario is simulated to its end, or as far as it goes."""

import math
import warnings

import numpy as np
import pytest
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError, MotorWarning, SimulationError
from webmotor_drake.loading import load_scenario
from webmotor_drake.robot import RobotSession
from webmotor_drake.runner import run
from webmotor_drake.simulation.simulation import Simulation

ARM = SCENARIOS / "two_link_arm.scenario.yaml"


def arm(text="{simulation_duration: 0.4}"):
    """Returns the two-link arm with parts of it overridden."""
    return load_scenario(ARM, text=text)


def exploding():
    """Returns a pendulum whose motor applies absurd torque from 0.2 s on."""
    return load_scenario(
        SCENARIOS / "pendulum.scenario.yaml",
        name="Lift",
        text="{model_drivers: {arm: {motors: {hinge motor: !RotationalMotor"
        " {max_torque: 1e305}}, commands: [{time: 0.2, motor: hinge motor,"
        " set_torque: 1e300}]}}}",
    )


def test_a_run_has_a_row_for_the_start_and_each_motor_period():
    results = run(arm())
    assert results.time == pytest.approx(np.arange(51) * 0.008)
    assert results.motors == ["arm/shoulder motor", "arm/elbow motor"]
    assert all(np.shape(v) == (51,) for v in results.signals.values())
    assert results["arm/elbow motor/position"][0] == 0
    # Both have begun to turn to their targets, 1.2 and -1.2 rad.
    assert results["arm/shoulder motor/position"][-1] > 0.2
    assert results["arm/elbow motor/position"][-1] < -0.2


def test_a_run_says_what_it_was():
    # Enough to repeat it.
    metadata = run(arm()).metadata
    assert metadata["scenario_file"] == str(ARM)
    assert metadata["scenario_name"] == "TwoLinkArm"
    assert metadata["scenario"] == ARM.read_text()
    assert metadata["scenario_text"] == "{simulation_duration: 0.4}"
    assert metadata["random_seed"] == 0
    assert set(metadata["versions"]) >= {"webmotor_drake", "drake", "python"}
    assert metadata["motors"]["arm/elbow motor"]["joint"] == "elbow"
    assert metadata["simulation_time"] == pytest.approx(0.4)
    assert metadata["wall_time"] > 0


def test_a_run_can_be_repeated_bit_for_bit():
    first, second = run(arm()), run(arm())
    for name, values in first.signals.items():
        assert values.tobytes() == second[name].tobytes()


def test_watching_a_run_changes_nothing():
    seen = []
    watched = run(arm(), progress=lambda now, end: seen.append((now, end)))
    alone = run(arm())
    for name, values in watched.signals.items():
        assert values.tobytes() == alone[name].tobytes()
    times = [now for now, _ in seen]
    assert times == sorted(times)
    assert seen[-1] == (pytest.approx(0.4), 0.4)


def test_no_time_at_all_gives_the_start():
    results = run(arm("{simulation_duration: 0}"))
    assert results.time.tolist() == [0]


def test_the_package_has_the_three_steps_as_functions(tmp_path):
    # As the README shows them.
    scenario = wm.load_scenario(ARM, text="{simulation_duration: 0.08}")
    wm.build_diagram(scenario)
    wm.run(scenario).save(tmp_path)
    assert wm.Results.load(tmp_path).time.size == 11


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "{directives: [{add_model: {name: b, file:"
            " package://webmotor_models/lift.urdf}}, {add_model: {name: arm,"
            " file: package://webmotor_models/two_link_arm.urdf}}],"
            " model_drivers: {b: !WebotsMotorDriver {basic_time_step: 0.016,"
            " motors: {m: !LinearMotor {joint: slider}}}}}",
            "model_drivers.b.basic_time_step: 0.016 s differs from the 0.008 s",
        ),
    ],
)
def test_what_can_be_built_but_not_run_is_refused(text, told):
    with pytest.raises(InputError) as caught:
        run(arm(text))
    assert told in str(caught.value)
    assert str(caught.value).startswith("--scenario_text:1:")


def test_an_error_that_is_not_drakes_is_blamed_on_no_joint():
    # Such as that of a builtin which a controller has deleted.
    simulation = Simulation(arm("{simulation_duration: 0.4}"))

    def fail(root):
        raise NameError("name 'len' is not defined")

    simulation.simulator.set_monitor(fail)
    with pytest.raises(SimulationError) as caught:
        simulation.run()
    told = "at 0 s the simulation failed: name 'len' is not defined"
    assert str(caught.value) == told
    assert caught.value.results.time.tolist() == [0.0]


@pytest.mark.parametrize("time_step", [0.0, 0.008])
def test_a_scenario_without_drivers_runs_as_in_hardware_sim(time_step):
    scenario = arm("{simulation_duration: 0.4}")
    scenario.model_drivers.clear()
    scenario.plant_config.time_step = time_step
    simulation = Simulation(scenario)
    results = simulation.run()
    assert results.signals == {}
    assert results.time[-1] == pytest.approx(0.4)
    # The same plant, stepped by Drake alone.
    diagram = wm.build_diagram(scenario)
    simulator = Simulator(diagram)
    ApplySimulatorConfig(scenario.simulator_config, simulator)
    simulator.AdvanceTo(0.4)
    ends = [
        plant.GetPositions(plant.GetMyContextFromRoot(s.get_context()))
        for plant, s in (
            (simulation.plant, simulation.simulator),
            (diagram.GetSubsystemByName("plant"), simulator),
        )
    ]
    # The integrator of a continuous plant stops at other times.
    np.testing.assert_allclose(*ends, atol=1e-12 if time_step else 1e-9)


@pytest.mark.parametrize("controller", [False, True])
def test_a_run_without_end_goes_on_until_it_is_interrupted(controller):
    simulation = Simulation(arm("{simulation_duration: .inf}"))

    def interrupt(now: float, end: float) -> None:
        assert end == math.inf
        if now >= 3.0:
            raise KeyboardInterrupt

    if controller:
        with RobotSession(simulation) as session:
            robot = session.robot("arm")
            while robot.step(8) != -1 and robot.getTime() < 3.0:
                pass
            assert session.results().time[-1] == pytest.approx(3.0)
        return
    with pytest.raises(KeyboardInterrupt):
        simulation.run(progress=interrupt)
    assert simulation.results().time[-1] == pytest.approx(3.0)


def test_a_warning_that_repeats_is_issued_once_and_counted():
    # Two commands too fast for the motor.
    scenario = arm(
        "{simulation_duration: 0.096, model_drivers: {arm: {commands: ["
        "{time: 0, motor: elbow motor, set_velocity: 9},"
        "{time: 0.05, motor: elbow motor, set_velocity: 9}]}}}"
    )
    with pytest.warns(MotorWarning) as caught:
        results = run(scenario)
    text = "elbow motor: requested velocity 9 exceeds max_velocity 2 rad/s"
    assert [str(w.message) for w in caught] == [f"{text} (2 times)"]
    assert results.metadata["warnings"] == {text: 2}


@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
def test_a_failure_names_the_time_the_joint_and_the_motor():
    # Squares of 1e300 are infinite: the next step cannot be computed.
    with pytest.raises(SimulationError) as caught:
        run(exploding())
    told = str(caught.value)
    assert told.startswith("at 0.2")
    assert "joint hinge of motor arm/hinge motor" in told
    assert told.isprintable()


@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
def test_a_failure_keeps_what_was_simulated(tmp_path):
    with pytest.raises(SimulationError) as caught:
        run(exploding())
    caught.value.results.save(tmp_path)
    results = wm.Results.load(tmp_path)
    # 0.2 s are 25 periods of 8 ms.
    assert results.time[:26] == pytest.approx(np.arange(26) * 0.008)
    assert results.time[-1] < 0.25
    assert np.isfinite(results["arm/hinge motor/position"][:26]).all()


def test_a_failure_in_the_first_step_has_the_start_alone():
    # No row had been logged when it happened.
    scenario = arm("{initial_position: {arm: {elbow: [1e308]}}}")
    with pytest.raises(SimulationError, match=r"^at 0 s ") as caught:
        run(scenario)
    assert caught.value.results.time.tolist() == [0]


BESIDE = """
Beside:
  simulation_duration: 1.0
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  - add_model: {name: loose, file: loose.sdf}
  - add_weld: {parent: world, child: loose::base}
  initial_position: {loose: {hinge: [0.1]}}
  model_drivers:
    arm: !WebotsMotorDriver
      drive: DRIVE
      motors: {m: !RotationalMotor {joint: hinge}}
"""


# A pendulum on a spring too stiff for the step.
LOOSE = """
<sdf version='1.9'><model name='loose'>
  <link name='base'/>
  <link name='link'><inertial>
    <pose>0 0 -0.25 0 0 0</pose>
    <mass>1</mass>
    <inertia><ixx>0.02093</ixx><iyy>0.02093</iyy><izz>0.0002</izz></inertia>
  </inertial></link>
  <joint name='hinge' type='revolute'>
    <parent>base</parent><child>link</child>
    <axis>
      <xyz>0 1 0</xyz>
      <limit><effort>0</effort></limit>
      <dynamics><spring_stiffness>1e7</spring_stiffness></dynamics>
    </axis>
  </joint>
</model></sdf>
"""


def beside_a_loose_end(folder, drive="torque"):
    """Returns an arm beside one that breaks."""
    (folder / "loose.sdf").write_text(LOOSE)
    file = folder / "beside.scenario.yaml"
    file.write_text(BESIDE.replace("DRIVE", drive))
    return load_scenario(file)


@pytest.mark.parametrize("drive", ["torque", "implicit", "kinematic"])
def test_a_joint_without_a_motor_that_breaks_is_named(tmp_path, drive):
    with pytest.raises(SimulationError) as caught:
        run(beside_a_loose_end(tmp_path, drive))
    told = str(caught.value)
    assert told.endswith("s the velocity of joint hinge of model loose is nan")
    assert "arm" not in told  # its motor is as well as ever
    assert 0.2 < caught.value.results.time[-1] < 0.5


def test_controllers_end_where_the_state_breaks(tmp_path):
    with RobotSession(beside_a_loose_end(tmp_path, "implicit")) as session:
        with pytest.raises(SimulationError, match="joint hinge of model loose"):
            while session.step(8) != -1:
                pass
        assert session.time < 0.5
        # What was simulated is there.
        assert 0.2 < session.results().time[-1] < 0.5


def test_ctrl_c_leaves_what_was_simulated():
    # The command line saves it.
    simulation = Simulation(arm())

    def press(now, end):
        if now > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulation.run(progress=press)
    # The rows end with the last motor period that did, 8 ms each.
    assert 0.19 < simulation.results().time[-1] < 0.21


def test_a_simulation_without_end_can_be_built_and_stepped_by_others():
    # A diagram has no end; only a run needs one.
    scenario = arm("{simulation_duration: .inf}")
    assert math.isinf(scenario.simulation_duration)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wm.build_diagram(scenario)


# Motor periods of one and of four plant steps, the implicit drive, a continuous plant.
PUBLISHING = {
    "one": "{}",
    "four": "{plant_config: {time_step: 0.002}}",
    "sampled": "{visualization: {enable_meshcat_creation: false}}",
    "implicit": "{model_drivers: {arm: {drive: implicit}}}",
    "continuous": "{plant_config: {time_step: 0}, model_drivers: {arm:"
    " {basic_time_step: 0.008}}}",
}


def publishing(text: str, publish: str) -> Simulation:
    loaded = load_scenario(ARM, text=text)
    loaded.simulation_duration = 0.4
    loaded.model_drivers["arm"].basic_time_step = 0.008
    if publish == "every step":
        if not hasattr(loaded.simulator_config, "publish_every_time_step"):
            pytest.skip("this Drake has no such setting")
        loaded.simulator_config.publish_every_time_step = True
    return Simulation(loaded)


@pytest.mark.parametrize("kind", PUBLISHING)
@pytest.mark.parametrize("publish", ["every step", "by force"])
def test_more_samples_than_steps_do_not_shift_the_rows(kind, publish):
    plain = publishing(PUBLISHING[kind], "").run()
    simulation = publishing(PUBLISHING[kind], publish)
    if publish == "every step":
        results = simulation.run()
    else:
        system = simulation.simulator.get_system()
        for time in np.linspace(0.003, 0.4, 67):
            simulation.advance_to(time)
            system.ForcedPublish(simulation.simulator.get_context())
        results = simulation.results()
    np.testing.assert_array_equal(results.time, plain.time)
    for name, values in plain.signals.items():
        # Stops between steps cost a continuous plant the last digits.
        exact = 0 if kind != "continuous" or publish == "every step" else 1e-6
        np.testing.assert_allclose(results[name], values, rtol=0, atol=exact)


@pytest.mark.parametrize(
    ("duration", "end"), [(0.1, 0.096), (0.05, 0.048), (0.109, 0.104)]
)
def test_a_duration_that_no_step_ends_with_is_told_once(duration, end):
    scenario = load_scenario(
        SCENARIOS / "pendulum.scenario.yaml",
        name="Lift",
        text=f"{{simulation_duration: {duration}}}",
    )
    with pytest.warns(MotorWarning) as caught:
        results = run(scenario)
    (told,) = results.metadata["warnings"]
    assert [str(w.message) for w in caught] == [told]
    assert told == (
        f"simulation_duration: {duration} s is not a multiple of the motor period of"
        f" 0.008 s; the results end at {end} s"
    )
    assert results.time[-1] == pytest.approx(end)


def test_a_page_in_which_nobody_pulls_changes_no_bit():
    alone, watched = (
        Simulation(arm(), by_hand=by_hand).run() for by_hand in (False, True)
    )
    for signal, values in alone.signals.items():
        np.testing.assert_array_equal(watched[signal], values)


@pytest.mark.filterwarnings("ignore:robot. it starts inside")
@pytest.mark.parametrize("name", ["quadruped", "six_axis"])
def test_motors_of_a_run_read_its_plant_in_place_to_the_same_bits(
    name, monkeypatch
):
    scenario = load_scenario(f"package:{name}")
    asked = Simulation(scenario)
    for motors in asked.motors.values():
        motors.read_in_place(asked.start, asked._owned[0])  # of no run
    in_place = Simulation(scenario)
    for motors in in_place.motors.values():
        if motors.drive == "torque":
            monkeypatch.setattr(motors, "_state_port", None)  # nobody asks
    for simulation in (in_place, asked):
        simulation.advance_to(0.1)
        simulation.reset()
        simulation.advance_to(0.2)
    found, expected = in_place.results().positions, asked.results().positions
    np.testing.assert_array_equal(found, expected)
    assert np.ptp(found, axis=0).max() > 1e-6  # one only settles
