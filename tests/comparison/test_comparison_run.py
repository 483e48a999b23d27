"""One scenario under several models: the same task, and what came of it."""

import copy
import csv
import io
import math

import numpy as np
import pytest
from ode_here import has_ode

from webmotor_drake.comparison.compared_runs import Outcome
from webmotor_drake.comparison.comparison import Comparison
from webmotor_drake.comparison.comparison_run import ComparisonRun, compare
from webmotor_drake.comparison.known_models import NAMES
from webmotor_drake.engines.drake_controllers import PdEngine
from webmotor_drake.errors import InputError, MotorWarning, SimulationError
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.metrics import METRICS
from webmotor_drake.results.results import Results
from webmotor_drake.runner import run
from webmotor_drake.simulation import modelled_plant

SCENARIO = """
Test:
  simulation_duration: {duration}
  plant_config: {{time_step: {time_step}}}
  directives:
  - add_model:
      name: arm
      file: package://webmotor_models/{model}
  - add_weld: {{parent: world, child: arm::base}}
  initial_position: {{arm: {start}}}
  model_drivers:
    arm: !WebotsMotorDriver
      basic_time_step: 0.008
      motors: {motors}
      joints: {joints}
      commands: {commands}
"""
HINGE = "{motor: !RotationalMotor {joint: hinge, max_torque: 15}}"
RAIL = "{motor: !LinearMotor {joint: slider, max_force: 80, max_velocity: 9}}"
TO_HALF = "[{time: 0, motor: motor, set_position: 0.5}]"


# A spring and a network have no default.
MODELS = [
    name
    for name in NAMES
    if name not in ("series_elastic", "learned")
    and (name != "ode" or has_ode())
]
DYNAMIC = [name for name in MODELS if name != "webots_kinematic"]


@pytest.fixture
def scenario(tmp_path):
    """Makes scenarios: a pendulum that goes to 0.5 rad, but for `changes`."""

    def make(**changes):
        fields = {
            "duration": 0.4,
            "time_step": 0.008,
            "model": "pendulum.urdf",
            "start": "{}",
            "motors": HINGE,
            "joints": "{}",
            "commands": TO_HALF,
        }
        file = tmp_path / "test.scenario.yaml"
        file.write_text(SCENARIO.format(**{**fields, **changes}))
        return load_scenario(file)

    return make


def position(comparison: Comparison, model: str) -> np.ndarray:
    return comparison.results[model]["arm/motor/position"]


def test_every_model_runs_a_pendulum_and_gets_near_its_target(scenario):
    comparison = compare(scenario(duration=1.2), MODELS)
    assert list(comparison.outcomes) == MODELS
    assert not comparison.errors
    for model in MODELS:
        # PD actuators without an integral sag by load / kp, about 0.01 rad.
        assert position(comparison, model)[-1] == pytest.approx(0.5, abs=0.02)
        assert len(comparison.results[model].time) == 151
        about = comparison.results[model].motor_metadata("arm/motor")
        assert about["drive"]


def test_identical_models_differ_by_exactly_nothing(scenario):
    names = ["webots", "drake_pd", *(["ode"] if has_ode() else [])]
    for name in names:
        comparison = compare(scenario(), {"one": name, "two": name})
        for signal in ("position", "velocity", "effort"):
            found = comparison.largest_difference("two", "arm/motor", signal)
            assert found == 0.0
        assert comparison.row("two", "arm/motor")["position_difference"] == 0


BODIES = """
Thrown:
  simulation_duration: 0.4
  plant_config: {time_step: 0.008}
  recorded_bodies: {arm: [forearm]}
  directives:
  - add_model:
      name: arm
      file: package://webmotor_models/two_link_arm.urdf
  - add_weld: {parent: world, child: arm::base}
  - add_model:
      name: crate
      file: package://webmotor_models/crate.urdf
      default_free_body_pose:
        crate:
          translation: [5, 0, 9]
          rotation: !Rpy {deg: [20, 30, 40]}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {motor: !RotationalMotor {joint: shoulder, max_torque: 50}}
      joints: {elbow: {damping_constant: 0.5}}
      commands: [{time: 0, motor: motor, set_position: 0.5}]
"""


