"""The driver in somebody's own program, and what it refuses."""

import dataclasses as dc
import math
import re
import typing
from pathlib import Path

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from mechanisms import (
    Rig,
    driven,
    pendulum,
    slider,
)
from pydrake.common.yaml import yaml_load_typed
from pydrake.lcm import DrakeLcmParams
from pydrake.manipulation import ApplyDriverConfigs, ZeroForceDriver
from pydrake.multibody.parsing import (
    ModelDirective,
    ModelDirectives,
    Parser,
    ProcessModelDirectives,
)
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    MultibodyPlant,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import BallRpyJoint, ScrewJoint, UniversalJoint
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.lcm import ApplyLcmBusConfig
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake import add_packages
from webmotor_drake.data import SCENARIOS
from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake, JointParameters, PositionSensor
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

URDF = """<robot name="{name}">
  <link name="base"/>
  <link name="link"><inertial>
    <origin xyz="0 0 -0.25"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.0005" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="link"/><axis xyz="0 1 0"/>
    <limit effort="{effort}" lower="-3" upper="3"/>
  </joint>
  <transmission type="SimpleTransmission">
    <joint name="hinge"/><actuator name="hinge_actuator"/>
  </transmission>
</robot>"""

SDF = """<sdf version="1.7"><model name="{name}">
  <link name="base"/>
  <link name="link"><pose>0 0 -0.25 0 0 0</pose><inertial>
    <mass>1</mass>
    <inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.0005</izz></inertia>
  </inertial></link>
  <joint name="hinge" type="revolute">
    <parent>base</parent><child>link</child>
    <axis><xyz>0 1 0</xyz><limit><effort>{effort}</effort></limit></axis>
  </joint>
  <joint name="weld" type="fixed">
    <parent>world</parent><child>base</child>
  </joint>
</model></sdf>"""


# --- a program of hardware_sim's shape ---


@dc.dataclass
class Scenario:
    plant_config: MultibodyPlantConfig = dc.field(
        default_factory=MultibodyPlantConfig
    )
    directives: list[ModelDirective] = dc.field(default_factory=list)
    lcm_buses: dict[str, DrakeLcmParams] = dc.field(
        default_factory=lambda: {
            "default": DrakeLcmParams(lcm_url="memq://null")
        }
    )
    model_drivers: dict[
        str, typing.Union[WebotsMotorDriver, ZeroForceDriver]  # noqa: UP007
    ] = dc.field(default_factory=dict)


SCENARIO = """
plant_config: {{time_step: 0.002}}
directives:
- add_model: {{name: arm, file: "file://{arm}"}}
- add_weld: {{parent: world, child: arm::base}}
- add_model: {{name: idle, file: "file://{idle}"}}
- add_weld: {{parent: world, child: idle::base}}
model_drivers:
  arm: !WebotsMotorDriver
    basic_time_step: 0.016
    motors:
      elbow::motor: !RotationalMotor
        joint: hinge
        control_pid: [8, 0, 0]
        max_torque: 20
        max_position: .4
    joints:
      hinge: {{min_stop: -0.5, max_stop: 0.6}}
    commands:
    - {{time: 0.1, motor: "elbow::motor", set_position: 0.4}}
    - {{time: 1.5, motor: "elbow::motor", set_position: .inf}}
    - {{time: 1.5, motor: "elbow::motor", set_velocity: -0.5}}
  idle: !ZeroForceDriver {{}}
"""


def hardware_sim(text: str) -> tuple[Simulator, MultibodyPlant]:
    """Does what Drake's hardware_sim does, on Drake's public functions."""
    scenario = yaml_load_typed(schema=Scenario, data=text, defaults=Scenario())
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlant(scenario.plant_config, builder)
    models = ProcessModelDirectives(
        directives=ModelDirectives(directives=scenario.directives),
        parser=Parser(plant),
    )
    plant.Finalize()
    buses = ApplyLcmBusConfig(lcm_buses=scenario.lcm_buses, builder=builder)
    ApplyDriverConfigs(
        driver_configs=scenario.model_drivers,
        sim_plant=plant,
        models_from_directives=models,
        lcm_buses=buses,
        builder=builder,
    )
    return Simulator(builder.Build()), plant


@pytest.fixture
def scenario_text(tmp_path: Path) -> str:
    files = {}
    for name in ("arm", "idle"):
        files[name] = tmp_path / f"{name}.urdf"
        files[name].write_text(URDF.format(name=name, effort=50))
    return SCENARIO.format(**files)


