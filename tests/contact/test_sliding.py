"""Friction by direction and slip, against ODE's and closed forms, from scenarios."""

import math

import numpy as np
import pytest
from free_bodies import Free, InOde
from pydrake.geometry import Box
from standing import scenario_text, write_models

from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

PAIR = """  contact_properties:
  - {{material1: rubber, material2: wood, {}}}
  bodies:
    floor: {{body: {{contact_material: wood}}}}
    cube: {{body: {{contact_material: rubber}}}}
"""
ALONG, ACROSS = 0.2, 0.5
FRICTION = f"coulomb_friction: [{ALONG}, {ACROSS}, 0]"


@pytest.fixture
def way(tmp_path):
    """Returns a function that tells how far a cube slides down a slope, m."""
    write_models(tmp_path)

    def gone(
        step: float,
        entry: str,
        slope: float,
        yaw: float,
        shape: str = "cube",
        rest: str = "",
    ) -> np.ndarray:
        text = scenario_text(
            step, PAIR.format(entry) + rest, math.degrees(slope)
        )
        text = text.replace(
            "0.04995]", f"0.04995], rotation: !Rpy {{deg: [0, 0, {yaw}]}}"
        )
        text = text.replace("cube.urdf", f"{shape}.urdf")
        file = tmp_path / "slide.yaml"
        file.write_text(text)
        made = Simulation(load_scenario(file))
        made.advance_to(1.6)
        places = made.results().signals["cube/body/position"]
        # Along the slope and across.
        moved = places[-1] - places[0]
        return np.array([moved[0] / math.cos(slope), moved[1]])

    return gone


def odes(step: float, slope: float, yaw: float) -> np.ndarray:
    def surface_of(surface):
        surface.mode |= ode.ode.dContactMu2
        surface.mu, surface.mu2 = ALONG, ACROSS

    cube = Free(
        Box(0.1, 0.1, 0.1), [0, 0, 0.05 - 5e-5], (0, 0, math.radians(yaw))
    )
    ode = InOde(
        [cube], step, slope=slope, contact=surface_of, direction=(1, 0, 0)
    )
    ode.advance(1.6)
    return ode.places()[0, :2]


# A quarter of the step takes four times as long: the way that both directions are
# part of is enough there.
@pytest.mark.parametrize(
    ("step", "yaw", "holds"),
    [
        (0.032, 0, ALONG),
        (0.032, 90, ACROSS),
        (0.032, 45, ALONG * 2**0.5),
        pytest.param(0.008, 45, ALONG * 2**0.5, marks=pytest.mark.slow),
    ],
)
def test_a_cube_on_a_slope_holds_and_slides_as_in_ode(way, step, yaw, holds):
    slope = math.atan(0.97 * holds)
    # Measured 0.4 mm at most; ODE 0.2.
    assert np.linalg.norm(way(step, FRICTION, slope, yaw)) < 1e-3
    slope = math.atan(1.1 * holds)
    ours, expected = way(step, FRICTION, slope, yaw), odes(step, slope, yaw)
    # Measured 2 %: how it comes to lie differs.
    assert ours == pytest.approx(expected, rel=0.04, abs=1e-3)


@pytest.mark.parametrize(("yaw", "friction"), [(0, ALONG), (90, ACROSS)])
def test_a_cube_that_is_damped_slides_as_its_closed_form(way, yaw, friction):
    slope, time, lost = math.atan(1.5 * friction), 1.6, 0.6
    entry = f"  default_damping: {{linear: {lost}}}\n"
    found = way(0.008, FRICTION, slope, yaw, rest=entry)
    rate = -math.log(1 - lost)
    fastest = 9.81 * 0.5 * friction * math.cos(slope) / rate
    gone = fastest * (time - (1 - math.exp(-rate * time)) / rate)
    # As without damping: how it comes to lie differs.
    assert found == pytest.approx([gone, 0], rel=0.04, abs=1e-3)


def test_parked_wheels_creep_by_slip_times_force():
    slip, step = 0.2, 0.016
    scenario = load_scenario(
        "package:rover",
        name="Parked",
        text=f"{{simulation_duration: 0.8, plant_config: {{time_step: {step}}},"
        " recorded_bodies: {rover: [chassis]},"
        f" contact_properties: [{{force_dependent_slip: [{slip}]}}]}}",
    )
    made = Simulation(scenario)
    made.advance_to(0.8)
    places = made.results().signals["rover/chassis/position"]
    speed = np.linalg.norm(places[-1] - places[-11]) / (10 * step)
    rover = made.plant.GetModelInstanceByName("rover")
    mass = made.plant.CalcTotalMass(made.plant.CreateDefaultContext(), [rover])
    # Four tyres of four points; rows of motors yield by 1e-5 rad/s per N m.
    force = mass * 9.81 * math.sin(math.radians(10)) / 16
    assert speed == pytest.approx(slip * force, rel=1e-3)


