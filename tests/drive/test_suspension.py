"""The suspension of hinges: Webots' spring and damper along an axis."""

import warnings
from importlib import metadata

import numpy as np
import pytest

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

K, D, MASS = 1000.0, 20.0, 1.5
MODEL = """<robot name="axle"><link name="frame"/>
<link name="wheel"><inertial><mass value="{mass}"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="{kind}"><parent link="frame"/><child link="wheel"/>
<origin rpy="0.5 0 0"/><axis xyz="0 1 0"/></joint>{more}</robot>"""
TRANSMISSION = """<transmission><type>transmission_interface/SimpleTransmission</type>
<joint name="hinge"/><actuator name="hinge"/></transmission>"""
TEXT = """
Hang:
  simulation_duration: 0.96
  plant_config: {{time_step: {step}}}
  directives:
  - add_model: {{name: axle, file: axle.urdf}}
  - add_weld: {{parent: world, child: axle::frame}}
  model_drivers:
    axle: !WebotsMotorDriver
      drive: {drive}
      motors: {{motor: !RotationalMotor {{joint: hinge}}}}
      joints:
        hinge:
          suspension_spring_constant: {k}
          suspension_damping_constant: 20
          suspension_axis: {axis}
      commands:
      - {{time: 0, motor: motor, set_position: .inf, set_velocity: 3}}
"""


@pytest.fixture
def made(tmp_path):
    def make(
        step=0.008,
        drive="auto",
        axis="[0, 0, 1]",
        k=K,
        kind="continuous",
        more="",
    ):
        text = MODEL.format(mass=MASS, kind=kind, more=more)
        (tmp_path / "axle.urdf").write_text(text)
        text = TEXT.format(step=step, drive=drive, axis=axis, k=k)
        (tmp_path / "hang.yaml").write_text(text)
        return Simulation(load_scenario(tmp_path / "hang.yaml"))

    return make


def sinking(step: float, steps: int) -> np.ndarray:
    """Returns where the wheel is after each step, m.

    ODE's spring and damper, by their ERP and CFM, are an implicit Euler step:
    -K (q + h v) - D v at the new velocity (webots: WbOdeUtilities.cpp).
    """
    q, v, way = 0.0, 0.0, []
    mass = MASS + 1e-3  # the hub's
    for _ in range(steps):
        v = (v - step * (9.81 + K * q / mass)) / (
            1 + step * D / mass + step**2 * K / mass
        )
        q += step * v
        way.append(q)
    return np.array(way)


@pytest.mark.parametrize("drive", ["torque", "implicit"])
@pytest.mark.parametrize("step", [0.008, 0.032])
def test_the_wheel_sinks_as_odes_and_its_motor_turns_it(made, step, drive):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation = made(step, drive)
    plant = simulation.plant
    slider = plant.GetJointByName("hinge_suspension")
    expected = sinking(step, round(0.96 / step))
    for k, q in enumerate(expected, start=1):
        simulation.advance_to(k * step)
        context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
        # The hub and the softness of the solver: a thousandth of the way.
        assert slider.get_translation(context) == pytest.approx(
            q, abs=1e-3 * abs(expected).max()
        )
    hinge = plant.GetJointByName("hinge")
    assert hinge.get_angular_rate(context) == pytest.approx(3, rel=1e-3)


def test_the_axis_is_the_parent_bodys(made):
    simulation = made(axis="[1, 0, 0]")
    simulation.advance_to(0.5)
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    # Gravity is across it: the frame of the joint is turned, the parent is not.
    slider = plant.GetJointByName("hinge_suspension")
    assert slider.get_translation(context) == pytest.approx(0, abs=1e-6)


CAR = """<robot name="car"><link name="chassis"><collision><geometry>
<box size="0.3 0.2 0.05"/></geometry></collision></link>
<link name="wheel"><inertial><mass value="{mass}"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.05"/></geometry></collision></link></robot>"""
STEERED = """
Steer:
  simulation_duration: 0.96
  plant_config: {{time_step: {step}}}
  directives:
  - add_model: {{name: car, file: car.urdf}}
  - add_weld: {{parent: world, child: car::chassis}}
  model_drivers:
    car: !WebotsMotorDriver
      drive: {drive}
      multi_axis_joints:
        axle: !Hinge2Joint
          {{parent: chassis, child: wheel, anchor: [0, 0, -0.05],
           translation: [0, 0, -0.05], axis: [0, 0, 1], axis2: [0, 1, 0]}}
      motors:
        steer: !RotationalMotor {{joint: axle_1}}
        roll: !RotationalMotor {{joint: axle_2}}
      joints:
        axle_{axis}:
          suspension_spring_constant: 1000
          suspension_damping_constant: 20
          suspension_axis: [0, 0, 1]
      commands:
      - {{time: 0, motor: roll, set_position: .inf, set_velocity: 3}}
      - {{time: 0, motor: steer, set_position: 0.3}}
"""