@pytest.mark.parametrize(
    "model", ["drake_pd", "ideal", *(["ode"] if has_ode() else [])]
)
def test_every_model_records_bodies_and_joints_without_motors(tmp_path, model):
    file = tmp_path / "thrown.scenario.yaml"
    file.write_text(BODIES)
    results = compare(file, ["webots", model]).results
    ours, theirs = results["webots"], results[model]
    assert theirs.signals.keys() == ours.signals.keys()
    assert theirs.metadata["positions"] == ours.metadata["positions"]
    for name, values in ours.signals.items():
        if name.startswith("crate/"):  # falls freely, by the same rule
            np.testing.assert_allclose(theirs[name], values, atol=1e-9)
        elif name.startswith(("arm/forearm/", "arm/elbow/")):
            assert np.isfinite(theirs[name]).all()
            assert np.ptp(theirs[name], axis=0).max() > 1e-3
    # A body is where the joints' positions have it.
    np.testing.assert_allclose(
        theirs["arm/elbow/position"], theirs.positions[:, 1], atol=1e-12
    )
    np.testing.assert_array_equal(
        theirs["crate/crate/position"], theirs.positions[:, -3:]
    )


def test_webots_is_what_run_gives(scenario):
    comparison = compare(scenario(), ["webots"])
    alone = run(scenario())
    for name, values in alone.signals.items():
        np.testing.assert_array_equal(
            comparison.results["webots"][name], values
        )


# All but that of which the limit falls with its speed.
STEADY = [name for name in DYNAMIC if name != "dc_motor"]


@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
@pytest.mark.parametrize("model", STEADY)
def test_a_direct_effort_is_the_same_for_every_model(scenario, model):
    # Beyond the limit: clipped to it in all of them, ideal included.
    commands = (
        "[{time: 0, motor: motor, set_torque: 1.5},"
        " {time: 0.1, motor: motor, set_torque: -50}]"
    )
    made = scenario(motors=HINGE.replace("15", "2"), commands=commands)
    results = compare(made, [model]).results[model]
    time, effort = results.time[1:], results["arm/motor/effort"][1:]
    np.testing.assert_array_equal(effort[time <= 0.104 + 1e-9], 1.5)
    np.testing.assert_array_equal(effort[time > 0.104 + 1e-9], -2.0)
    assert set(results["arm/motor/mode"]) == {2.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    "time_step", [0.008, pytest.param(0.002, marks=pytest.mark.slow)]
)
def test_springs_dampers_and_friction_are_in_every_model(scenario, time_step):
    # Without power only they and gravity act.
    made = scenario(
        duration=1.0,
        time_step=time_step,
        start="{hinge: [1.0]}",
        joints="{hinge: {spring_constant: 10, damping_constant: 0.3,"
        " static_friction: 0.2}}",
        commands="[{time: 0, motor: motor, set_available_torque: 0}]",
    )
    comparison = compare(made, DYNAMIC, reference="webots_torque")
    for model in DYNAMIC:
        if model == "ode" and time_step != 0.008:
            continue  # ODE steps with the motor period
        found = comparison.largest_difference(model, "arm/motor", "position")
        # ODE's coordinates make up 1 % of this swing of 1 rad; the solver's
        # softness lets friction creep by less.
        assert found < (0.02 if model == "ode" else 2e-3), model


def test_an_ideal_motor_knows_no_limit_but_that_of_power(scenario):
    commands = (
        "[{time: 0, motor: motor, set_position: 0.5},"
        " {time: 0.1, motor: motor, set_available_torque: 0.1},"
        " {time: 0.3, motor: motor, set_available_torque: 0}]"
    )
    made = scenario(motors=HINGE.replace("15", "0.2"), commands=commands)
    comparison = compare(made, ["webots", "ideal"])
    results = comparison.results["ideal"]
    limit = results["arm/motor/effort_limit"]
    assert set(limit) == {math.inf, 0.0}
    at = np.searchsorted(results.time, 0.29)
    # The law alone: by 1 - P h each step.
    steps = np.arange(at + 1)
    np.testing.assert_allclose(
        results["arm/motor/position"][: at + 1],
        0.5 * (1 - (1 - 0.08) ** steps),
        atol=1e-4,  # cfm times an effort of up to 50 N m a step
    )
    assert not results["arm/motor/saturated"].any()
    assert comparison.metrics["webots"]["arm/motor"]["rise_time"] == math.inf


