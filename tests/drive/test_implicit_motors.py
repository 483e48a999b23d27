"""Motors that the plant's solver drives, mostly where nothing touches.

There the torque drive is exact, so it is what they are compared with; contact is
in test_contact_scenarios.py.
"""

import dataclasses as dc
import functools
import gc
import math
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from _lib import contact_cases
from _lib.plants import (
    MODEL,
    X,
    add_body,
    add_joint,
    new_plant,
)
from _lib.reference_cases import NAMES, drake_case, load_case
from drawn import draws
from mechanisms import (
    Rig,
    add_random_chain,
    chain,
    driven,
    floating_arm,
    pendulum,
    slider,
    velocity_driver,
    warnings_of,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    PdControllerGains,
    PrismaticJoint,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from random_rover import RandomRover

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import SimulationError
from webmotor_drake.loading import load_scenario
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake, JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor
from webmotor_drake.runner import run as run_scenario

POSITION, VELOCITY, EFFORT = range(3)  # modes

# SAP's cap on the servo's stiffness: after a step in which the effort changes by
# as much as a velocity of 1 needs, this is what is left of that velocity.
NEAR_RIGID = 2.6e-4

pytestmark = pytest.mark.filterwarnings(
    "ignore::webmotor_drake.errors.MotorWarning"
)


def on(drive: str, driver: WebotsMotorDriver) -> WebotsMotorDriver:
    return dc.replace(driver, drive=drive)


def one_motor(
    plant: MultibodyPlant, joint: str, steps: int, drive="implicit", **fields
) -> dict[str, np.ndarray]:
    """Returns the signals of motor "m" on `joint`; fields of motor and driver."""
    limits = {
        name: fields.pop(name)
        for name in ("max_torque", "max_force", "control_pid", "max_velocity")
        if name in fields
    }
    sliding = isinstance(plant.GetJointByName(joint), PrismaticJoint)
    node = (LinearMotor if sliding else RotationalMotor)(joint, **limits)
    driver = WebotsMotorDriver(motors={"m": node}, drive=drive, **fields)
    signals = Rig(*driven(plant, driver)).signals(steps)
    return {
        name.removeprefix(f"{MODEL}/m/"): values
        for name, values in signals.items()
    }


# --- ODE's reference cases ---

# Where the file's tolerance is not met, what was measured, times 4. hinge_*: the
# file's is rounding only, here the servo's stiffness is capped (NEAR_RIGID times
# what the command jumps by). slider_lift: how far SAP converges.
VELOCITY_TOLERANCE = {
    "hinge_acceleration": 5e-5,
    "hinge_velocity": 1e-4,
    "slider_lift": 1.2e-7,
}


@pytest.mark.parametrize("name", NAMES)
def test_motors_move_their_joints_as_odes_do(name):
    case = load_case(name)
    rig = Rig(*drake_case(case, drive="implicit"))
    logged, _ = warnings_of(rig.signals, case["steps"])
    tolerance = {**case["tolerance"]}
    tolerance["velocity"] = VELOCITY_TOLERANCE.get(name, tolerance["velocity"])
    for signal in ("position", "velocity"):
        measured = np.transpose(
            [logged[f"{MODEL}/{m}/{signal}"][1:] for m in case["motors"]]
        )
        np.testing.assert_allclose(
            measured,
            case["trajectory"][signal],
            rtol=0,
            atol=tolerance[signal],
            err_msg=f"{signal} of {name}",
        )


# --- the torque drive, exact without contact, is the measure ---


def random_commands(
    rng: np.random.Generator, motor: str, sliding: bool, bound: float
) -> list[TimedCommand]:
    """Returns changes of mode, target and limit for a motor."""
    force = "force" if sliding else "torque"
    commands, time = [], 0.0
    for _ in range(8):
        time += float(rng.uniform(0.02, 0.1))
        effort = float(rng.uniform(-bound, bound))
        limit = float(rng.choice([0.0, 0.3, 1.0]) * bound)
        target = float(rng.uniform(-1, 1))
        fields = [
            {"set_position": target},
            {"set_position": math.inf, "set_velocity": 2 * target},
            {f"set_{force}": effort},
            {f"set_available_{force}": limit},
        ][rng.integers(4)]
        commands.append(TimedCommand(time=time, motor=motor, **fields))
    return commands


def busy(
    seed: int,
    drive: str,
    time_step: float,
    period: float,
    *,
    floating: bool = False,
    sampled: bool = True,
) -> Rig:
    """Returns an arm of three joints with all that motors and joints can do."""
    rng = np.random.default_rng(seed)
    build = floating_arm if floating else chain
    plant = build(time_step, 3, rng, sampled=sampled)
    driver = WebotsMotorDriver(basic_time_step=period, drive=drive)
    for i in range(3):
        name = f"joint{i}"
        sliding = isinstance(plant.GetJointByName(name), PrismaticJoint)
        bound = float(rng.choice([3.0, 10.0, 100.0]))
        limit = {"max_force" if sliding else "max_torque": bound}
        driver.motors[f"m{i}"] = (LinearMotor if sliding else RotationalMotor)(
            name,
            acceleration=float(rng.choice([-1.0, 20.0])),
            max_velocity=3.0,
            **limit,
        )
        driver.joints[name] = JointParameters(
            spring_constant=float(rng.choice([0.0, 400.0])),
            damping_constant=float(rng.choice([0.0, 0.5])),
            static_friction=float(rng.choice([0.0, 0.4])),
        )
        driver.commands += random_commands(rng, f"m{i}", sliding, bound)
    return Rig(*driven(plant, driver))


PERIODS = [(0.002, 0.002), (0.002, 0.008), (0.008, 0.008)]
# One in a hurry.
SEEDS = [0, *(pytest.param(i, marks=pytest.mark.slow) for i in (1, 2, 3))]


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize(("time_step", "period"), PERIODS)
@pytest.mark.parametrize("seed", SEEDS)
def test_where_nothing_touches_both_drives_do_the_same(
    seed, time_step, period, floating
):
    signals = [
        busy(seed, drive, time_step, period, floating=floating).signals(60)
        for drive in ("torque", "implicit")
    ]
    # Commands jump by up to 6 rad/s, and a short step hardly feels the cap.
    slip = 6 * NEAR_RIGID if time_step == 0.008 else 2e-5
    tolerance = {"velocity": slip, "position": 2 * slip * time_step}
    for name, expected in signals[0].items():
        kind = name.split("/")[-1]
        if kind in tolerance:
            np.testing.assert_allclose(
                signals[1][name],
                expected,
                rtol=0,
                atol=tolerance[kind],
                err_msg=name,
            )


@pytest.mark.parametrize(("time_step", "period"), PERIODS)
@pytest.mark.parametrize("seed", SEEDS)
def test_sampled_output_ports_make_no_difference(seed, time_step, period):
    sampled, direct = (
        busy(seed, "implicit", time_step, period, sampled=choice).signals(60)
        for choice in (True, False)
    )
    for name, values in sampled.items():
        np.testing.assert_array_equal(values, direct[name], err_msg=name)


def both_drives(build, steps: int, **fields) -> list[dict[str, np.ndarray]]:
    return [
        one_motor(build(), "hinge", steps, drive, **fields)
        for drive in ("torque", "implicit")
    ]


def assert_same_motion(signals: Sequence[dict[str, np.ndarray]], **tolerance):
    for name, atol in tolerance.items():
        np.testing.assert_allclose(
            signals[1][name], signals[0][name], rtol=0, atol=atol, err_msg=name
        )


@pytest.mark.parametrize("time_step", [0.001, 0.008])
@pytest.mark.parametrize("spring", [10.0, 1e4, 1e7, 1e9])
@pytest.mark.parametrize("bound", [5.0, 1e9])
def test_a_spring_is_exact_however_stiff(spring, bound, time_step):
    # Also beyond the stiffness at which the solver caps gains, about 4e5 here
    # at 1 ms and 6e3 at 8 ms. What is left is the solver's accuracy, relative
    # to momenta: 5e-6 of the motor's 10 rad/s.
    signals = both_drives(
        lambda: pendulum(time_step),
        120,
        max_torque=bound,
        joints={"hinge": JointParameters(spring_constant=spring)},
        commands=[TimedCommand(motor="m", set_position=0.5)],
    )
    slip = 1e-4 if time_step == 0.008 and spring == 10 else 5e-5
    # At 8 ms the jumps of the command leave their slip.
    slip += 10 * NEAR_RIGID if time_step == 0.008 and bound > 5 else 0
    assert_same_motion(signals, velocity=slip, position=slip * time_step)


@pytest.mark.parametrize("time_step", [0.001, 0.008])
@pytest.mark.parametrize("damping", [0.1, 10.0, 1e4])
@pytest.mark.parametrize(
    "command", [{"set_torque": 2.0}, {"set_position": 0.5}]
)
def test_a_brake_acts_from_its_command_till_the_next(
    command, damping, time_step
):
    signals = both_drives(
        lambda: pendulum(time_step),
        80,
        max_torque=5.0,
        brakes={"b": Brake("hinge")},
        commands=[
            TimedCommand(motor="m", **command),
            TimedCommand(
                time=20 * time_step, brake="b", set_damping_constant=damping
            ),
            TimedCommand(
                time=60 * time_step, brake="b", set_damping_constant=0.0
            ),
        ],
    )
    # The command's jump of 5 rad/s, where the step is long enough for the cap.
    slip = 5 * NEAR_RIGID if time_step == 0.008 else 1e-8
    assert_same_motion(signals, velocity=slip, position=slip * time_step)
    if damping > 1:
        assert signals[1]["velocity"][50] < signals[1]["velocity"][19]


@pytest.mark.parametrize("damping", [1e6, 1e9, 1e15])
@pytest.mark.parametrize("bound", [5.0, 1e9])
def test_a_brake_holds_against_any_motor(bound, damping):
    # It is stiff enough for 2e-3 rad/s; with the motor's estimate of its own
    # effort gone wrong it would let go.
    signals = one_motor(
        pendulum(0.001),
        "hinge",
        300,
        max_torque=bound,
        brakes={"b": Brake("hinge")},
        commands=[
            TimedCommand(motor="m", set_position=math.inf, set_velocity=0.0),
            TimedCommand(brake="b", set_damping_constant=damping),
        ],
    )
    assert np.abs(signals["velocity"]).max() < 2e-3
    assert np.abs(signals["effort"]).max() <= 5.0


@pytest.mark.parametrize("braked", [False, True])
def test_rotors_and_gears_of_the_model_are_felt(braked):
    # Of several actuators on a joint Drake takes the last one's rotor.
    def geared() -> MultibodyPlant:
        plant = pendulum(0.002)
        actuator = plant.GetJointActuatorByName("hinge")
        actuator.set_default_gear_ratio(50.0)
        actuator.set_default_rotor_inertia(1e-4)  # 0.25 kg m^2 at the joint
        return plant

    signals = both_drives(
        geared,
        40,
        max_torque=30.0,
        brakes={"b": Brake("hinge")} if braked else {},
        commands=[TimedCommand(motor="m", set_position=0.5)],
    )
    assert_same_motion(signals, velocity=1e-6, position=1e-8)
    # It takes that inertia, 0.333 kg m^2 with the link, a while to speed up.
    assert signals[1]["velocity"][10] == pytest.approx(
        30.0 / 0.333 * 0.02, rel=0.02
    )


def test_a_negative_constant_loses_its_sign():
    # As in Webots. Drake would end the process over a negative gain.
    for name in ("spring_constant", "damping_constant", "static_friction"):
        plus, minus = (
            one_motor(
                pendulum(0.008),
                "hinge",
                30,
                joints={"hinge": JointParameters(**{name: sign * 3.0})},
                commands=[TimedCommand(motor="m", set_position=0.5)],
            )
            for sign in (1, -1)
        )
        np.testing.assert_array_equal(plus["position"], minus["position"])


@pytest.mark.parametrize("sampled", [True, False])
def test_friction_alone_brakes_a_joint_without_a_motor(sampled):
    def passive(drive: str, friction: float) -> np.ndarray:
        plant = new_plant(0.008, sampled=sampled)
        arm, pan = add_body(plant, "arm"), add_body(plant, "pan")
        add_joint(plant, "hinge", arm)
        add_joint(plant, "pivot", pan, parent=arm, effort_limit=None)
        driver = WebotsMotorDriver(
            drive=drive,
            motors={"m": RotationalMotor("hinge", max_torque=100)},
            joints={"pivot": JointParameters(static_friction=friction)},
            commands=[TimedCommand(motor="m", set_position=1.0)],
        )
        rig = Rig(*driven(plant, driver))
        simulator = rig.simulator()
        rig.advance(simulator, 100)
        return rig.state(simulator)

    for friction in (0.1, 5.0):
        np.testing.assert_allclose(
            passive("implicit", friction),
            passive("torque", friction),
            rtol=0,
            atol=5 * NEAR_RIGID,
        )


def test_two_models_of_a_plant_have_motors_of_their_own():
    def build(drive: str) -> list[np.ndarray]:
        builder = DiagramBuilder()
        plant = builder.AddSystem(new_plant(0.008))
        plant.AddModelInstance("other")
        rng = np.random.default_rng(5)
        add_random_chain(plant, 2, rng)
        add_random_chain(plant, 2, rng, prefix="o", model="other")
        drivers = {
            MODEL: velocity_driver(
                plant, {"joint0": 1.0, "joint1": -2.0}, drive=drive
            ),
            "other": velocity_driver(
                plant,
                {"ojoint0": -1.0, "ojoint1": 3.0},
                bounds={"ojoint0": 0.5, "ojoint1": 0.2},
                drive=drive,
            ),
        }
        for model, driver in drivers.items():
            configure_actuators(driver, model, plant)
        plant.Finalize()
        systems = [
            ApplyDriverConfig(driver, model, plant, builder=builder)
            for model, driver in drivers.items()
        ]
        simulator = Simulator(builder.Build())
        simulator.AdvanceTo(0.25 - 0.002)
        return [
            plant.GetVelocities(
                plant.GetMyContextFromRoot(simulator.get_context())
            )
        ] + [
            system.GetOutputPort("effort")
            .Eval(system.GetMyContextFromRoot(simulator.get_context()))
            .copy()
            for system in systems
        ]

    torque, implicit = build("torque"), build("implicit")
    np.testing.assert_allclose(implicit[0], torque[0], rtol=0, atol=1e-3)
    np.testing.assert_allclose(implicit[0][:2], [1.0, -2.0], atol=1e-3)
    assert (np.abs(implicit[2]) <= [0.5, 0.2]).all()


def test_an_actuator_without_a_motor_stays_off():
    # Gains of the model are for somebody who connects its desired state.
    def state(drive: str) -> np.ndarray:
        plant = new_plant(0.008)
        arm, pan = add_body(plant, "arm"), add_body(plant, "pan")
        add_joint(plant, "hinge", arm)
        add_joint(plant, "pivot", pan, parent=arm, at=(0, 0, -0.5))
        pivot = plant.GetJointActuatorByName("pivot")
        pivot.set_controller_gains(PdControllerGains(p=100.0, d=10.0))
        driver = WebotsMotorDriver(
            drive=drive, motors={"m": RotationalMotor("hinge", max_torque=99)}
        )
        rig = Rig(*driven(plant, driver))
        simulator = rig.started(np.array([0.0, 0.5, 0.0, 0.0]))
        rig.advance(simulator, 50)
        return rig.state(simulator)

    np.testing.assert_allclose(state("implicit"), state("torque"), atol=1e-3)


# --- softness, bounds, stops ---


@pytest.mark.parametrize("cfm", [0.0, 1e-5, 1e-3])
def test_softness_is_slip_per_effort(cfm):
    # 2 kg lifted at 0.1 m/s. The fed-forward effort's grid leaves 1e-8.
    plant = slider(0.008)
    driver = velocity_driver(plant, {"rail": 0.1}, drive="implicit", cfm=cfm)
    signals = Rig(*driven(plant, driver)).signals(50)
    effort, velocity = (
        signals[f"{MODEL}/rail/{name}"][-1] for name in ("effort", "velocity")
    )
    assert effort == pytest.approx(2 * 9.81, abs=1e-4)
    assert velocity == pytest.approx(0.1 - cfm * effort, abs=2e-8)


def test_effort_keeps_to_what_is_available_from_step_to_step():
    limits = [3.0, 0.0, 40.0, 1e-3, 19.0, 0.0, 25.0]
    signals = one_motor(
        slider(0.008),
        "rail",
        10 * len(limits),
        max_force=50.0,
        commands=[
            TimedCommand(
                time=10 * i * 0.008, motor="m", set_available_force=limit
            )
            for i, limit in enumerate(limits)
        ],
    )
    for i, limit in enumerate(limits):
        effort = np.abs(signals["effort"][10 * i + 1 : 10 * i + 11])
        assert (effort <= limit).all()
        assert limit >= 40.0 or effort.max() == limit


def test_without_power_a_joint_moves_as_if_there_were_no_motor():
    # To the solver's accuracy: a servo without effort is still a row in it.
    signals = one_motor(
        pendulum(0.002),
        "hinge",
        500,
        commands=[
            TimedCommand(motor="m", set_position=0.6),
            TimedCommand(time=0.5, motor="m", set_available_torque=0.0),
        ],
    )
    plant = pendulum(0.002)
    plant.Finalize()
    simulator = Simulator(plant)
    at = 260
    plant.SetPositionsAndVelocities(
        simulator.get_mutable_context(),
        [signals["position"][at], signals["velocity"][at]],
    )
    simulator.AdvanceTo(0.002 * (500 - at))
    np.testing.assert_allclose(
        plant.GetPositionsAndVelocities(simulator.get_context()),
        [signals["position"][-1], signals["velocity"][-1]],
        rtol=0,
        atol=1e-9,
    )
    assert (signals["effort"][252:] == 0).all()


def at_stop() -> dict[str, np.ndarray]:
    """Pushes a link into a stop at 0.7, and away from 1 s on."""
    return one_motor(
        pendulum(0.004),
        "hinge",
        300,
        max_torque=6.0,
        joints={"hinge": JointParameters(min_stop=-0.7, max_stop=0.7)},
        commands=[
            TimedCommand(motor="m", set_position=math.inf, set_velocity=2.0),
            TimedCommand(time=1.0, motor="m", set_velocity=-2.0),
        ],
    )


def test_a_motor_pushes_into_a_stop_with_all_it_has():
    signals = at_stop()
    resting = slice(200, 250)
    # ODE's own stop gives way by 1.2e-3 rad when it is hit.
    np.testing.assert_allclose(signals["position"][resting], 0.7, atol=1e-5)
    assert signals["position"].max() < 0.701
    np.testing.assert_array_equal(signals["effort"][resting], 6.0)
    np.testing.assert_array_equal(signals["saturated"][resting], 1.0)


def test_a_motor_leaves_a_stop_in_the_step_in_which_it_is_told():
    velocity = at_stop()["velocity"]
    # 6 N m and gravity on 0.0827 kg m^2, for 4 ms.
    expected = -0.004 * (6 + 9.81 * 0.25 * math.sin(0.7)) / (0.02020 + 0.0625)
    assert velocity[250] == pytest.approx(0.0, abs=1e-6)
    assert velocity[251] == pytest.approx(expected, rel=1e-3)


# --- modes switch at random, runs repeat ---


STEPS = draws(200, 400)
DRIVES = pytest.mark.parametrize("drive", ["torque", "implicit"])
PORTS = pytest.mark.parametrize(
    "sampled", [True, False], ids=["sampled", "direct"]
)


@functools.cache
def shared(drive: str, sampled: bool) -> RandomRover:
    """Returns a diagram that several runs share, each with a Context of its own."""
    return RandomRover.build(drive, sampled=sampled)


@PORTS
@DRIVES
def test_modes_switch_at_random_and_efforts_keep_their_bounds(drive, sampled):
    rover = shared(drive, sampled)
    friction = rover.rig.motors.static_friction
    simulator = rover.simulator(1)
    before, modes = None, set()
    for k in range(STEPS):
        values = rover.step(simulator, k)
        assert np.isfinite(values).all()
        if before is not None:
            direct = before[Command.EFFORT_CONTROL] == 1
            given = np.where(direct, before[Command.DIRECT_EFFORT], 0.0)
            available = before[Command.AVAILABLE_EFFORT]
            bound = np.where(direct, friction, np.maximum(available, friction))
            # A sum of two numbers is rounded.
            excess = np.abs(values[-4:] - given) - bound
            assert (excess <= 1e-15).all()
            modes |= set(zip(direct, available > 0, strict=True))
        before = rover.rig.port(simulator, "command").copy()
    assert len(modes) == 4  # each mode, with power and without


@functools.cache
def alone(drive: str, sampled: bool, seed: int) -> np.ndarray:
    """Returns a run of a diagram of its own."""
    return RandomRover.build(drive, sampled=sampled).run(seed, STEPS)


@pytest.mark.slow
@PORTS
@DRIVES
def test_a_random_run_repeats_to_the_bit(drive, sampled):
    rover = shared(drive, sampled)
    for _ in range(2):  # a second Context of the same diagram
        np.testing.assert_array_equal(
            rover.run(1, 100), alone(drive, sampled, 1)[:100]
        )
    assert not np.array_equal(rover.run(2, 100), rover.run(1, 100))


@pytest.mark.slow
@PORTS
@DRIVES
def test_two_random_runs_of_a_diagram_do_not_disturb_each_other(drive, sampled):
    # Effort limits are the plant's, and the two set others all the time.
    rover = shared(drive, sampled)
    simulators = [rover.simulator(seed) for seed in (1, 2)]
    together = [[], []]
    for k in range(STEPS):
        for states, simulator in zip(together, simulators, strict=True):
            states.append(rover.step(simulator, k))
    for seed, states in zip((1, 2), together, strict=True):
        np.testing.assert_array_equal(states, alone(drive, sampled, seed))


@PORTS
@DRIVES
def test_a_random_run_resumes_from_a_cloned_context(drive, sampled):
    rover = shared(drive, sampled)
    simulator = rover.simulator(1)
    clones = []
    for stop in (1, 30, 101):
        rover.step(simulator, stop)
        clones.append(simulator.get_context().Clone())
    uninterrupted = rover.step(simulator, 150)
    for clone in clones:
        resumed = rover.step(rover.rig.simulator(clone), 150)
        np.testing.assert_array_equal(resumed, uninterrupted)


@DRIVES
def test_a_reset_context_forgets_all(drive):
    rover = shared(drive, sampled=True)
    simulator = rover.simulator(1)
    first = rover.step(simulator, 150)
    rover.rig.diagram.SetDefaultContext(simulator.get_mutable_context())
    rover.commands.seed(simulator.get_mutable_context(), 1)
    simulator.get_mutable_context().SetTime(0.0)
    simulator.Initialize()
    np.testing.assert_array_equal(rover.step(simulator, 150), first)


def growth(drive: str) -> float:
    """Returns by how much 2000 steps make this process grow, bytes."""
    rover = RandomRover.build(drive)
    simulator = rover.simulator(1)
    sizes = []
    for step in (500, 2500):
        rover.step(simulator, step)
        gc.collect()
        sizes.append(int(Path("/proc/self/statm").read_text().split()[1]))
    return (sizes[1] - sizes[0]) * resource.getpagesize()


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="Linux says how big we are"
)
@DRIVES
def test_memory_does_not_grow(drive):
    # In a process of its own, where nobody has left memory to use again. Four
    # numbers per step, kept, would be 0.27 MB.
    code = (
        "import warnings; warnings.simplefilter('ignore');"
        "import test_implicit_motors as here;"
        f"print(here.growth({drive!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert float(done.stdout) < 0.2e6


# --- extremes ---


UNSTABLE = """
Unstable:
  simulation_duration: 5.0
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      drive: implicit
      motors:
        shoulder motor: !RotationalMotor
          {joint: shoulder, control_pid: [1.0e+4, 0, 0], max_velocity: 1.0e+300,
           max_torque: 1.0e+300}
      commands:
      - {time: 0.0, motor: shoulder motor, set_position: 1.2}
"""


def test_a_run_that_blows_up_ends_in_our_error(tmp_path):
    # P h = 80 and nothing that limits the motor: no simulation can follow.
    file = tmp_path / "unstable.scenario.yaml"
    file.write_text(UNSTABLE)
    with pytest.raises(SimulationError) as caught:
        run_scenario(load_scenario(file))
    assert "joint shoulder of motor arm/shoulder motor" in str(caught.value)


# --- what it does to the plant, and when ---


def test_a_spring_damps_the_plants_joint_on_the_implicit_drive_only():
    def damping(drive: str) -> float:
        plant = pendulum(0.008)
        joint: Joint = plant.GetJointByName("hinge")
        driver = WebotsMotorDriver(
            drive=drive,
            motors={"m": RotationalMotor("hinge")},
            joints={"hinge": JointParameters(spring_constant=5.0)},
        )
        rig = Rig(*driven(plant, driver))
        assert joint.default_damping_vector() == [0.0]
        context = rig.started(np.zeros(2)).get_context()
        return joint.GetDampingVector(plant.GetMyContextFromRoot(context))[0]

    assert damping("torque") == 0.0
    assert damping("implicit") == pytest.approx(0.008 * 5.0)


def test_the_law_runs_once_a_period_and_the_servo_every_plant_step():
    # A command acts for four plant steps; what it asks for is reached in the
    # first of them and held in the others.
    plant = slider(0.002, axis=X)
    driver = velocity_driver(
        plant, {"rail": 1.0}, basic_time_step=0.008, cfm=0.0
    )
    driver.motors["rail"].acceleration = 10.0
    rig = Rig(*driven(plant, on("implicit", driver)))
    simulator = rig.simulator()
    for k in range(8):
        for part in (1, 2, 3, 4):
            simulator.AdvanceTo(0.008 * k + 0.002 * part - 0.0005)
            velocity = rig.state(simulator)[1]
            assert velocity == pytest.approx(0.08 * (k + 1), abs=1e-4)


def test_one_event_per_motor_step_moves_a_robot_as_one_per_plant_step_does(
    monkeypatch,
):
    case = contact_cases.rover(0.001, 1.0, sampled=False)
    case.model_drivers["rover"].basic_time_step = 0.008
    seldom, calls = rolled(case, monkeypatch)
    assert calls == 25  # a start, and 24 whole motor steps
    declare = MotorSystem._declare_events
    monkeypatch.setattr(
        MotorSystem,
        "_declare_events",
        lambda motors, period: declare(motors, motors._plant_step),
    )
    often, calls = rolled(case, monkeypatch)
    assert calls == 200
    off = np.abs(np.array(seldom) - np.array(often))
    # What is fed forward lags after the jump at the start: rad/s and N m.
    assert off[:20].max() < 0.05
    assert off[20:].max() < 1e-4
    assert np.abs(often).max() > 0.3


def rolled(case, monkeypatch) -> tuple[list[np.ndarray], int]:
    """Returns a rover's state and efforts every ms, and its motors' events."""
    calls, update = [], MotorSystem._update
    monkeypatch.setattr(
        MotorSystem, "_update", lambda *given: calls.append(1) or update(*given)
    )
    simulator = contact_cases.ours(case)
    rows, diagram = [], simulator.get_system()
    ports = [
        diagram.GetSubsystemByName("plant").get_state_output_port(),
        diagram.GetSubsystemByName("rover.motors").GetOutputPort("effort"),
    ]
    for k in range(1, 200):
        simulator.AdvanceTo(0.001 * k)
        root = simulator.get_context()
        rows.append(
            np.concatenate(
                [
                    p.Eval(p.get_system().GetMyContextFromRoot(root))
                    for p in ports
                ]
            )
        )
    return rows, len(calls)
