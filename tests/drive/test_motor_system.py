"""The motors in a diagram: timing, repeatability, ports."""

import math

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    X,
    add_body,
    add_joint,
    new_plant,
)
from drawn import draws
from hypothesis import given, settings as examples, strategies as st
from mechanisms import (
    Rig,
    chain,
    driven,
    floating_arm,
    pendulum,
    random_state,
    run,
    slider,
    velocity_driver,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import PrismaticJoint
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import LeafSystem
from pydrake.systems.primitives import (
    ConstantVectorSource,
    LogVectorOutput,
    MatrixGain,
)

from webmotor_drake.drive.command_ports import COMMAND_PORTS
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import SimulationError
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.commands import Kind, TimedCommand
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

# Motor periods and plant steps, s.
PERIODS = [
    (0.032, 0.001),
    (0.010, 0.001),
    (0.016, 0.002),
    (0.0333, 0.00111),
    (0.008, 0.008),
]
seeds = st.integers(0, 2**32 - 1)
quiet = pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")


# --- the law sees the state at k h ---

GAINS, LIMIT, SPEED = (8.0, 2.0, 0.05), 30.0, 4.0
TARGETS = {0: 1.0, 51: -0.6, 150: 0.4}
STEPS = draws(250, 600)


def law_by_hand(positions: np.ndarray, period: float) -> np.ndarray:
    """Returns the servo rows that the law has for these positions."""
    p, i, d = GAINS
    integral = previous = command = 0.0
    lines, target = [], math.nan
    for k, q in enumerate(positions):
        target = TARGETS.get(k, target)
        error = target - q
        integral += error * period
        out = p * error + i * integral + d * ((error - previous) / period)
        previous = error
        out = max(-SPEED, min(SPEED, out))
        change = max(-LIMIT * period, min(LIMIT * period, out - command))
        command += change
        lines.append([integral, error, out, command])
    return np.array(lines)


def logged_samples(
    period: float, time_step: float, sampled: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Returns positions and servo rows at the start of each plant step."""
    driver = WebotsMotorDriver(
        basic_time_step=period,
        motors={
            "m": RotationalMotor(
                "hinge",
                acceleration=LIMIT,
                control_pid=list(GAINS),
                max_velocity=SPEED,
                max_torque=6.0,
            )
        },
        commands=[
            TimedCommand(time=k * period, motor="m", set_position=target)
            for k, target in TARGETS.items()
        ],
    )
    builder, plant, motors = driven(
        pendulum(time_step, sampled=sampled), driver
    )
    state, servo = (
        LogVectorOutput(port, builder, publish_period=time_step)
        for port in (
            plant.get_state_output_port(),
            motors.GetOutputPort("servo"),
        )
    )
    simulator = Rig(builder, plant, motors).simulator()
    simulator.AdvanceTo(STEPS * period - time_step / 4)
    context = simulator.get_context()
    return (
        state.FindLog(context).data()[0],
        servo.FindLog(context).data().T,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("period", "time_step"), PERIODS)
def test_the_law_sees_the_state_at_every_multiple_of_its_period(
    period, time_step
):
    stride = round(period / time_step)
    q, servo = logged_samples(period, time_step, sampled=True)
    assert len(q) == STEPS * stride
    servo = servo.reshape(STEPS, stride, 4)
    np.testing.assert_array_equal(servo, servo[:, :1].repeat(stride, axis=1))
    # Roundings of numbers up to 50. One plant step off would be 1e-3.
    np.testing.assert_allclose(
        servo[:, 0], law_by_hand(q[::stride], period), rtol=0, atol=1e-14
    )
    for one, other in zip(
        (q, servo.reshape(-1, 4)),
        logged_samples(period, time_step, sampled=False),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


# --- no latency ---


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize(("period", "time_step"), PERIODS)
def test_a_command_acts_in_the_step_that_it_is_for(period, time_step, sampled):
    steps = [0, 1, 6, 7, 31]
    driver = velocity_driver(
        plant := slider(time_step, axis=X, sampled=sampled),
        {"rail": 0.0},
        basic_time_step=period,
        cfm=0.0,
    )
    driver.commands += [
        TimedCommand(time=k * period, motor="rail", set_velocity=k + 1.0)
        for k in steps
    ]
    states = run(Rig(*driven(plant, driver)), 40)
    # What holds at the end of step k was commanded for it.
    expected = np.zeros(41)
    for k in steps:
        expected[k + 1 :] = k + 1
    np.testing.assert_allclose(states[:, 1], expected, rtol=1e-12)


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize(("period", "time_step"), PERIODS)
def test_a_controller_on_the_ports_has_no_latency_either(
    period, time_step, sampled
):
    # A spring of somebody's own: effort = -5 q, of the position at k h.
    driver = WebotsMotorDriver(
        basic_time_step=period, motors={"m": RotationalMotor("hinge")}
    )
    rig = Rig(*driven(pendulum(time_step, sampled=sampled), driver))
    gain = rig.builder.AddSystem(MatrixGain([[-5.0, 0.0]]))
    rig.builder.Connect(
        rig.plant.get_state_output_port(), gain.get_input_port()
    )
    rig.builder.Connect(
        gain.get_output_port(), rig.motors.GetInputPort("direct_effort")
    )
    simulator = rig.started(np.array([0.7, 0.0]))
    for k in range(30):
        if k:
            rig.advance(simulator, k)
        q, _ = rig.state(simulator)
        np.testing.assert_array_equal(
            rig.port(simulator, "actuation"), [-5 * q]
        )


@pytest.mark.parametrize(("period", "time_step"), [*PERIODS, (0.016, 0.0)])
def test_a_command_given_before_a_step_acts_in_it(period, time_step):
    plant = slider(time_step, axis=X)
    driver = velocity_driver(
        plant, {"rail": 0.0}, basic_time_step=period, cfm=0.0
    )
    rig = Rig(*driven(plant, driver))
    simulator = rig.simulator()
    motors = rig.motors
    for k in range(1, 80, 2):
        simulator.AdvanceTo(motors.next_step_time(k))
        # Already there: the state in which step k finds the plant.
        before = rig.state(simulator)
        context = simulator.get_mutable_context()
        motors.apply_all(
            motors.GetMyMutableContextFromRoot(context),
            [(0, Kind.VELOCITY, 1.0 * k)],
        )
        if time_step:
            rig.advance(simulator, k)
            np.testing.assert_array_equal(rig.state(simulator), before)
            rig.advance(simulator, k + 1)
        else:
            simulator.AdvanceTo((k + 1) * period)
        # The continuous plant's integrator rounds more.
        np.testing.assert_allclose(rig.state(simulator)[1], k, rtol=1e-9)


@pytest.mark.parametrize(("period", "time_step"), [*PERIODS, (0.016, 0.0)])
def test_ports_are_read_when_a_step_begins_and_not_later(period, time_step):
    # Half a plant step before, where nothing else happens.
    class Clock(LeafSystem):
        def __init__(self):
            super().__init__()
            self.DeclareVectorOutputPort(
                "time",
                1,
                lambda context, output: output.SetFromVector(
                    [context.get_time()]
                ),
            )

    plant = slider(time_step)
    driver = velocity_driver(plant, {"rail": 0.0}, basic_time_step=period)
    rig = Rig(*driven(plant, driver))
    clock = rig.builder.AddSystem(Clock())
    rig.builder.Connect(
        clock.get_output_port(), rig.motors.GetInputPort("target_velocity")
    )
    simulator = rig.simulator()
    for k in range(1, 40):
        rig.advance(simulator, k + 0.1 * (time_step == 0))
        read = rig.port(simulator, "command")[Command.TARGET_VELOCITY]
        # To the 1e-9 s of timed commands.
        assert k * period - time_step / 2 - 1e-9 <= read <= k * period + 1e-9


def test_nan_on_a_port_commands_nothing():
    states = []
    for ports in ([], COMMAND_PORTS):
        plant = slider(0.008)
        rig = Rig(*driven(plant, velocity_driver(plant, {"rail": 0.5})))
        for port in ports:
            source = rig.builder.AddSystem(ConstantVectorSource([np.nan]))
            rig.builder.Connect(
                source.get_output_port(), rig.motors.GetInputPort(port)
            )
        states.append(run(rig, 20))
    np.testing.assert_array_equal(*states)


@quiet
def test_a_negative_available_effort_on_a_port_is_ignored():
    # As by the controller's library; it would turn a direct effort around.
    driver = WebotsMotorDriver(motors={"m": LinearMotor("rail")})
    rig = Rig(*driven(slider(0.008, axis=X), driver))
    for port, value in (("available_effort", -5.0), ("direct_effort", 1.0)):
        source = rig.builder.AddSystem(ConstantVectorSource([value]))
        rig.builder.Connect(
            source.get_output_port(), rig.motors.GetInputPort(port)
        )
    simulator = rig.simulator()
    rig.advance(simulator, 1)
    assert rig.port(simulator, "command")[Command.AVAILABLE_EFFORT] == 10
    assert rig.port(simulator, "effort") == 1


def test_ports_command_position_before_velocity():
    # A negative velocity is for velocity control only.
    plant = slider(0.008, axis=X)
    motor = LinearMotor("rail", max_force=1e3)
    rig = Rig(*driven(plant, WebotsMotorDriver(motors={"m": motor})))
    for port, value in (("target_velocity", -0.4), ("target_position", np.inf)):
        source = rig.builder.AddSystem(ConstantVectorSource([value]))
        rig.builder.Connect(
            source.get_output_port(), rig.motors.GetInputPort(port)
        )
    # In the first step, but for the slip of 100 N.
    np.testing.assert_allclose(run(rig, 1)[1, 1], -0.4, atol=1.01e-3)


@quiet
def test_ports_command_as_the_controllers_calls_would():
    plant = new_plant(0.008, gravity=0)
    for i in range(2):
        link = add_body(plant, f"link{i}")
        add_joint(plant, f"joint{i}", link, at=[i, 0, 0])
    driver = WebotsMotorDriver(
        motors={
            "g::a": RotationalMotor("joint0", max_velocity=3.0),
            "g::b": RotationalMotor(
                "joint1", max_velocity=6.0, multiplier=-2.0, max_torque=5.0
            ),
        }
    )
    rig = Rig(*driven(plant, driver))
    for port, values in {
        "target_position": [0.5, np.nan],  # relayed to g::b
        "target_velocity": [9.0, np.nan],  # clipped, relayed
        "available_effort": [np.nan, 2.0],  # not relayed
        "direct_effort": [np.nan, np.nan],
    }.items():
        source = rig.builder.AddSystem(ConstantVectorSource(values))
        rig.builder.Connect(
            source.get_output_port(), rig.motors.GetInputPort(port)
        )
    simulator = rig.simulator()
    rig.advance(simulator, 0)
    table = rig.port(simulator, "command")
    for row, expected in {
        Command.TARGET_POSITION: [0.5, -1.0],
        Command.TARGET_VELOCITY: [3.0, -6.0],
        Command.AVAILABLE_EFFORT: [10.0, 2.0],
        Command.EFFORT_CONTROL: [0, 0],
    }.items():
        np.testing.assert_array_equal(table[row], expected)


# --- what motors do to joints ---


@given(
    seed=seeds,
    links=st.integers(1, 4),
    period=st.sampled_from([0.008, 0.016, 0.032]),
    substeps=st.sampled_from([1, 4]),
)
@examples(max_examples=draws(10, 15))
def test_unloaded_motors_approach_by_the_factor_one_minus_p_h(
    seed, links, period, substeps
):
    rng = np.random.default_rng(seed)
    plant = chain(period / substeps, links, rng, gravity=0)
    gains = rng.uniform(1, 20, links)
    motors, commands = {}, []
    for i, gain in enumerate(gains):
        joint = plant.GetJointByName(f"joint{i}")
        sliding = isinstance(joint, PrismaticJoint)
        motor = LinearMotor if sliding else RotationalMotor
        effort = {motor.effort_field: 1e9}
        motors[f"m{i}"] = motor(
            joint.name(),
            control_pid=[gain, 0.0, 0.0],
            max_velocity=1e3,
            **effort,
        )
        commands.append(
            TimedCommand(motor=f"m{i}", set_position=rng.uniform(-1, 1))
        )
    driver = WebotsMotorDriver(
        basic_time_step=period, cfm=0.0, motors=motors, commands=commands
    )
    error = run(Rig(*driven(plant, driver)), 12)[:, :links]
    error = [c.set_position for c in commands] - error
    # Drake reaches the command to 1e-12 of velocities up to 20 rad/s.
    np.testing.assert_allclose(
        error[1:], (1 - gains * period) * error[:-1], rtol=0, atol=1e-11
    )


def random_driver(
    plant: MultibodyPlant, rng: np.random.Generator, period: float
) -> WebotsMotorDriver:
    """Returns random motors, joint parameters and commands for all joints."""
    motors, joints, commands = {}, {}, []
    for index in plant.GetJointIndices(plant.GetModelInstanceByName(MODEL)):
        joint = plant.get_joint(index)
        if joint.num_velocities() != 1 or rng.random() < 0.2:
            continue
        sliding = isinstance(joint, PrismaticJoint)
        motor = LinearMotor if sliding else RotationalMotor
        effort = {motor.effort_field: rng.choice([0.0, rng.exponential(20)])}
        name = f"{rng.choice(['g::', ''])}{joint.name()}"
        motors[name] = motor(
            joint.name(),
            acceleration=rng.choice([-1.0, rng.exponential(50)]),
            control_pid=rng.exponential([10, 5, 0.1]).tolist(),
            max_velocity=rng.exponential(5),
            multiplier=rng.normal(),
            **effort,
        )
        if rng.random() < 0.5:
            joints[joint.name()] = JointParameters(
                spring_constant=rng.choice([0.0, rng.exponential(100)]),
                damping_constant=rng.choice([0.0, rng.exponential(5)]),
                static_friction=rng.choice([0.0, rng.exponential(10)]),
            )
        verbs = {
            "set_position": rng.choice([math.inf, rng.normal()]),
            "set_velocity": rng.normal(0, 5),
            "set_acceleration": rng.exponential(50),
            "set_available_force": rng.choice([0.0, rng.exponential(20)]),
            "set_torque": rng.normal(0, 10),
            "set_control_pid": rng.exponential([10, 5, 0.1]).tolist(),
        }
        for verb in rng.permutation(list(verbs))[: rng.integers(7)]:
            time = rng.integers(20) * period
            commands.append(
                TimedCommand(time=time, motor=name, **{verb: verbs[verb]})
            )
    if not motors:
        motors["m"] = RotationalMotor("hinge")
    return WebotsMotorDriver(
        basic_time_step=period, motors=motors, joints=joints, commands=commands
    )


@quiet
@given(
    seed=seeds,
    links=st.integers(1, 4),
    floating=st.booleans(),
    substeps=st.sampled_from([1, 3]),
)
@examples(max_examples=draws(15, 50))
def test_effort_never_exceeds_its_bound(seed, links, floating, substeps):
    rng = np.random.default_rng(seed)
    period = 0.012
    time_step = period / substeps
    plant = (floating_arm if floating else chain)(time_step, links, rng)
    add_joint(plant, "hinge", add_body(plant, "link"))
    rig = Rig(*driven(plant, random_driver(plant, rng, period)))
    largest = [getattr(m, m.effort_field) for m in rig.motors.devices.motors]
    friction = rig.motors.static_friction
    net = plant.get_net_actuation_output_port(
        plant.GetModelInstanceByName(MODEL)
    )
    simulator = rig.simulator()
    for k in range(25 * substeps):
        rig.advance(simulator, k / substeps)
        actuation = rig.port(simulator, "actuation").copy()
        table = rig.port(simulator, "command").copy()
        servo = rig.port(simulator, "servo").copy()
        available = table[Command.AVAILABLE_EFFORT]
        direct = table[Command.EFFORT_CONTROL] == 1
        applied = np.abs(table[Command.DIRECT_EFFORT])
        speed = np.abs(table[Command.TARGET_VELOCITY])
        rig.advance(simulator, (k + 1) / substeps)
        effort = rig.port(simulator, "effort")
        bound = np.where(
            direct, applied + friction, np.maximum(available, friction)
        )
        assert (np.abs(effort) <= bound).all()
        assert (available <= largest).all()
        assert (applied <= largest).all()
        assert (
            direct | (np.abs(servo[LawState.VELOCITY_TARGET]) <= speed)
        ).all()
        # The plant applies just that: its own limits clip nothing.
        context = plant.GetMyContextFromRoot(simulator.get_context())
        np.testing.assert_array_equal(net.Eval(context), actuation)


def test_acceleration_minus_one_is_no_limit():
    states = []
    for acceleration in (-1.0, 1e9):
        motor = RotationalMotor("hinge", acceleration=acceleration)
        command = TimedCommand(motor="m", set_position=1.0)
        driver = WebotsMotorDriver(motors={"m": motor}, commands=[command])
        states.append(run(Rig(*driven(pendulum(0.008), driver)), 100))
    # previous + (velocity - previous) rounds; the error does not grow.
    np.testing.assert_allclose(*states, rtol=0, atol=1e-12)


def test_a_joints_velocity_changes_by_a_h_at_most():
    motor = RotationalMotor("hinge", acceleration=5.0, max_torque=1e3)
    command = TimedCommand(motor="m", set_position=2.0)
    driver = WebotsMotorDriver(cfm=0.0, motors={"m": motor}, commands=[command])
    v = run(Rig(*driven(pendulum(0.008), driver)), 300)[:, 1]
    assert np.abs(np.diff(v)).max() <= 5.0 * 0.008 * (1 + 1e-9)
    assert v.max() > 1


@quiet
def test_coupled_motors_move_by_their_multipliers():
    multipliers = {"g::a": 1.0, "g::b": -2.0, "g::c": 0.3}
    plant = new_plant(0.008, gravity=0)
    motors = {}
    for i, (name, multiplier) in enumerate(multipliers.items()):
        add_joint(plant, f"joint{i}", add_body(plant, f"link{i}"))
        motors[name] = RotationalMotor(
            f"joint{i}", multiplier=multiplier, max_torque=1e6
        )
    commands = [
        TimedCommand(motor="g::a", set_position=1.3),
        TimedCommand(time=0.4, motor="g::b", set_position=-0.7),
        TimedCommand(time=0.8, motor="g::c", set_position=math.inf),
        TimedCommand(time=0.8, motor="g::c", set_velocity=-1.7),
        TimedCommand(time=1.2, motor="g::a", set_torque=0.2),
    ]
    driver = WebotsMotorDriver(motors=motors, commands=commands)
    states = run(Rig(*driven(plant, driver)), 200)
    for i, multiplier in enumerate(multipliers.values()):
        for column in (i, 3 + i):
            np.testing.assert_allclose(
                states[:, column],
                multiplier * states[:, column - i],
                rtol=1e-12,
                atol=1e-12,
            )
    assert np.abs(states[:, 3]).max() > 1


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("build", [chain, floating_arm])
@pytest.mark.parametrize(
    "command", [{"set_torque": 0.0}, {"set_available_force": 0.0}]
)
def test_motors_without_effort_leave_the_plant_as_it_is_to_the_bit(
    build, sampled, command
):
    # Stops on some joints: the passive plant has forces of its own.
    def plant() -> MultibodyPlant:
        plant = build(0.004, 4, np.random.default_rng(1), sampled=sampled)
        for i in range(2):
            plant.GetJointByName(f"joint{i}").set_position_limits([-0.2], [0.3])
        return plant

    driver = velocity_driver(plant(), {f"joint{i}": 1.0 for i in range(4)})
    driver.basic_time_step = 0.008
    driver.commands = [
        TimedCommand(motor=name, **command) for name in driver.motors
    ]
    driver.joints["joint1"] = JointParameters(min_stop=-0.2, max_stop=0.3)
    rig = Rig(*driven(plant(), driver))
    passive = plant()
    passive.Finalize()
    state = random_state(passive, np.random.default_rng(2))
    simulator = rig.started(state)
    alone = Simulator(passive)
    passive.SetPositionsAndVelocities(alone.get_mutable_context(), state)
    for k in range(1, 100):
        rig.advance(simulator, k)
        alone.AdvanceTo(k * 0.008 - 0.001)
        np.testing.assert_array_equal(
            rig.state(simulator),
            passive.GetPositionsAndVelocities(alone.get_context()),
        )


def test_a_motor_holds_the_position_that_it_finds():
    # Whatever its multiplier, and wherever the joint was by default.
    motor = RotationalMotor("hinge", multiplier=-3.0, max_torque=50.0)
    rig = Rig(*driven(pendulum(0.008), WebotsMotorDriver(motors={"m": motor})))
    simulator = rig.started(np.array([0.8, 0.0]))
    rig.advance(simulator, 100)
    # It droops by cfm times the torque over P.
    np.testing.assert_allclose(rig.state(simulator)[0], 0.8, atol=1e-5)
    assert rig.port(simulator, "command")[Command.TARGET_POSITION] == 0.8


@pytest.mark.parametrize("time_step", [0.002, 0.008])
def test_a_push_is_in_the_effort_of_the_plant_step_in_which_it_sets_in(
    time_step,
):
    # The slider does not yield to a push of 300 N, but for the slip.
    class Push(LeafSystem):
        def __init__(self):
            super().__init__()
            self.DeclareVectorOutputPort(
                "push",
                1,
                lambda context, output: output.SetFromVector(
                    [300.0 * (0.08 - 1e-9 < context.get_time() < 0.1)]
                ),
            )

    def connect(builder, plant):
        builder.Connect(
            builder.AddSystem(Push()).get_output_port(),
            plant.get_applied_generalized_force_input_port(),
        )

    plant = slider(time_step, axis=X)
    driver = velocity_driver(plant, {"rail": 0.5}, basic_time_step=0.008)
    rig = Rig(*driven(plant, driver, connect=connect))
    states = run(rig, 30)
    np.testing.assert_allclose(states[1:, 1], 0.5, atol=300e-5 * 1.01)
    assert np.abs(states[1:, 1] - 0.5).max() > 299e-5


def test_with_other_forces_too_effort_stays_within_its_bound():
    # There the effort is what the plant reports less the spring's, to rounding.
    plant = slider(0.004, axis=X)
    driver = velocity_driver(
        plant,
        {"rail": 0.5},
        bounds={"rail": 7.0},
        basic_time_step=0.008,
        joints={
            "rail": JointParameters(
                spring_constant=300.0, damping_constant=50.0
            )
        },
    )

    def connect(builder, plant):
        builder.Connect(
            builder.AddSystem(ConstantVectorSource([3.0])).get_output_port(),
            plant.get_applied_generalized_force_input_port(),
        )

    rig = Rig(*driven(plant, driver, connect=connect))
    simulator, efforts = rig.simulator(), []
    for k in range(1, 200):
        rig.advance(simulator, k / 2)
        efforts.append(rig.port(simulator, "effort")[0])
    assert np.abs(efforts).max() == pytest.approx(7.0, rel=1e-9)
    # In the end it holds what it can: 300 q = 3 + 7.
    assert rig.state(simulator)[0] == pytest.approx(1 / 30, abs=1e-3)


def test_a_position_that_is_no_number_names_joint_and_motor():
    driver = WebotsMotorDriver(motors={"m": RotationalMotor("hinge")})
    rig = Rig(*driven(pendulum(0.008), driver))
    simulator = rig.simulator()
    context = simulator.get_mutable_context()
    rig.plant.GetMyMutableContextFromRoot(context).SetDiscreteState(
        [np.nan, 0.0]
    )
    with pytest.raises(SimulationError) as caught:
        simulator.Initialize()
    assert str(caught.value) == (
        "at 0 s the position of joint hinge (motor m) is nan"
    )


# --- runs repeat to the bit ---


def eventful(period: float, time_step: float) -> Rig:
    """Returns an arm with all that motors remember."""
    plant = chain(time_step, 3, np.random.default_rng(3))
    driver = WebotsMotorDriver(
        basic_time_step=period,
        motors={},
        joints={"joint1": JointParameters(static_friction=0.4)},
    )
    for i in range(3):
        sliding = isinstance(plant.GetJointByName(f"joint{i}"), PrismaticJoint)
        motor = LinearMotor if sliding else RotationalMotor
        driver.motors[f"m{i}"] = motor(
            f"joint{i}", acceleration=20.0, control_pid=[9.0, 3.0, 0.05]
        )
        driver.commands += [
            TimedCommand(time=2 * i * period, motor=f"m{i}", set_position=0.5),
            TimedCommand(
                time=9 * period, motor=f"m{i}", set_available_torque=3.0
            ),
            TimedCommand(time=14 * period, motor=f"m{i}", set_position=-0.5),
        ]
    driver.commands.append(
        TimedCommand(time=11 * period, motor="m2", set_torque=0.5)
    )
    return Rig(*driven(plant, driver))


LAST = 20
RATIOS = [(0.008, 0.008), (0.010, 0.001), (0.0333, 0.00111)]


def fixed_steps(simulator: Simulator) -> Simulator:
    """Makes the integrator forget what it found out about step sizes."""
    ResetIntegratorFromFlags(simulator, "runge_kutta3", 0.004)
    simulator.get_mutable_integrator().set_fixed_step_mode(True)
    return simulator


def outcome(rig: Rig, simulator: Simulator) -> list[np.ndarray]:
    """Returns what a run has led to."""
    rig.advance(simulator, LAST)
    return [rig.state(simulator)] + [
        rig.port(simulator, name).copy()
        for name in ("command", "servo", "effort", "actuation")
    ]


def assert_same(one: list[np.ndarray], other: list[np.ndarray]):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("period", "time_step"), [*RATIOS, (0.016, 0.0)])
def test_a_fresh_simulator_repeats_the_run_to_the_bit(period, time_step):
    rig = eventful(period, time_step)
    first = outcome(rig, rig.simulator())
    assert_same(first, outcome(rig, rig.simulator()))
    other = eventful(period, time_step)
    assert_same(first, outcome(other, other.simulator()))


@pytest.mark.parametrize(("period", "time_step"), [*RATIOS, (0.016, 0.0)])
def test_a_reset_context_repeats_the_run_to_the_bit(period, time_step):
    rig = eventful(period, time_step)
    simulator = rig.simulator()
    if time_step == 0:
        fixed_steps(simulator)
    first = outcome(rig, simulator)
    rig.diagram.SetDefaultContext(simulator.get_mutable_context())
    simulator.get_mutable_context().SetTime(0.0)
    simulator.Initialize()
    assert_same(first, outcome(rig, simulator))


@pytest.mark.parametrize("stop", [0, 1, 2, 3, 10, 11, 14])
@pytest.mark.parametrize(("period", "time_step"), RATIOS)
def test_initializing_again_changes_nothing(period, time_step, stop):
    rig = eventful(period, time_step)
    uninterrupted = outcome(rig, rig.simulator())
    simulator = rig.simulator()
    if stop:
        simulator.AdvanceTo(stop * period)
    seen = None
    for _ in range(3):
        simulator.Initialize()
        ports = [
            rig.port(simulator, name).copy()
            for name in ("command", "servo", "effort", "actuation")
        ]
        assert_same(seen or ports, ports)
        seen = ports
    assert_same(uninterrupted, outcome(rig, simulator))


@pytest.mark.parametrize("stop", [1, 2, 3, 10, 11, 14])
@pytest.mark.parametrize(("period", "time_step"), RATIOS)
def test_a_cloned_context_resumes_the_run_to_the_bit(period, time_step, stop):
    rig = eventful(period, time_step)
    uninterrupted = outcome(rig, rig.simulator())
    simulator = rig.simulator()
    simulator.AdvanceTo(stop * period)
    clone = simulator.get_context().Clone()
    assert_same(uninterrupted, outcome(rig, simulator))
    assert_same(uninterrupted, outcome(rig, rig.simulator(clone)))


@pytest.mark.parametrize("plant_steps", [1, 4, 5, 6, 9, 13, 55, 59])
def test_a_run_may_be_resumed_within_a_motor_step(plant_steps):
    rig = eventful(0.010, 0.001)
    uninterrupted = outcome(rig, rig.simulator())
    simulator = rig.simulator()
    simulator.AdvanceTo(plant_steps * 0.001)
    clone = simulator.get_context().Clone()
    assert_same(uninterrupted, outcome(rig, rig.simulator(clone)))


@pytest.mark.parametrize(("period", "time_step"), RATIOS)
def test_two_simulators_of_a_diagram_do_not_disturb_each_other(
    period, time_step
):
    rig = eventful(period, time_step)
    alone = outcome(rig, rig.simulator())
    one, other = rig.simulator(), rig.simulator()
    for k in range(1, LAST):
        rig.advance(one, k)
        rig.advance(other, (k + 1) // 2)
    assert_same(alone, outcome(rig, one))
    assert_same(alone, outcome(rig, other))


def test_a_run_may_start_at_any_time():
    # Commands before that are due at once.
    rig = eventful(0.010, 0.001)
    simulator = rig.simulator()
    simulator.get_mutable_context().SetTime(7.0)
    simulator.Initialize()
    table = rig.port(simulator, "command")
    np.testing.assert_array_equal(table[Command.TARGET_POSITION], -0.5)
    simulator.AdvanceTo(7.1)
    assert np.isfinite(rig.state(simulator)).all()


# --- continuous plants ---


def test_on_a_continuous_plant_a_lift_follows_its_closed_form():
    # The force is held, so within a period the acceleration is constant:
    # v reaches the command at its end, q moves by the mean velocity.
    period, gain, target = 0.016, 8.0, 0.3
    driver = WebotsMotorDriver(
        basic_time_step=period,
        cfm=0.0,
        motors={
            "lift": LinearMotor(
                "rail", control_pid=[gain, 0.0, 0.0], max_force=1e3
            )
        },
        commands=[
            TimedCommand(time=5 * period, motor="lift", set_position=target)
        ],
    )
    rig = Rig(*driven(slider(0.0), driver))
    simulator = rig.simulator()
    q = v = 0.0
    for k in range(60):
        command = gain * ((target if k >= 5 else 0.0) - q)
        q, v = q + period * (v + command) / 2, command
        rig.advance(simulator, k + 1)
        # The integrator's accuracy is 1e-3 of nothing: it is exact for
        # constant accelerations, to rounding.
        np.testing.assert_allclose(rig.state(simulator), [q, v], atol=1e-12)


@pytest.mark.parametrize("stop", [1, 2, 10, 11, 14, 11.2, 11.7])
def test_on_a_continuous_plant_a_cloned_context_resumes_the_run(stop):
    rig = eventful(0.016, 0.0)
    uninterrupted = outcome(rig, fixed_steps(rig.simulator()))
    simulator = fixed_steps(rig.simulator())
    simulator.AdvanceTo(stop * 0.016)
    clone = simulator.get_context().Clone()
    for resumed in (simulator, fixed_steps(rig.simulator(clone))):
        for one, other in zip(
            uninterrupted, outcome(rig, resumed), strict=True
        ):
            # The integrator's step that is cut in two has other errors.
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_on_a_continuous_plant_the_effort_is_held_over_the_period():
    period = 0.016
    driver = velocity_driver(
        plant := pendulum(0.0), {"hinge": 3.0}, basic_time_step=period
    )
    rig = Rig(*driven(plant, driver))
    simulator = rig.simulator()
    for k in range(5):
        rig.advance(simulator, k + 0.1)
        held = rig.port(simulator, "actuation").copy()
        for part in (0.3, 0.7, 0.999):
            rig.advance(simulator, k + part)
            np.testing.assert_array_equal(
                rig.port(simulator, "actuation"), held
            )
        rig.advance(simulator, k + 1.1)
        assert rig.port(simulator, "actuation") != held