def steered(folder, step=0.008, drive="auto", axis=1) -> Simulation:
    (folder / "car.urdf").write_text(CAR.format(mass=MASS))
    text = STEERED.format(step=step, drive=drive, axis=axis)
    (folder / "steer.yaml").write_text(text)
    return Simulation(load_scenario(folder / "steer.yaml"))


@pytest.mark.parametrize("drive", ["torque", "implicit"])
@pytest.mark.parametrize("step", [0.008, 0.032])
def test_a_hinge2_sinks_as_odes_while_it_steers_and_rolls(
    tmp_path, step, drive
):
    simulation = steered(tmp_path, step, drive)
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    slider = plant.GetJointByName("axle_1_suspension")
    # The wheel begins in the chassis' shape, which it does not feel.
    expected = sinking(step, round(0.96 / step))
    for k, q in enumerate(expected, start=1):
        simulation.advance_to(k * step)
        assert slider.get_translation(context) == pytest.approx(
            q, abs=1e-3 * abs(expected).max()
        )
    steering, rolling = map(plant.GetJointByName, ("axle_1", "axle_2"))
    assert steering.get_angle(context) == pytest.approx(0.3, abs=1e-3)
    assert rolling.get_angular_rate(context) == pytest.approx(3, rel=1e-3)


def test_a_hinge2s_second_axis_has_no_suspension(tmp_path):
    with pytest.raises(InputError, match="joints.axle_2.suspension") as raised:
        steered(tmp_path, axis=2)
    assert "the first of a Hinge2Joint has" in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"axis": "[0, 0, 0]"}, "hinge.suspension_axis: x, y and z are all 0"),
        ({"k": -1}, "hinge.suspension_spring_constant: -1 N/m is not allowed"),
        (
            {"kind": "fixed"},
            "hinge",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_place(made, fields, problem):
    with pytest.raises(InputError) as raised:
        made(**fields)
    assert problem in str(raised.value)


def test_a_hinge_with_an_actuator_keeps_it_or_is_told(made):
    if metadata.version("drake").startswith("1.51."):
        with pytest.raises(InputError, match="cannot move the actuator"):
            made(more=TRANSMISSION)
        return
    simulation = made(more=TRANSMISSION)
    simulation.advance_to(0.2)
    assert simulation.plant.HasJointActuatorNamed("hinge")


def test_the_chassis_is_shaken_less_than_on_hard_hinges():
    def shaken(text: str) -> float:
        scenario = load_scenario(
            SCENARIOS / "suspension.scenario.yaml", text=text
        )
        if "joints" in text:
            scenario.model_drivers["rover"].joints = {}
        results = Simulation(scenario).run()
        place = results["rover/chassis/position"]
        assert place[-1, 0] > 0.9  # over the kerb
        jumps = np.diff(place[:, 2], 2) / 0.008**2
        return float(abs(jumps[results.time[2:] > 0.4]).max())

    soft, hard = shaken("{}"), shaken("{random_seed: 0} # joints")
    assert soft < 0.8 * hard


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.016, 0.032])
def test_the_rover_gets_over_the_kerb_at_webots_steps(step):
    # A wheel may hit its edge so that it hops: one place in sixteen or so is lost.
    ways = [way_over(kerb, step) for kerb in (0.58, 0.59, 0.6, 0.62, 0.64)]
    # All wheels are over it from 0.85 m on.
    assert sum(way > 0.85 for way in ways) >= 4, ways


def way_over(kerb, step):
    """Returns how far the rover is after 3.1 s, m."""
    scenario = load_scenario(SCENARIOS / "suspension.scenario.yaml")
    scenario.plant_config.time_step = step
    weld = scenario.directives[3].add_weld
    weld.X_PC.translation = [kerb, 0, 0]
    simulation = Simulation(scenario)
    simulation.advance_to(3.1)
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    chassis = plant.GetBodyByName("chassis")
    return chassis.EvalPoseInWorld(context).translation()[0]