@pytest.mark.filterwarnings("ignore:elbow..motor. no other")
def test_the_driver_works_in_a_program_of_hardware_sims_shape(scenario_text):
    # After Finalize, without configure_actuators.
    simulator, plant = hardware_sim(scenario_text)
    arm = plant.GetModelInstanceByName("arm")
    joint = plant.GetJointByName("hinge", arm)
    actuator = plant.GetJointActuatorByName("hinge_actuator", arm)
    assert actuator.effort_limit() == 20
    assert joint.position_lower_limits() == -0.5
    assert joint.position_upper_limits() == 0.6
    motors = simulator.get_system().GetSubsystemByName("arm.motors")
    assert isinstance(motors, MotorSystem)
    assert motors.period == 0.016
    plant_context = plant.GetMyContextFromRoot(simulator.get_context())

    simulator.AdvanceTo(0.1)
    assert abs(joint.get_angle(plant_context)) < 1e-6
    simulator.AdvanceTo(1.4)
    # The approach has decayed to exp(-8 * 1.3) of 0.4 rad.
    assert joint.get_angle(plant_context) == pytest.approx(0.4, abs=2e-5)
    simulator.AdvanceTo(1.6)
    # Slip: cfm times at most 20 N m.
    assert joint.get_angular_rate(plant_context) == pytest.approx(
        -0.5, abs=2.1e-4
    )


def test_a_union_without_the_driver_or_a_field_without_a_name_is_drakes_matter(
    scenario_text,
):
    with pytest.raises(Exception, match="no_such_field"):
        hardware_sim(scenario_text.replace("control_pid", "no_such_field"))


# --- three lines in a diagram of one's own ---


def test_the_motors_are_a_named_system_connected_to_the_plant():
    builder, plant, motors = driven(
        pendulum(0.008),
        WebotsMotorDriver(motors={"m": RotationalMotor("hinge")}),
    )
    assert motors.get_name() == f"{MODEL}.motors"
    instance = plant.GetModelInstanceByName(MODEL)
    assert builder.IsConnectedOrExported(
        plant.get_actuation_input_port(instance)
    )
    for name in (
        "plant_state",
        "target_position",
        "target_velocity",
        "available_effort",
        "direct_effort",
    ):
        assert motors.HasInputPort(name)
    for name in ("actuation", "effort", "command", "servo"):
        assert motors.HasOutputPort(name)


@pytest.mark.parametrize("time_step", [0.008, 0.002])
def test_the_motor_period_is_the_plants_step_unless_given(time_step):
    config = WebotsMotorDriver(motors={"m": RotationalMotor("hinge")})
    assert driven(pendulum(time_step), config)[2].period == time_step
    config.basic_time_step = 0.016
    assert driven(pendulum(time_step), config)[2].period == 0.016


# --- what is refused ---


def good() -> WebotsMotorDriver:
    return WebotsMotorDriver(
        motors={"m": RotationalMotor("hinge")},
        joints={"hinge": JointParameters(spring_constant=1.0)},
        commands=[TimedCommand(motor="m", set_position=0.5)],
    )


def error_of(
    config: WebotsMotorDriver, plant: MultibodyPlant | None = None
) -> str:
    with pytest.raises(InputError) as caught:
        driven(plant or pendulum(0.005), config)
    return str(caught.value)


def two_joints() -> MultibodyPlant:
    """Returns a hinge and a rail, a ball joint and a hinge without actuator."""
    plant = new_plant(0.005)
    add_joint(plant, "hinge", add_body(plant, "link"))
    add_joint(plant, "rail", add_body(plant, "carriage"), sliding=True)
    add_joint(plant, "free", add_body(plant, "flap"), effort_limit=None)
    plant.AddJoint(
        BallRpyJoint(
            "ball", plant.world_frame(), add_body(plant, "bob").body_frame()
        )
    )
    return plant


def test_a_joint_that_does_not_exist_lists_those_that_do():
    config = WebotsMotorDriver(motors={"m": RotationalMotor("hing")})
    assert error_of(config, two_joints()) == (
        "motors.m.joint: unknown revolute or prismatic joint 'hing'; did you"
        " mean hinge? (known: hinge, rail, free)"
    )


def test_a_joint_of_three_degrees_of_freedom_has_no_motor():
    config = WebotsMotorDriver(motors={"m": RotationalMotor("ball")})
    assert error_of(config, two_joints()).startswith(
        "motors.m.joint: ball is a ball_rpy joint; revolute and prismatic ones"
    )


