"""Wrong arguments in Python are told in one line, not by what breaks on them."""

import math
import pathlib

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

import webmotor_drake as wm
from webmotor_drake import InputError
from webmotor_drake.motor.driver_checks import check_driver

PENDULUM = "package:pendulum"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Makes a file with one short scenario."""
    file = tmp_path_factory.mktemp("one") / "lift.yaml"
    file.write_text(
        """\
Lift:
  simulation_duration: 0.08
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        m: !RotationalMotor {joint: hinge}
      commands:
      - {time: 0, motor: m, set_position: 1}
"""
    )
    return file


def arm(number=1):
    """Returns a builder, a plant and the models of pendulums in it."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.008)
    models = []
    for i in range(number):
        parser = Parser(plant, f"arm{i}")
        wm.add_packages(parser.package_map())
        url = "package://webmotor_models/pendulum.urdf"
        models += parser.AddModelsFromUrl(url)
        base = plant.GetFrameByName("base", models[-1])
        plant.WeldFrames(plant.world_frame(), base)
    return builder, plant, models


DRIVER = wm.WebotsMotorDriver(motors={"m": wm.RotationalMotor(joint="hinge")})


@pytest.mark.parametrize("kind", [str, pathlib.Path])
def test_a_file_runs_without_being_loaded_before(kind, file):
    results = wm.run(kind(file))
    assert results.time[-1] == pytest.approx(0.08)
    by_hand = wm.run(wm.load_scenario(file))
    assert np.array_equal(results["arm/m/position"], by_hand["arm/m/position"])


def test_what_takes_a_scenario_takes_its_file(file):
    assert wm.build_diagram(file).HasInputPort("arm.target_position")
    with wm.RobotSession(file) as session:
        assert session.robot("arm").getDevice("m").getMaxTorque() == 10
    assert wm.compare(str(file), ["webots"]).results["webots"].motors


@pytest.mark.parametrize(
    "take", [wm.run, wm.compare, wm.build_diagram, wm.RobotSession]
)
def test_what_is_no_scenario_is_told(take):
    with pytest.raises(InputError, match="a Scenario is needed.*got a NoneTy"):
        take(None)
    with pytest.raises(InputError, match="give the name of one: Lift, Turn"):
        take(PENDULUM)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"text": {"simulation_duration": 1}}, "text: a text in YAML"),
        ({"name": 3}, "name: a text is needed, got a int"),
        ({"overlay": {}}, "overlay: the name of a file is needed, got a dict"),
        ({"file": None}, "file: the name of a file is needed, got a NoneType"),
    ],
)
def test_load_scenario_tells_an_argument_of_a_wrong_type(arguments, told):
    with pytest.raises(InputError) as caught:
        wm.load_scenario(**{"file": PENDULUM, "name": "Lift", **arguments})
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("simulation_duration", "1", "'1' is of type str; a number is"),
        ("simulation_duration", None, "None is of type NoneType; a number"),
        ("random_seed", 1.5, "1.5 is of type float; a whole number is"),
        ("directives", None, "None is of type NoneType; a list is allowed"),
        ("plant_config", {"time_step": 1}, "a MultibodyPlantConfig is"),
        ("model_drivers", {"arm": None}, "None is not a driver"),
        (
            "initial_position",
            {"arm": {"hinge": 0.1}},
            "0.1 is of type float; an array of numbers or a Uniform or",
        ),
        ("simulation_duratio", 1.0, "did you mean simulation_duration?"),
    ],
)
def test_a_field_of_a_scenario_set_wrongly_is_told(field, value, told, file):
    scenario = wm.load_scenario(file)
    setattr(scenario, field, value)
    for take in wm.run, wm.build_diagram, wm.compare:
        with pytest.raises(InputError) as caught:
            take(scenario)
        message = str(caught.value)
        assert field in message and told in message
        assert "\n" not in message


def test_a_misspelt_attribute_of_a_node_is_refused_as_in_yaml():
    motor = wm.RotationalMotor(joint="hinge")
    motor.max_torqe = 1
    driver = wm.WebotsMotorDriver(motors={"m": motor})
    with pytest.raises(InputError) as caught:
        check_driver(driver)
    assert str(caught.value).startswith(
        "motors.m.max_torqe: unknown field 'max_torqe'; did you mean max_torque?"
    )
    driver.motors = {"m": wm.RotationalMotor(joint="hinge")}
    driver.cmf = 1e-4
    with pytest.raises(InputError, match="did you mean cfm?"):
        check_driver(driver)


