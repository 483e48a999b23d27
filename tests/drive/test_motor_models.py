"""Motor models against closed forms, on both drives."""

import dataclasses as dc
import math

import numpy as np
import pytest
from _lib.plants import MODEL, add_body, add_joint, new_plant
from drawn import draws
from hypothesis import given, settings, strategies as st
from mechanisms import Rig, chain, driven, pendulum
from pydrake.multibody.tree import JointActuatorIndex, PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motor_models import (
    Elastic,
    Friction,
    Pd,
    Thermal,
)
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

DRIVES = ("torque", "implicit")
_LIMIT_OF = {RotationalMotor: "max_torque", LinearMotor: "max_force"}
J = 0.02  # kg m^2


def wheel(time_step, inertia=J):
    """Returns a plant with a balanced wheel on the joint "hinge"."""
    plant = new_plant(time_step)
    body = add_body(plant, "wheel", com=(0.0, 0.0, 0.0), inertia=(inertia,) * 3)
    add_joint(plant, "hinge", body)
    return plant


def signals(
    plant, seconds, *, commands=(), drive="torque", joint=None, **motor
):
    """Returns what a motor on the plant's hinge does, by signal."""
    driver = WebotsMotorDriver(
        drive=drive,
        motors={"motor": RotationalMotor("hinge", **motor)},
        joints={"hinge": joint or JointParameters()},
        commands=[TimedCommand(motor="motor", **c) for c in commands],
    )
    rig = Rig(*driven(plant, driver))
    found = rig.signals(round(seconds / plant.time_step()))
    return {
        name.removeprefix(f"{MODEL}/motor/"): v for name, v in found.items()
    }


def full_speed():
    """Returns commands that ask for more speed than a motor has."""
    return [{"set_position": math.inf, "set_velocity": 1e4}]


SHEET = DcMotor(torque_constant=0.5, resistance=2.0, supply_voltage=12.0)
DC = {
    "motor_model": "dc_motor",
    "max_velocity": 1e5,
    "max_torque": 1e3,
    "dc_motor": SHEET,
    "pd": Pd(kp=0.0, kd=1e6),
}


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("h", [0.001, 0.008])
def test_a_dc_motor_on_full_voltage_speeds_up_exponentially(drive, h):
    found = signals(wheel(h), 1.0, commands=full_speed(), drive=drive, **DC)
    tm, free = 2.0 * J / 0.5**2, 12.0 / 0.5
    k = np.arange(len(found["velocity"]))
    # The implicit Euler step of v' = (free - v) / tm, to the solver's precision.
    expected = free * (1 - (1 + h / tm) ** -k)
    np.testing.assert_allclose(found["velocity"], expected, atol=1e-6)
    exact = free * (1 - np.exp(-k * h / tm))
    assert np.abs(found["velocity"] - exact).max() < 0.2 * free * h / tm
    stall = 12.0 / 2.0 * 0.5
    np.testing.assert_allclose(
        found["effort"][1:], stall * (1 - expected[1:] / free), atol=1e-6
    )
    np.testing.assert_allclose(
        found["current"][1:], found["effort"][1:] / 0.5, atol=1e-12
    )


@pytest.mark.parametrize("drive", DRIVES)
def test_a_stalled_dc_motor_makes_its_stall_torque(drive):
    stop = JointParameters(min_stop=-0.1, max_stop=0.01)
    found = signals(
        wheel(0.004), 0.5, commands=full_speed(), drive=drive, joint=stop, **DC
    )
    assert found["effort"][-1] == pytest.approx(3.0, rel=1e-7)
    assert found["saturated"][-1] == 1