@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
def test_coupled_motors_share_a_direct_effort_alike_in_every_model(scenario):
    # The right one applies -16 N, clipped to 10 N; then both seek a position.
    made = scenario(
        model="coupled_pair.urdf",
        motors="{grip::left: !LinearMotor {joint: left}, grip::right:"
        " !LinearMotor {joint: right, multiplier: -2, max_velocity: 20}}",
        commands="[{time: 0, motor: grip::left, set_force: 8},"
        " {time: 0.1, motor: grip::right, set_position: 0.01}]",
    )
    comparison = compare(made, [m for m in STEADY if m != "ode"])
    for results in comparison.results.values():
        forces = [
            results[f"arm/grip::{side}/effort"][3] for side in ("left", "right")
        ]
        assert forces == pytest.approx([8.0, -10.0])
        assert results["arm/grip::left/mode"][-1] == 0
    limit = comparison.results["ideal"]["arm/grip::left/effort_limit"]
    assert (limit[3], limit[-1]) == (10, math.inf)


def test_matched_gains_make_the_motors_p_the_slow_pole(scenario):
    # The other is the servo's: one motor period.
    made = scenario(model="lift.urdf", motors=RAIL)
    kp, kd = PdEngine(made).gains["arm/motor"]
    mass = 2.0
    assert np.roots([mass, kd, kp]) == pytest.approx([-1 / 0.008, -10.0])


def test_gains_given_are_those_used(scenario):
    comparison = compare(
        scenario(), ["drake_pd"], gains={"arm/motor": (50.0, 5.0)}
    )
    results = comparison.results["drake_pd"]
    assert results.motor_metadata("arm/motor")["gains"] == [50.0, 5.0]
    # Its effort is what PD makes of it: kp (target - q) - kd v at the new state.
    q, v = results["arm/motor/position"], results["arm/motor/velocity"]
    expected = np.clip(50 * (0.5 - q) - 5 * v, -15, 15)
    # Drake's solver takes the gains as they are, but for its regularisation.
    np.testing.assert_allclose(
        results["arm/motor/effort"][1:], expected[1:], rtol=1e-6, atol=1e-6
    )


def test_pd_actuators_follow_soft_limits_and_available_effort(scenario):
    made = scenario(
        duration=1.0,
        motors="{motor: !RotationalMotor {joint: hinge, max_torque: 15,"
        " max_position: 0.3}}",
        commands="[{time: 0, motor: motor, set_position: 2},"
        " {time: 0, motor: motor, set_available_torque: 3}]",
    )
    with pytest.warns(MotorWarning, match="soft limits"):
        results = compare(made, ["drake_pd"]).results["drake_pd"]
    assert results["arm/motor/position"].max() < 0.3
    assert np.abs(results["arm/motor/effort"]).max() <= 3 * (1 + 1e-9)
    assert results["arm/motor/saturated"].any()


@pytest.mark.parametrize("model", ["drake_pd", "inverse_dynamics"])
def test_drakes_controllers_do_velocity_control_too(scenario, model):
    made = scenario(
        commands="[{time: 0, motor: motor, set_position: .inf},"
        " {time: 0, motor: motor, set_velocity: 1.5}]"
    )
    results = compare(made, [model]).results[model]
    assert results["arm/motor/velocity"][-1] == pytest.approx(1.5, rel=0.15)
    assert set(results["arm/motor/mode"]) == {1.0}


@pytest.mark.slow
def test_a_plant_may_step_more_often_than_its_motors(scenario):
    for time_step in (0.008, 0.001):
        comparison = compare(scenario(time_step=time_step), DYNAMIC)
        for model in DYNAMIC:
            assert len(comparison.results[model].time) == 51
            assert position(comparison, model)[-1] > 0.4