def test_a_study_with_a_misspelt_field_is_refused(file, tmp_path):
    study = wm.Study(parameters={"plant_config.time_step": [0.008, 0.004]})
    study.metric = ["overshoot"]
    with pytest.raises(InputError, match="did you mean metrics?"):
        wm.run_study(file, study, tmp_path / "out")


def test_a_model_may_be_given_by_its_index():
    builder, plant, (model,) = arm()
    wm.configure_actuators(DRIVER, model, plant)
    plant.Finalize()
    motors = wm.ApplyDriverConfig(DRIVER, model, plant, builder=builder)
    assert motors.get_name() == f"{plant.GetModelInstanceName(model)}.motors"


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (ModelInstanceIndex(7), "no model has the index .*; the plant has 3"),
        ([ModelInstanceIndex(2)], "by its name or its ModelInstanceIndex, not"),
        ("leg", "unknown model 'leg'"),
    ],
)
def test_a_model_that_is_not_there_is_told(model, told):
    builder, plant, _ = arm()
    with pytest.raises(InputError, match=told):
        wm.configure_actuators(DRIVER, model, plant)
    plant.Finalize()
    with pytest.raises(InputError, match=told):
        wm.ApplyDriverConfig(DRIVER, model, plant, builder=builder)


def test_many_models_are_a_list_of_names_or_indices():
    builder, plant, models = arm(2)
    plant.Finalize()
    for one in "arm0", models[0]:
        with pytest.raises(InputError, match="is a list, of one model as well"):
            wm.ApplyDriverConfigToMany(DRIVER, one, plant, builder)
    motors = wm.ApplyDriverConfigToMany(DRIVER, models, plant, builder)
    names = [plant.GetModelInstanceName(model) for model in models]
    assert motors.devices.names == [f"{name}/m" for name in names]


def test_a_stepper_without_motors_or_simulator_is_told():
    builder, plant, (model,) = arm()
    plant.Finalize()
    motors = wm.ApplyDriverConfig(DRIVER, model, plant, builder=builder)
    diagram = builder.Build()
    simulator = Simulator(diagram)
    for wrong in plant, [motors]:
        with pytest.raises(InputError, match="the motors that ApplyDriverConf"):
            wm.MotorStepper(simulator, wrong)
    with pytest.raises(InputError, match="steps a Simulator.*not a Diagram"):
        wm.MotorStepper(diagram, motors)


@pytest.mark.parametrize("target", [1e308, -1.7e308, 1e101])
@pytest.mark.parametrize("multiplier", [1.0, 10.0])
def test_a_target_too_far_to_compute_with_is_told(target, multiplier):
    builder, plant, (model,) = arm()
    plant.Finalize()
    node = wm.RotationalMotor(
        joint="hinge", control_pid=[10, 1, 1], multiplier=multiplier
    )
    driver = wm.WebotsMotorDriver(motors={"m": node})
    motors = wm.ApplyDriverConfig(driver, model, plant, builder=builder)
    builder.ExportInput(motors.GetInputPort("target_position"), "target")
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = simulator.get_mutable_context()
    diagram.GetInputPort("target").FixValue(context, [target])
    with pytest.warns(wm.MotorWarning, match="is too far to compute with"):
        wm.MotorStepper(simulator, motors).step(200)
    # It goes that way as fast as it may, until its stop.
    q = plant.GetPositions(plant.GetMyContextFromRoot(context))
    assert np.isfinite(q).all()
    assert math.copysign(1, q[0]) == math.copysign(1, target)


def test_a_timed_target_too_far_is_refused_with_its_place():
    driver = wm.WebotsMotorDriver(
        motors=DRIVER.motors,
        commands=[wm.TimedCommand(motor="m", set_position=1e308)],
    )
    told = r"commands\[0\].set_position: 1e\+308 is not allowed"
    with pytest.raises(InputError, match=told):
        check_driver(driver)