@pytest.mark.parametrize("drive", DRIVES)
def test_without_load_a_motor_draws_its_no_load_current(drive):
    sheet = dc.replace(SHEET, no_load_current=0.4, gear_ratio=2.0)
    free = {**DC, "dc_motor": sheet}
    found = signals(
        wheel(0.002), 3.0, commands=full_speed(), drive=drive, **free
    )
    # Drake's solver slips a little while it finds an effort.
    assert found["current"][-1] == pytest.approx(0.4, rel=1e-3)
    speed = (12.0 - 2.0 * 0.4) / 0.5 / 2.0
    assert found["velocity"][-1] == pytest.approx(speed, rel=1e-4)


@pytest.mark.parametrize("drive", DRIVES)
def test_a_gear_multiplies_torque_and_divides_speed(drive):
    sheet = DcMotor(0.3, 240.0, gear_ratio=10.0, rotor_inertia=1e-4)
    geared = {**DC, "dc_motor": sheet}
    found = signals(
        wheel(0.002), 1.5, commands=full_speed(), drive=drive, **geared
    )
    assert found["velocity"][-1] == pytest.approx(24.0, rel=3e-3)  # after 6 tm
    # The rotor turns along: J + 100 J_rotor.
    tm = (J + 1e-2) * 24.0 / 3.0
    assert found["velocity"][1] == pytest.approx(
        24.0 * (1 - 1 / (1 + 0.002 / tm)), rel=1e-6
    )


def lossy(**sheet):
    """Returns a motor that is strong, with a gear of the efficiency 0.7."""
    sheet = DcMotor(1e4, 1e4, efficiency=0.7, **sheet)
    return {"motor_model": "dc_motor", "dc_motor": sheet, "max_torque": 1e3}


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("rotor", [0.0, 0.03])
def test_of_the_torque_that_speeds_up_a_wheel_the_efficiency_is_left(
    drive, rotor
):
    found = signals(
        wheel(0.008),
        0.4,
        commands=[{"set_torque": 2.0}],
        drive=drive,
        **lossy(rotor_inertia=rotor),
    )
    # eta (torque - rotor a) = J a; the rotor turns before the gear.
    expected = 0.7 * 2.0 / (J + 0.7 * rotor)
    # The gear's load is found step by step, 0.18 of the error is left after each.
    a = np.diff(found["velocity"][-20:]) / 0.008
    np.testing.assert_allclose(a, expected, rtol=1e-9)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize(("speed", "share"), [(0.5, 1 / 0.7), (-0.5, 0.7)])
def test_a_gear_loses_alike_where_a_motor_lifts_and_where_it_lowers(
    drive, speed, share
):
    plant = pendulum(0.001)
    plant.GetJointByName("hinge").set_default_positions([1.0])
    turn = {"set_position": math.inf, "set_velocity": speed}
    loop = Pd(kp=0.0, kd=1e3)
    found = signals(
        plant, 0.5, commands=[turn], drive=drive, pd=loop, **lossy()
    )
    weight = 9.81 * 0.25 * np.sin(found["position"][100:])
    # One step of it, and the inertia that follows the loop.
    np.testing.assert_allclose(found["effort"][100:] / weight, share, rtol=2e-3)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize(("share", "holds"), [(0.72, True), (0.68, False)])
def test_a_gear_holds_what_its_losses_hold(drive, share, holds):
    plant = pendulum(0.004)
    plant.GetJointByName("hinge").set_default_positions([1.0])
    weight = 9.81 * 0.25 * math.sin(1.0)
    # Held by all it has, then with a share of the weight.
    first = [{"set_torque": weight}]
    then = [{"time": 0.1, "set_torque": share * weight}]
    found = signals(plant, 1.0, commands=first + then, drive=drive, **lossy())
    stays = abs(found["position"][-1] - 1.0) < 1e-4
    assert stays == holds