def test_a_battery_is_drawn_in_every_model(scenario):
    made = scenario(duration=0.6)
    driver = copy.copy(made.model_drivers["arm"])
    driver.battery, driver.cpu_consumption = [5.0, 10.0, 0.0], 10.0
    made.model_drivers = {"arm": driver}
    models = ["webots", "drake_pd", *(["ode"] if has_ode() else [])]
    comparison = compare(made, models)
    for model in models:
        limit = comparison.results[model]["arm/motor/effort_limit"]
        assert limit[0] == 15
        assert limit[-1] == 0, model  # empty


def test_a_model_of_ones_own_is_one_function(scenario):
    def mine(scenario):
        results = run(scenario)
        half = {
            name: values * (0.5 if name.endswith("/position") else 1.0)
            for name, values in results.signals.items()
            if name.rpartition("/")[2] in ("position", "velocity", "effort")
        }
        return Results(results.time, half, {})

    comparison = compare(scenario(), ["webots", mine])
    assert list(comparison.results) == ["webots", "mine"]
    half = 0.5 * position(comparison, "webots")
    np.testing.assert_array_equal(position(comparison, "mine"), half)
    found = comparison.metrics["mine"]["arm/motor"]
    assert found["settling_time"] == math.inf
    assert found["rms_position_error"] > 0.1
    assert math.isnan(found["electrical_energy"])
    assert comparison.results["mine"].metadata["wall_time"] > 0


def test_rows_at_other_times_are_compared_by_straight_lines(scenario):
    def coarse(scenario):
        results = run(scenario)
        signals = {n: v[::5] for n, v in results.signals.items()}
        return Results(results.time[::5], signals, results.metadata)

    comparison = compare(scenario(), {"fine": "webots", "coarse": coarse})
    found = comparison.difference("coarse", "arm/motor", "position")
    assert len(found.value) == 11
    # The rows are the same ones, interpolated at themselves.
    np.testing.assert_allclose(found.value, 0, atol=1e-15)


def broken(scenario):
    error = SimulationError("at 0.1 s it broke")
    results = run(scenario)
    rows = results.time <= 0.1
    signals = {n: v[rows] for n, v in results.signals.items()}
    error.results = Results(results.time[rows], signals, results.metadata)
    raise error


def test_a_model_that_fails_is_a_row_and_the_others_go_on(scenario, tmp_path):
    def worse(scenario):
        return 1 / 0

    comparison = compare(scenario(), ["webots", broken, worse, "drake_pd"])
    assert comparison.errors == {
        "broken": "at 0.1 s it broke",
        "worse": "ZeroDivisionError: division by zero",
    }
    assert list(comparison.results) == ["webots", "broken", "drake_pd"]
    assert comparison.results["broken"].time[-1] < 0.11
    rows = list(csv.DictReader(io.StringIO(comparison.csv())))
    assert [row["model"] for row in rows] == [
        "webots",
        "broken",
        "worse",
        "drake_pd",
    ]
    assert rows[1]["status"] == "failed: at 0.1 s it broke"
    assert rows[2]["rise_time"] == ""
    assert "worse failed: ZeroDivisionError" in comparison.table()
    comparison.save(tmp_path / "out")
    saved = Results.load(tmp_path / "out" / "broken")
    assert saved.time[-1] < 0.11


def test_where_the_reference_fails_the_targets_are_anothers(scenario):
    comparison = compare(scenario(), [broken, "webots"])
    assert comparison.reference == "broken"
    assert comparison.targets["arm/motor"][0].end == pytest.approx(0.4)
    found = comparison.difference("webots", "arm/motor", "position")
    assert len(found.value) == 13
    assert not found.value.any()


def test_a_model_that_returns_something_else_says_so(scenario):
    comparison = compare(scenario(), {"webots": "webots", "mine": lambda s: 3})
    assert comparison.errors == {
        "mine": "it returned a int; Results are needed"
    }


def test_results_that_say_nothing_of_their_motors_need_others(scenario):
    def bare(scenario):
        return Results([0.0, 1.0], {"arm/motor/position": [0.0, 1.0]}, {})

    comparison = compare(scenario(), [bare])
    assert "say nothing of their motors" in comparison.errors["bare"]
    assert comparison.csv().count("\n") == 2