@pytest.mark.parametrize(
    ("table", "node"),
    [("position_sensors", PositionSensor("rial")), ("brakes", Brake("rial"))],
)
def test_sensors_and_brakes_name_joints_that_exist(table, node):
    config = good()
    setattr(config, table, {"it": node})
    assert error_of(config, two_joints()).startswith(
        f"{table}.it.joint: unknown revolute or prismatic joint 'rial'; did"
    )


def test_parameters_of_a_joint_that_does_not_exist_list_those_that_do():
    config = good()
    config.joints = {"rial": JointParameters()}
    assert error_of(config, two_joints()) == (
        "joints.rial: unknown revolute or prismatic joint 'rial'; did you mean"
        " rail? (known: hinge, rail, free)"
    )


def test_drakes_apply_driver_configs_takes_subclasses():
    # In a module that has no ApplyDriverConfig, where Drake looks for it.
    own = type("Own", (WebotsMotorDriver,), {"__module__": "somewhere.else"})
    plant = pendulum(0.005)
    plant.Finalize()
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    driver = own(motors={"m": RotationalMotor("hinge")})
    ApplyDriverConfigs(
        driver_configs={MODEL: dc.replace(driver, cfm=1e-6)},
        sim_plant=plant,
        models_from_directives=[],
        lcm_buses=None,
        builder=builder,
    )
    assert builder.HasSubsystemNamed(f"{MODEL}.motors")
    assert own.__module__ == "somewhere.else"
    assert driver == own(motors={"m": RotationalMotor("hinge")})


@pytest.mark.parametrize(
    ("kind", "name"), [(UniversalJoint, "universal"), (ScrewJoint, "screw")]
)
def test_a_joint_of_another_kind_is_named_as_what_it_is(kind, name):
    plant = pendulum(0.005)
    frames = plant.world_frame(), add_body(plant, "wrist").body_frame()
    if kind is ScrewJoint:
        plant.AddJoint(ScrewJoint("j", *frames, [0, 0, 1], 0.1, 0.0))
    else:
        plant.AddJoint(UniversalJoint("j", *frames))
    with pytest.raises(InputError) as caught:
        driven(plant, WebotsMotorDriver(motors={"m": RotationalMotor("j")}))
    assert str(caught.value) == (
        f"motors.m.joint: j is a {name} joint; revolute and prismatic ones are"
        " driven: hinge"
    )


def test_a_finalized_joint_without_actuator_says_which_call_is_missing():
    plant = two_joints()
    plant.Finalize()
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    config = WebotsMotorDriver(motors={"m": RotationalMotor("free")})
    with pytest.raises(InputError) as caught:
        ApplyDriverConfig(config, MODEL, plant, builder=builder)
    assert str(caught.value) == (
        "motors.m.joint: joint free has no actuator (a model without one, or"
        " with an effort limit of 0, leaves a joint passive); call"
        " configure_actuators, which adds it, before the plant's Finalize"
    )


@pytest.mark.parametrize(
    ("text", "suffix"), [(URDF, "urdf"), (SDF, "sdf")], ids=["urdf", "sdf"]
)
def test_a_motor_overrules_an_effort_limit_of_0_in_the_model(text, suffix):
    # Drake leaves the actuator out: as if the model had none.
    plant = MultibodyPlant(0.005)
    Parser(plant).AddModelsFromString(text.format(name=MODEL, effort=0), suffix)
    config = WebotsMotorDriver(
        motors={"m": RotationalMotor("hinge", max_torque=7.0)}
    )
    _, _, motors = driven(plant, config)
    assert motors.model.brought == [True]
    assert motors.model.named[0].model_effort == math.inf
    assert motors.model.named[0].actuator.effort_limit() == 7


@pytest.mark.parametrize(
    ("text", "suffix"), [(URDF, "urdf"), (SDF, "sdf")], ids=["urdf", "sdf"]
)
def test_a_model_with_an_effort_limit_takes_a_motor(text, suffix):
    plant = MultibodyPlant(0.005)
    Parser(plant).AddModelsFromString(
        text.format(name=MODEL, effort=30), suffix
    )
    _, _, motors = driven(
        plant, WebotsMotorDriver(motors={"m": RotationalMotor("hinge")})
    )
    assert motors.model.named[0].model_effort == 30


@pytest.mark.parametrize(
    ("motor", "problem"),
    [
        (
            LinearMotor("hinge"),
            "a LinearMotor cannot drive the revolute joint hinge; a prismatic"
            " joint is allowed",
        ),
        (
            RotationalMotor("rail"),
            "a RotationalMotor cannot drive the prismatic joint rail; a"
            " revolute joint is allowed",
        ),
    ],
)
def test_a_motor_has_to_fit_its_joint(motor, problem):
    config = WebotsMotorDriver(motors={"m": motor})
    assert error_of(config, two_joints()) == f"motors.m.joint: {problem}"