@pytest.mark.parametrize("drive", DRIVES)
def test_an_implicit_loop_is_drakes_pd_recurrence(drive):
    h, kp, kd = 0.008, 30.0, 1.5
    found = signals(
        wheel(h),
        0.4,
        commands=[{"set_position": 0.5}],
        drive=drive,
        motor_model="pd",
        pd=Pd(kp=kp, kd=kd),
        max_torque=100.0,
    )
    q = v = 0.0
    for k in range(1, len(found["velocity"])):
        v = (J * v + h * kp * (0.5 - q)) / (J + h * kd + h * h * kp)
        q += h * v
        assert found["velocity"][k] == pytest.approx(v, abs=1e-9)
        assert found["position"][k] == pytest.approx(q, abs=1e-9)


@pytest.mark.parametrize("drive", DRIVES)
def test_an_explicit_loop_is_held_for_a_motor_period(drive):
    h, kp, kd = 0.008, 30.0, 1.5
    driver = WebotsMotorDriver(
        drive=drive,
        basic_time_step=h,
        motor_model="pd_explicit",
        motors={
            "motor": RotationalMotor(
                "hinge", pd=Pd(kp=kp, kd=kd), max_torque=100.0
            )
        },
        commands=[TimedCommand(motor="motor", set_position=0.5)],
    )
    found = Rig(*driven(wheel(h / 4), driver)).signals(50)
    q = v = 0.0
    for k in range(1, 51):
        effort = kp * (0.5 - q) - kd * v
        for _ in range(4):
            v += h / 4 * effort / J
            q += h / 4 * v
        assert found[f"{MODEL}/motor/velocity"][k] == pytest.approx(v, abs=1e-9)
        assert found[f"{MODEL}/motor/effort"][k] == pytest.approx(
            effort, abs=1e-9
        )


@pytest.mark.slow
@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("h", [0.001, 0.008, 0.032])
def test_a_sticking_motor_stays_for_a_minute(drive, h):
    # Gravity's 2.45 N m at most against what friction holds at rest.
    friction = Friction(coulomb=0.5, stribeck=0.2)
    plant = pendulum(h)
    plant.GetJointByName("hinge").set_default_positions([0.25])
    held = {"motor_model": "pd", "friction": friction, "max_torque": 0.0}
    found = signals(plant, 60.0 if h > 0.001 else 10.0, drive=drive, **held)
    # Drake's solver slips while it finds the effort, as its own friction does.
    settled = found["position"][10:]
    assert abs(settled[0] - 0.25) < (1e-9 if drive == "torque" else 1e-5)
    # It feeds efforts forward on a grid that leaves 2e-8 rad/s.
    assert np.ptp(settled) < (1e-12 if drive == "torque" else 2e-8 * 60)
    weight = 9.81 * 0.25 * math.sin(0.25)
    np.testing.assert_allclose(found["friction"][10:], weight, rtol=1e-5)


@pytest.mark.parametrize("drive", DRIVES)
def test_friction_lets_go_at_coulomb_and_stribeck(drive):
    # A ramp of torque in steps of 1 mN m.
    ramp = [{"time": 0.01 * k, "set_torque": 0.001 * k} for k in range(200)]
    friction = Friction(coulomb=0.08, stribeck=0.04)
    found = signals(
        wheel(0.01),
        2.0,
        commands=ramp,
        drive=drive,
        motor_model="pd",
        friction=friction,
    )
    first = int(np.argmax(np.abs(found["velocity"]) > 1e-3))
    assert found["effort"][first] == pytest.approx(0.121, abs=1.5e-3)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize(("h", "late"), [(0.001, 0.002), (0.008, 0.012)])
def test_a_free_wheel_coasts_as_long_as_friction_says(drive, h, late):
    Kc, Kv, v0 = 0.1, 0.02, 5.0
    driver = WebotsMotorDriver(
        drive=drive,
        motor_model="pd",
        motors={
            "motor": RotationalMotor(
                "hinge",
                max_torque=0.0,
                friction=Friction(coulomb=Kc, viscous=Kv),
            )
        },
    )
    rig = Rig(*driven(wheel(h), driver))
    simulator = rig.started(np.array([0.0, v0]))
    states = []
    for k in range(round(1.0 / h)):
        rig.advance(simulator, k)
        states.append(rig.state(simulator))
    q, v = np.array(states).T
    stops = J / Kv * math.log(1 + Kv * v0 / Kc)
    way = J * v0 / Kv - J * Kc / Kv**2 * math.log(1 + Kv * v0 / Kc)
    assert h * np.argmax(v < 1e-9) == pytest.approx(stops, abs=late)
    assert q[-1] == pytest.approx(way, abs=1.5 * late)
    assert np.abs(v[-1]) < 1e-12