def test_the_csv_has_a_row_a_model_and_motor(scenario):
    comparison = compare(scenario(), ["webots", "drake_pd"])
    rows = list(csv.reader(io.StringIO(comparison.csv())))
    assert rows[0] == [
        "model",
        "motor",
        *METRICS,
        "position_difference",
        "velocity_difference",
        "status",
    ]
    assert [row[:2] for row in rows[1:]] == [
        ["webots", "arm/motor"],
        ["drake_pd", "arm/motor"],
    ]
    column = rows[0].index("peak_effort")
    found = comparison.metrics["webots"]["arm/motor"]["peak_effort"]
    assert float(rows[1][column]) == found


def test_metrics_of_ones_own_are_in_table_csv_and_report(scenario):
    def reach(results):
        return results["arm/motor/position"].max()

    comparison = compare(
        scenario(), ["webots", "ideal"], metrics={"reach <b>": reach}
    )
    for name in ("webots", "ideal"):
        expected = reach(comparison[name])
        assert comparison.own_values(name) == {"reach <b>": expected}
        frame = comparison.to_dataframe()
        assert frame.loc[(name, "arm/motor"), "reach <b>"] == expected
    header, first, *_ = csv.reader(io.StringIO(comparison.csv()))
    assert header[-2:] == ["reach <b>", "status"]
    assert float(first[-2]) == reach(comparison["webots"])
    assert comparison.table().splitlines()[0].endswith("reach <b>")
    assert "reach &lt;b&gt;" in comparison.html()


def test_a_model_for_which_a_metric_fails_has_failed(scenario):
    values = [1.0]

    def odd(results):
        return values.pop()

    models = {"one": "webots", "two": "ideal"}
    comparison = compare(scenario(), models, metrics={"odd": odd})
    assert comparison.own_values("one") == {"odd": 1.0}
    assert math.isnan(comparison.own_values("two")["odd"])
    error = comparison.errors["two"]
    assert error == "metric odd: IndexError: pop from empty list"
    assert "two" in comparison.results


@pytest.mark.parametrize("name", ["overshoot", "status", "position_difference"])
def test_a_metric_with_a_taken_name_is_refused(scenario, name):
    with pytest.raises(InputError, match=f"{name} is taken"):
        compare(scenario(), metrics={name: lambda results: 1.0})


def test_the_table_has_a_line_a_motor_and_model(scenario):
    table = compare(scenario(), ["webots", "drake_pd"]).table().splitlines()
    assert table[0].split()[:3] == ["motor", "model", "rise"]
    assert [line.split()[1] for line in table[1:3]] == ["webots", "drake_pd"]
    assert table[3] == "differences are to webots"


def test_saving_writes_page_table_and_a_folder_a_model(scenario, tmp_path):
    comparison = compare(scenario(), ["webots", "drake_pd"])
    comparison.save(tmp_path / "new" / "out")
    files = sorted(
        str(path.relative_to(tmp_path / "new" / "out"))
        for path in (tmp_path / "new" / "out").rglob("*")
        if path.is_file()
    )
    assert files == [
        "compare.csv",
        "drake_pd/run.json",
        "drake_pd/run.npz",
        "report.html",
        "webots/run.json",
        "webots/run.npz",
    ]


def test_a_warning_that_all_models_have_is_given_once(scenario):
    limited = HINGE.replace("15", "15, max_position: 1")
    with pytest.warns(MotorWarning) as caught:
        compare(
            scenario(motors=limited, commands=TO_HALF.replace("0.5", "9")),
            ["webots", "drake_pd", "webots_torque"],
        )
    texts = [str(warning.message) for warning in caught]
    assert len(texts) == len(set(texts))
    assert any("outside its soft limits" in text for text in texts)


@pytest.mark.parametrize("model", ["webots", "drake_pd"])
def test_the_model_that_is_interrupted_keeps_what_it_simulated(scenario, model):
    def press(name, time, end):
        if time > 0.1:
            raise KeyboardInterrupt

    ready = ComparisonRun(scenario(), [model])
    with pytest.raises(KeyboardInterrupt):
        ready.run(progress=press)
    outcome = ready.comparison().outcomes[model]
    assert outcome.error.startswith("interrupted at 0.")
    assert 0.05 < outcome.results.time[-1] < 0.2


