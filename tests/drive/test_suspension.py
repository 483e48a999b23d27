"""The suspension of hinges: Webots' spring and damper along an axis."""

import warnings
from importlib import metadata

import numpy as np
import pytest

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.load import load_scenario
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