@pytest.mark.parametrize("drive", DRIVES)
def test_a_winding_trips_when_its_data_sheet_says(drive):
    # 2 N m against a stop, of which 1 N m may stay.
    stop = JointParameters(min_stop=-0.1, max_stop=1e-6)
    found = signals(
        wheel(0.01),
        8.0,
        commands=[{"set_torque": 2.0}],
        drive=drive,
        joint=stop,
        motor_model="pd",
        thermal=Thermal(continuous_torque=1.0, time_constant=10.0),
    )
    trips = 10.0 * math.log(4 / 3)
    limited = (
        np.argmax(found["effort"] < 1.5) if found["effort"][1] > 1.5 else 0
    )
    first = np.flatnonzero(found["effort"][1:] < 1.5)[0] + 1
    assert limited == 0 and 0.01 * first == pytest.approx(trips, abs=0.021)
    assert found["effort"][-1] == pytest.approx(1.0)
    assert found["temperature"][first - 1] == pytest.approx(125.0, abs=0.2)


GEARED = DcMotor(
    torque_constant=0.05, resistance=2.0, supply_voltage=24.0, gear_ratio=10.0
)


@pytest.mark.parametrize(
    ("thermal", "bears"),
    [
        (Thermal(continuous_current=2.0), 1.0),
        # 100 K over 5 K/W are 20 W, in copper of 2 (1 + 0.0039 100) ohm: 2.68 A.
        (Thermal(thermal_resistance=5.0), 0.5 * math.sqrt(20 / 2.78)),
        # The sheet's own torque goes first, within what sheets are off by.
        (Thermal(continuous_torque=0.9, continuous_current=2.0), 0.9),
    ],
)
def test_currents_and_thermal_resistances_say_what_a_motor_bears(
    thermal, bears
):
    stop = JointParameters(min_stop=-0.1, max_stop=1e-6)
    found = signals(
        wheel(0.01),
        1.0,
        commands=[{"set_torque": 4.0}],
        joint=stop,
        motor_model="dc_motor",
        dc_motor=GEARED,
        thermal=dc.replace(thermal, time_constant=0.1),
    )
    assert found["effort"][-1] == pytest.approx(bears)


def test_a_spring_before_the_link_has_its_frequency():
    # The motor is held by a stiff loop: the link swings on the spring alone.
    K, h = 50.0, 0.0005
    plant = wheel(h)
    plant.GetJointByName("hinge").set_default_positions([0.0])
    driver = WebotsMotorDriver(
        drive="torque",
        motor_model="series_elastic",
        motors={
            "motor": RotationalMotor(
                "hinge",
                max_torque=1e9,
                pd=Pd(kp=1e7, kd=1e4),
                elastic=Elastic(stiffness=K, motor_inertia=0.01),
            )
        },
        commands=[TimedCommand(motor="motor", set_position=0.0)],
    )
    rig = Rig(*driven(plant, driver))
    simulator = rig.started(np.array([0.0, 1.0]))
    q = []
    for k in range(round(1.0 / h)):
        rig.advance(simulator, k)
        q.append(rig.state(simulator)[0])
    crossings = np.flatnonzero(np.diff(np.sign(q[1:])))
    half = h * np.mean(np.diff(crossings))
    assert math.pi / half == pytest.approx(math.sqrt(K / J), rel=5e-3)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("damper", ["viscous", "node", "model"])