def test_a_joint_has_one_motor():
    config = good()
    config.motors["n"] = RotationalMotor("hinge")
    assert error_of(config) == (
        "motors.n.joint: joint hinge has the motor 'm' already; one is allowed"
    )


def test_an_unknown_model_lists_the_models_that_exist():
    plant = pendulum(0.005)
    plant.Finalize()
    with pytest.raises(InputError) as caught:
        ApplyDriverConfig(good(), "robt", plant, builder=DiagramBuilder())
    assert str(caught.value) == (
        "unknown model 'robt'; did you mean robot? (known: robot)"
    )


def test_a_connected_actuation_is_refused():
    plant = pendulum(0.005)

    def connect(builder, plant):
        builder.Connect(
            builder.AddSystem(ConstantVectorSource([0.0])).get_output_port(),
            plant.get_actuation_input_port(plant.GetModelInstanceByName(MODEL)),
        )

    with pytest.raises(InputError) as caught:
        driven(plant, good(), connect=connect)
    assert str(caught.value) == "the model's actuation is connected already"


def test_a_second_driver_for_a_model_is_refused():
    builder, plant, _ = driven(pendulum(0.005), good())
    with pytest.raises(
        InputError, match=r"^the model's actuation is connected"
    ):
        ApplyDriverConfig(good(), MODEL, plant, builder=builder)


def test_a_plant_that_is_not_finalized_is_refused():
    with pytest.raises(InputError, match="Finalize"):
        ApplyDriverConfig(
            good(), MODEL, pendulum(0.005), builder=DiagramBuilder()
        )


@pytest.mark.parametrize(
    ("period", "time_step", "message"),
    [
        (
            0.016,
            0.005,
            "0.016 s is not a multiple of the plant's time_step 0.005 s; one"
            " such as 0.015 s is allowed",
        ),
        (
            0.001,
            0.005,
            "0.001 s is not a multiple of the plant's time_step 0.005 s; one"
            " such as 0.005 s is allowed",
        ),
        (0.0, 0.005, "0.0 s is not allowed; must be a time above 0"),
        (-0.01, 0.005, "-0.01 s is not allowed; must be a time above 0"),
        (math.nan, 0.005, "nan is not allowed; must be a finite number"),
        (math.inf, 0.005, "inf is not allowed; must be a finite number"),
        (
            None,
            0.0,
            "a continuous plant (time_step 0) has no step to take it from; give"
            " the motor period in seconds",
        ),
    ],
)
def test_a_motor_period_that_cannot_be_is_refused(period, time_step, message):
    config = good()
    config.basic_time_step = period
    assert error_of(config, pendulum(time_step)) == (
        f"basic_time_step: {message}"
    )


@pytest.mark.parametrize(
    ("period", "time_step"), [(0.0333, 0.00111), (0.3, 0.1), (0.032, 0.001)]
)
def test_a_multiple_to_rounding_is_a_multiple(period, time_step):
    config = good()
    config.basic_time_step = period
    assert driven(pendulum(time_step), config)[2].period == period


@pytest.mark.parametrize(
    ("cfm", "allowed"),
    [
        (math.nan, "a finite number"),
        (math.inf, "a finite number"),
        (-1e-9, "at least 0"),
    ],
)
def test_cfm_is_a_number_from_0_on(cfm, allowed):
    config = good()
    config.cfm = cfm
    assert error_of(config) == f"cfm: {cfm} is not allowed; must be {allowed}"


def test_an_unknown_drive_lists_those_that_exist():
    config = good()
    config.drive = "torqe"
    assert error_of(config).startswith(
        "drive: unknown drive 'torqe'; did you mean torque? (known: auto,"
        " torque"
    )


def float_fields(node: object) -> list[str]:
    return [
        field.name
        for field in dc.fields(node)
        if isinstance(getattr(node, field.name), float)
    ]


@pytest.mark.parametrize("field", float_fields(RotationalMotor()))
def test_nan_in_a_field_of_a_motor_is_refused(field):
    config = good()
    setattr(config.motors["m"], field, math.nan)
    assert error_of(config) == (
        f"motors.m.{field}: nan is not allowed; must be a finite number"
    )


@pytest.mark.parametrize("field", float_fields(LinearMotor()))
def test_nan_in_a_field_of_a_linear_motor_is_refused(field):
    config = WebotsMotorDriver(motors={"m": LinearMotor("rail")})
    setattr(config.motors["m"], field, math.nan)
    assert error_of(config, slider(0.005)) == (
        f"motors.m.{field}: nan is not allowed; must be a finite number"
    )