def wheeled() -> str:
    """Returns a cart of 2.64 kg with four cylinders as wheels, 5 cm of radius."""
    link = (
        '<link name="{n}"><inertial><mass value="{m}"/><inertia ixx="{x}"'
        ' iyy="{y}" izz="{x}" ixy="0" ixz="0" iyz="0"/></inertial>{c}</link>'
    )
    text = link.format(n="chassis", m=2, x=0.01, y=0.015, c="")
    tyre = (
        '<collision name="tyre"><origin rpy="1.5707963267948966 0 0"/>'
        '<geometry><cylinder radius="0.05" length="0.03"/></geometry></collision>'
    )
    for n, x, y in WHEELS:
        text += link.format(n=n, m=0.16, x=0.00011, y=0.0002, c=tyre)
        text += (
            f'<joint name="{n}_j" type="continuous"><parent link="chassis"/>'
            f'<child link="{n}"/><origin xyz="{x} {y} 0"/><axis xyz="0 1 0"/>'
            "</joint>"
        )
    return f'<robot name="cart">{text}</robot>'


WHEELS = [
    ("front_left", 0.1, 0.115),
    ("front_right", 0.1, -0.115),
    ("rear_left", -0.1, 0.115),
    ("rear_right", -0.1, -0.115),
]
# As Webots' guide says it for mecanum wheels; "in" is front right and rear left.
MECANUM = """  contact_properties:
  - {material1: in, coulomb_friction: [0, 2, 0], friction_rotation: [-0.785398, 0],
     force_dependent_slip: [10, 0]}
  - {material1: out, coulomb_friction: [0, 2, 0], friction_rotation: [0.785398, 0],
     force_dependent_slip: [10, 0]}
"""


@pytest.mark.parametrize(
    ("speeds", "moved", "turned"),
    [
        ((8, 8, 8, 8), (0.4, 0.0), 0.0),
        ((-8, 8, 8, -8), (0.0, 0.4), 0.0),
        # ODE's, in which a wheel grips in two points that turn about each other: of
        # r w / (x + y) = 1.40 rad/s it leaves that.
        ((-6, 6, -6, 6), (0.0, 0.0), 1.31),
    ],
)
def test_mecanum_wheels_go_ahead_sideways_and_turn(
    tmp_path, speeds, moved, turned
):
    write_models(tmp_path)
    (tmp_path / "cube.urdf").write_text(wheeled())
    names = [name for name, _, _ in WHEELS]
    materials = "\n".join(
        f"      {n}: {{contact_material: {m}}}"
        for n, m in zip(names, ("out", "in", "in", "out"), strict=True)
    )
    motors = "\n".join(
        f"        {n}: !RotationalMotor {{joint: {n}_j, max_velocity: 20,"
        " max_torque: 1}"
        for n in names
    )
    commands = "\n".join(
        f"      - {{time: 0.0, motor: {n}, set_position: .inf, set_velocity: {w}}}"
        for n, w in zip(names, speeds, strict=True)
    )
    text = scenario_text(
        0.016,
        f"    cube: !WebotsMotorDriver\n      motors:\n{motors}\n"
        f"      commands:\n{commands}\n{MECANUM}"
        f"  bodies:\n    cube:\n{materials}\n",
    )
    text = text.replace("body: {base", "chassis: {base").replace(
        "{cube: [body]}", "{cube: [chassis]}"
    )
    file = tmp_path / "mecanum.yaml"
    file.write_text(text)
    made = Simulation(load_scenario(file))
    made.advance_to(1.2)
    signals = made.results().signals
    first = round(0.2 / 0.016)
    places = signals["cube/chassis/position"]
    speed = (places[-1] - places[first])[:2] / (1.2 - 0.2)
    # Coulomb's friction does not slip but for the softness; measured 1 %.
    assert speed == pytest.approx(moved, abs=0.02)
    w, _, _, z = signals["cube/chassis/quaternion"].T
    yaw = 2 * np.unwrap(np.arctan2(z, w))
    assert yaw[-1] - yaw[first] == pytest.approx(turned, abs=0.06)


def test_a_plant_with_sampled_ports_slides_alike(way):
    slope = math.atan(1.1 * ACROSS)
    free = 9.81 * (math.sin(slope) - ACROSS * math.cos(slope)) * 1.6**2 / 2
    came = way(0.016, FRICTION, slope, 90, rest="  cameras: {eye: {}}\n")
    # No event comes before the first step, which is without friction.
    free += 1.6 * 0.016 * 9.81 * math.sin(slope)
    assert came == pytest.approx([free, 0], rel=0.05, abs=1e-3)


def test_shapes_without_directions_have_the_first_friction_and_say_so(way):
    with pytest.warns(MotorWarning, match="a Sphere has no directions"):
        way(0.016, FRICTION, 0.0, 0, shape="ball")


def test_a_continuous_plant_says_that_friction_has_one_direction(tmp_path):
    write_models(tmp_path)
    text = scenario_text(0.0, "").partition("  model_drivers")[0]
    file = tmp_path / "continuous.yaml"
    file.write_text(text + PAIR.format("coulomb_friction: [0.2, 0.8]"))
    with pytest.warns(MotorWarning, match="friction is 1 in all directions"):
        Simulation(load_scenario(file))