def test_a_damper_is_no_load_that_friction_grows_with(drive, damper):
    damping, effort = 0.5, 2.0
    plant = wheel(0.002)
    if damper == "model":
        plant.GetJointByName("hinge").set_default_damping(damping)
    viscous = damping if damper == "viscous" else 0.0
    found = signals(
        plant,
        20 * J / damping,
        commands=[{"set_torque": effort}],
        drive=drive,
        joint=JointParameters(
            damping_constant=damping if damper == "node" else 0.0
        ),
        motor_model="pd",
        friction=Friction(external_load=0.3, viscous=viscous),
    )
    # The start is exp(-20) away. A load of what the solver leaves makes friction, too.
    assert found["velocity"][-1] == pytest.approx(effort / damping, rel=1e-4)


def test_both_drives_move_alike_until_a_limit_falls():
    for model in ("pd", "pd_explicit"):
        found = [
            signals(
                pendulum(0.004),
                0.4,
                commands=[{"set_position": 0.3}],
                drive=drive,
                motor_model=model,
                pd=Pd(kp=20.0, kd=1.0),
                friction=Friction(coulomb=0.1, viscous=0.05),
            )["position"]
            for drive in DRIVES
        ]
        # Friction's last bits in Drake's solver.
        np.testing.assert_allclose(*found, atol=1e-7)


def moved_by_drake(plant, target, gains, limit, steps):
    """Returns q and v of each step with Drake's own PD actuators."""
    for index in map(JointActuatorIndex, range(plant.num_actuators())):
        actuator = plant.get_joint_actuator(index)
        actuator.set_effort_limit(limit)
        actuator.set_controller_gains(PdControllerGains(p=gains[0], d=gains[1]))
    plant.Finalize()
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    source = builder.AddSystem(ConstantVectorSource([*target, *(0 * target)]))
    port = plant.get_desired_state_input_port(
        plant.GetModelInstanceByName(MODEL)
    )
    builder.Connect(source.get_output_port(), port)
    simulator = Simulator(builder.Build())
    context = plant.GetMyContextFromRoot(simulator.get_context())
    states = []
    for step in range(1, steps + 1):
        simulator.AdvanceTo(step * plant.time_step())
        states.append(plant.GetPositionsAndVelocities(context).copy())
    return np.array(states)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
@settings(max_examples=draws(6, 40))
def test_loops_at_their_limits_settle_where_drakes_do(seed, links):
    # Stiff loops that saturate, joint by joint, in each of these steps: 0.1 s.
    h, steps = 0.004, 25
    rng = np.random.default_rng(seed)
    target, limit = rng.uniform(-1.5, 1.5, links), rng.uniform(3.0, 40.0)
    gains = rng.uniform(100.0, 2000.0), rng.uniform(5.0, 100.0)
    drawn = int(rng.integers(2**32))
    plants = [chain(h, links, np.random.default_rng(drawn)) for _ in range(2)]
    kinds = [
        LinearMotor
        if plants[0].GetJointByName(f"joint{i}").type_name() == "prismatic"
        else RotationalMotor
        for i in range(links)
    ]
    driver = WebotsMotorDriver(
        drive="torque",
        motor_model="pd",
        motors={
            f"motor{i}": kind(
                f"joint{i}",
                **{_LIMIT_OF[kind]: limit},
                pd=Pd(*gains),
            )
            for i, kind in enumerate(kinds)
        },
        commands=[
            TimedCommand(0.0, f"motor{i}", set_position=place)
            for i, place in enumerate(target)
        ],
    )
    rig = Rig(*driven(plants[0], driver))
    simulator = rig.simulator()
    expected = moved_by_drake(plants[1], target, gains, limit, steps)
    for step in range(1, steps + 1):
        rig.advance(simulator, step)
        # The same step in other words: what is left is rounding.
        np.testing.assert_allclose(
            rig.state(simulator), expected[step - 1], atol=1e-8
        )