@pytest.mark.parametrize("field", float_fields(JointParameters()))
def test_nan_in_a_field_of_a_joint_is_refused(field):
    config = good()
    setattr(config.joints["hinge"], field, math.nan)
    assert error_of(config) == (
        f"joints.hinge.{field}: nan is not allowed; must be a finite number"
    )


def test_negative_gains_are_refused():
    config = good()
    config.motors["m"].control_pid = [10.0, -1.0, 0.0]
    assert error_of(config) == (
        "motors.m.control_pid[1]: -1 is not allowed; must be at least 0"
    )


@pytest.mark.parametrize(
    ("section", "node"),
    [
        ("motors", RotationalMotor("hinge")),
        ("joints", JointParameters()),
        ("brakes", Brake("hinge")),
        ("position_sensors", PositionSensor("hinge")),
    ],
)
def test_an_entry_without_a_name_is_refused(section, node):
    # Nothing could command or read it.
    driver = WebotsMotorDriver(motors={"m": RotationalMotor("hinge")})
    setattr(driver, section, {**getattr(driver, section), "": node})
    with pytest.raises(InputError) as caught:
        driven(pendulum(0.008), driver)
    assert str(caught.value) == f"{section}: an entry without a name"


def test_the_diagram_is_needed():
    plant = pendulum(0.008)
    plant.Finalize()
    driver = WebotsMotorDriver(motors={"m": RotationalMotor("hinge")})
    with pytest.raises(InputError, match=r"^builder is needed"):
        ApplyDriverConfig(driver, MODEL, plant)


def test_a_bad_command_is_found_by_its_number():
    config = good()
    config.commands.append(TimedCommand(motor="n", set_position=0.5))
    assert error_of(config) == (
        "commands[1].motor: unknown motor 'n' (known: m)"
    )


def test_a_spring_without_actuator_says_which_call_is_missing():
    plant = two_joints()
    plant.Finalize()
    config = good()
    config.joints = {"free": JointParameters(spring_constant=1.0)}
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    with pytest.raises(InputError) as caught:
        ApplyDriverConfig(config, MODEL, plant, builder=builder)
    assert str(caught.value) == (
        "joints.free: the joint has no actuator to carry its spring, damper,"
        " friction, inertia or brake; call configure_actuators before the plant's"
        " Finalize"
    )


def test_a_refused_driver_leaves_the_diagram_usable():
    # Nothing is added before everything is checked.
    plant = pendulum(0.005)
    plant.Finalize()
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    bad = good()
    bad.motors["m"].control_pid = [-1.0, 0.0, 0.0]
    with pytest.raises(InputError):
        ApplyDriverConfig(bad, MODEL, plant, builder=builder)
    config = WebotsMotorDriver(motors={"m": RotationalMotor("hinge")})
    motors = ApplyDriverConfig(config, MODEL, plant, builder=builder)
    simulator = Rig(builder, plant, motors).simulator()
    simulator.AdvanceTo(0.02)
    assert np.isfinite(simulator.get_context().get_time())


def test_configure_actuators_after_finalize_is_refused():
    plant = pendulum(0.008)
    plant.Finalize()
    with pytest.raises(InputError, match=r"^configure_actuators comes before"):
        configure_actuators(good(), MODEL, plant)


def test_a_controller_that_will_not_run_is_told():
    plant = pendulum(0.008)
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    plant.Finalize()
    config = good()
    config.controller = "nowhere.py"
    with pytest.warns(MotorWarning, match="controller nowhere.py is not run"):
        ApplyDriverConfig(config, MODEL, plant, builder=builder)


@pytest.mark.parametrize(
    "file",
    # STL meshes of the extra's robots need our own reading of directives.
    [
        file
        for file in sorted(SCENARIOS.glob("*.scenario.yaml"))
        if "package://example-robot-data" not in file.read_text()
    ],
    ids=lambda f: f.name[:-14],
)
def test_one_line_makes_our_models_known_to_drakes_parser(file):
    # As hardware_sim's program does it: with its own Parser.
    text = file.read_text()
    scenario = load_scenario(file, name=re.findall(r"^(\w+):", text, re.M)[0])
    plant, _ = AddMultibodyPlant(scenario.plant_config, DiagramBuilder())
    parser = Parser(plant)
    add_packages(parser.package_map())
    directives = ModelDirectives(directives=scenario.directives)
    assert ProcessModelDirectives(directives=directives, parser=parser)