def test_an_interrupted_run_keeps_what_is_done(scenario):
    def interrupt(scenario):
        raise KeyboardInterrupt

    ready = ComparisonRun(scenario(), ["webots", interrupt, "drake_pd"])
    with pytest.raises(KeyboardInterrupt):
        ready.run()
    comparison = ready.comparison()
    assert list(comparison.results) == ["webots"]
    assert comparison.errors == {
        "interrupt": "it did not run",
        "drake_pd": "it did not run",
    }


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        (
            ["webotz"],
            {},
            "unknown model 'webotz'; did you mean webots? (known: ",
        ),
        ([], {}, "no model to compare (known: webots, "),
        (["webots", "webots"], {}, "model 'webots' is there twice"),
        ({"a/b": "webots"}, {}, "model name 'a/b'; letters"),
        ({".": "webots"}, {}, "model name '.'; letters"),
        ([3], {}, "model 'int' is a int; a name or a function"),
        (["webots"], {"reference": "ode"}, "unknown reference model 'ode'"),
        (
            ["webots"],
            {"gains": {"arm/motor": (1, 1)}},
            "gains are for drake_pd",
        ),
        (
            ["drake_pd"],
            {"gains": {"arm/motr": (1, 1)}},
            "gains: unknown motor 'arm/motr'; did you mean arm/motor?",
        ),
        (
            ["drake_pd"],
            {"gains": {"arm/motor": (-1, 1)}},
            "gains.arm/motor: (-1, 1) is not allowed; must be [kp, kd] from 0 on",
        ),
        (
            ["drake_pd"],
            {"gains": {"arm/motor": [0, 0]}},
            "gains.arm/motor: [0, 0] is not allowed",
        ),
        (
            ["drake_pd"],
            {"gains": {"arm/motor": 7}},
            "gains.arm/motor: 7 is not allowed",
        ),
    ],
)
def test_bad_choices_are_one_clear_line(scenario, models, options, message):
    with pytest.raises(InputError) as error:
        compare(scenario(), models, **options)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_scenario_without_targets_is_refused_at_its_line(scenario):
    with pytest.raises(InputError) as error:
        compare(scenario(commands="[]"), ["webots"])
    assert "test.scenario.yaml:" in str(error.value)
    assert "no motor has a target to compare by" in str(error.value)


def test_a_scenario_with_a_controller_is_refused(scenario):
    made = scenario()
    made.model_drivers["arm"].controller = "my_controller.py"
    with pytest.raises(InputError, match="compare runs no controllers"):
        compare(made, ["webots"])


def test_drakes_controllers_need_a_discrete_plant(scenario):
    for model in ("drake_pd", "inverse_dynamics", "ideal"):
        with pytest.raises(InputError, match=f"{model} needs a discrete plant"):
            compare(scenario(time_step=0), [model])


def test_a_solver_that_ignores_the_actuators_gains_is_refused(scenario):
    made = scenario()
    made.plant_config.discrete_contact_approximation = "tamsi"
    with pytest.raises(InputError, match="tamsi ignores the actuators' own"):
        compare(made, ["drake_pd"])


def test_inverse_dynamics_needs_a_motor_everywhere(scenario):
    made = scenario(
        model="two_link_arm.urdf",
        motors="{motor: !RotationalMotor {joint: shoulder}}",
    )
    with pytest.raises(InputError) as error:
        compare(made, ["inverse_dynamics"])
    assert str(error.value) == (
        "inverse_dynamics needs a motor on every degree of freedom; joint"
        " elbow has none"
    )


def test_an_outcome_without_results_is_no_trouble(scenario):
    comparison = Comparison(
        scenario(), "webots", {"webots": Outcome(None, "it burnt")}
    )
    assert comparison.motors == []
    assert comparison.table() == (
        "webots failed: it burnt\ndifferences are to webots"
    )
    assert comparison.csv().splitlines()[1].endswith("failed: it burnt")


def test_each_model_builds_the_plant_once(scenario, monkeypatch):
    built, build = [], modelled_plant.AddMultibodyPlant

    def counted(**config):
        built.append(config)
        return build(**config)

    monkeypatch.setattr(modelled_plant, "AddMultibodyPlant", counted)
    models = ["webots", "drake_pd", "inverse_dynamics", "ideal"]
    ComparisonRun(scenario(), models)
    assert len(built) == len(models)