@pytest.mark.parametrize("stiffness", [1e3, 1e5])
def test_a_damped_spring_with_play_settles_in_every_step(stiffness):
    # Warnings are errors here: a law that jumps is told as one that is left apart.
    spring = Elastic(
        stiffness=stiffness, damping=5.0, backlash=0.02, motor_inertia=0.02
    )
    found = signals(
        pendulum(0.008),
        1.2,
        commands=[
            {"set_position": 0.6},
            {"time": 0.4, "set_position": -0.5},
            {"time": 0.8, "set_position": 0.2},
        ],
        motor_model="series_elastic",
        max_torque=20.0,
        pd=Pd(kp=80.0, kd=4.0),
        elastic=spring,
    )
    play = found["motor_position"] - found["position"]
    # What the motor can press into the spring comes on top.
    assert np.abs(play).max() < 0.01 + 60.0 / stiffness
    assert np.ptp(np.sign(found["effort"])) == 2


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("kd", [0.01, 1.0])
def test_a_motor_far_beyond_its_speed_brakes_to_its_line(drive, kd):
    # In one step of 8 ms the brake alone could turn it round, again and again.
    inertia, stall, free, h = 0.001, 10.0, 10.0, 0.008
    driver = WebotsMotorDriver(
        drive=drive,
        motors={
            "motor": RotationalMotor(
                "hinge",
                motor_model="dc_motor",
                max_torque=stall,
                pd=Pd(kp=0.0, kd=kd),
                dc_motor=DcMotor(stall, free),
            )
        },
    )
    rig = Rig(*driven(wheel(h, inertia), driver))
    simulator = rig.started(np.array([0.0, 60.0]))
    speeds = []
    for step in range(1, 20):
        rig.advance(simulator, step)
        speeds.append(rig.state(simulator)[1])
    drop = stall / free
    on_line = (inertia * 60.0 + h * stall) / (inertia + h * drop)
    on_loop = inertia * 60.0 / (inertia + h * kd)
    # The solver's precision.
    assert speeds[0] == pytest.approx(min(on_line, on_loop), rel=1e-6)
    assert (np.diff(speeds) <= 0).all() and speeds[-1] >= -1e-9


def test_reversing_crosses_the_backlash():
    # A slow triangle of the motor: the link stands still for the gap, and no more.
    b, h = 0.05, 0.004
    driver = WebotsMotorDriver(
        drive="torque",
        motor_model="series_elastic",
        motors={
            "motor": RotationalMotor(
                "hinge",
                max_torque=1e6,
                pd=Pd(kp=1e5, kd=1e3),
                elastic=Elastic(
                    stiffness=500.0, damping=1.0, backlash=b, motor_inertia=0.01
                ),
            )
        },
        joints={"hinge": JointParameters(static_friction=0.2)},
        commands=[
            TimedCommand(
                time=k * h,
                motor="motor",
                set_position=0.5 - abs(0.5 - 0.2 * k * h),
            )
            for k in range(round(5.0 / h))
        ],
    )
    rig = Rig(*driven(wheel(h), driver))
    found = rig.signals(round(4.9 / h))
    motor = found[f"{MODEL}/motor/motor_position"]
    link = found[f"{MODEL}/motor/position"]
    turned = int(np.argmax(motor))
    still = np.flatnonzero(link < link.max() - 1e-6)
    first = still[still > np.argmax(link)][0]
    # The spring's own give, 0.2 N m / 500 N m/rad on each side, comes on top.
    gap = motor[turned] - motor[first]
    assert gap == pytest.approx(b + 2 * 0.2 / 500.0, abs=2e-3)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"motor_model": "series_elastic"}, "needs stiffness"),
        (
            {
                "motor_model": "series_elastic",
                "elastic": Elastic(stiffness=100.0),
            },
            "needs motor_inertia",
        ),
        ({"motor_model": "dc"}, "unknown motor model 'dc'"),
        (
            {"dc_motor": DcMotor(torque_constant=1.0, resistance=2.0)},
            "come together",
        ),
        (
            {"dc_motor": DcMotor(20.0, None, 0.5, 2.0, 12.0)},
            "20 N m contradicts the 3 N m",
        ),
        (
            {"dc_motor": DcMotor(None, 100.0, 0.5, 2.0, 12.0)},
            "100 rad/s contradicts the 24 rad/s",
        ),
        (
            {"dc_motor": DcMotor(efficiency=1.2)},
            "1.2 is not allowed; must be above 0",
        ),
        ({"friction": Friction(coulomb=-1.0)}, "-1 is not allowed"),
        ({"thermal": Thermal(max_temperature=20.0)}, "not above the ambient"),
        ({"pd": Pd(kp=-1.0)}, "-1 is not allowed"),
        (
            {"dc_motor": DcMotor(20.0, 3.0, no_load_current=0.1)},
            "no_load_current needs torque_constant",
        ),
        (
            {
                "dc_motor": DcMotor(
                    torque_constant=0.5,
                    resistance=2.0,
                    supply_voltage=12.0,
                    no_load_current=7.0,
                )
            },
            "7 A is not below the 6 A",
        ),
        (
            {"motor_model": "pd", "thermal": Thermal(continuous_torque=12.0)},
            "12 is above 10, its max_torque",
        ),
        (
            {
                "motor_model": "dc_motor",
                "dc_motor": DcMotor(0.2, 3.0, gear_ratio=10.0),
                "thermal": Thermal(continuous_torque=4.0),
            },
            "4 is above 2, the stall torque of its dc_motor at the joint",
        ),
        (
            {"motor_model": "pd", "thermal": Thermal(continuous_current=2.0)},
            "needs torque_constant",
        ),
        (
            {
                "motor_model": "dc_motor",
                "dc_motor": GEARED,
                "thermal": Thermal(
                    continuous_torque=2.0, continuous_current=2.0
                ),
            },
            "the 1 at the joint that it comes to contradicts the 2 of"
            " continuous_torque",
        ),
        (
            {
                "motor_model": "dc_motor",
                "dc_motor": GEARED,
                "thermal": Thermal(
                    continuous_current=1.0, thermal_resistance=5.0
                ),
            },
            "the 1.341 at the joint that it comes to contradicts the 0.5 of"
            " continuous_current",
        ),
    ],
)
def test_what_a_data_sheet_cannot_say_is_one_line(change, problem):
    with pytest.raises(InputError, match=problem) as caught:
        signals(wheel(0.004), 0.1, **change)
    assert "\n" not in str(caught.value)
    assert caught.value.path[:2] == ("motors", "motor")


def test_what_a_plant_or_drive_cannot_carry_is_one_line():
    elastic = Elastic(stiffness=100.0, motor_inertia=0.01)
    with pytest.raises(InputError, match="the implicit drive does not carry"):
        signals(
            wheel(0.004),
            0.1,
            drive="implicit",
            motor_model="series_elastic",
            elastic=elastic,
        )
    with pytest.raises(InputError, match="needs a discrete plant"):
        driver = WebotsMotorDriver(
            basic_time_step=0.01,
            motors={"motor": RotationalMotor("hinge", motor_model="pd")},
        )
        driven(wheel(0.0), driver)
    with pytest.raises(InputError, match="cannot move the kinematic joint"):
        signals(
            wheel(0.004),
            0.1,
            motor_model="pd",
            joint=JointParameters(kinematic=True),
        )
    with pytest.raises(InputError, match="leave out one"):
        signals(
            wheel(0.004),
            0.1,
            motor_model="dc_motor",
            dc_motor=DcMotor(1.0, 10.0, rotor_inertia=1e-3),
            joint=JointParameters(reflected_inertia=0.1),
        )
