"""The motor law alone, against hand calculations and its own properties."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from loops_as_text import loops_as_text

from webmotor_drake import loops
from webmotor_drake.loops import entry, law_rows
from webmotor_drake.loops.rows import Command, Demand, LawState

EPS = np.finfo(float).eps
AT_REST = (0.0, 0.0, 0.0, 0.0)

numbers = st.floats(-5, 5)
gains = st.tuples(st.floats(0.1, 40), st.floats(0, 5), st.floats(0, 1))
periods = st.floats(0.001, 0.05)


def settings_of(
    *,
    target: float = 1.0,
    speed: float = 10.0,
    acceleration: float = -1.0,
    available: float = 10.0,
    effort_control: bool = False,
    pid: tuple[float, float, float] = (10.0, 0.0, 0.0),
) -> np.ndarray:
    """Returns a motor's column of the command table."""
    column = np.zeros(len(Command))
    column[Command.TARGET_POSITION] = target
    column[Command.TARGET_VELOCITY] = speed
    column[Command.ACCELERATION] = acceleration
    column[Command.AVAILABLE_EFFORT] = available
    column[Command.DIRECT_EFFORT] = 7.0
    column[Command.EFFORT_CONTROL] = effort_control
    column[[Command.P, Command.I, Command.D]] = pid
    return column


def step(q, period, command, servo) -> np.ndarray:
    """Returns the servo table after one step of the law."""
    q, servo = np.array(q, dtype=float), np.array(servo, dtype=float)
    demand, friction = np.zeros((len(Demand), len(q))), np.zeros(len(q))
    run_law_of_all(q, period, command, friction, servo, demand)
    return servo


def run_law_of_all(q, period, command, friction, law_state, demand) -> None:
    """Runs a step of the law; `law_state` and `demand` are written."""
    step, state = entry(law_rows.step_servo_rows), law_state.reshape(-1)
    demand, moved = demand.reshape(-1), np.zeros((len(q), 3))
    step(q, len(q), period, command.ravel(), friction, state, demand, moved)


def run_law(positions, period, column, memory=AT_REST) -> np.ndarray:
    """Returns one motor's servo rows, a line for each of `positions`."""
    servo, lines = np.reshape(memory, (-1, 1)), []
    for q in positions:
        servo = step([q], period, column.reshape(-1, 1), servo)
        lines.append(servo[:, 0])
    return np.array(lines)


def commands(lines: np.ndarray) -> np.ndarray:
    return lines[:, LawState.VELOCITY_COMMAND]


def targets(lines: np.ndarray) -> np.ndarray:
    return lines[:, LawState.VELOCITY_TARGET]


@given(
    q=numbers,
    target=numbers,
    period=periods,
    ratio=st.floats(0.01, 1.99),
)
def test_an_unloaded_motor_approaches_by_the_factor_one_minus_p_h(
    q, target, period, ratio
):
    column = settings_of(target=target, speed=1e9, pid=(ratio / period, 0, 0))
    # Half a dozen roundings a step, of numbers up to these.
    rounding = 6 * EPS * (abs(q) + 2 * abs(target - q) + abs(target))
    for _ in range(30):
        error = target - q
        q += period * commands(run_law([q], period, column))[0]
        assert abs((target - q) - (1 - ratio) * error) <= rounding


@given(
    positions=st.lists(numbers, min_size=1, max_size=8),
    target=numbers,
    speed=st.floats(-8, 8),
    acceleration=st.just(-1.0) | st.floats(0, 500),
    pid=gains,
    period=periods,
)
def test_the_command_never_leaves_the_clamp_nor_jumps(
    positions, target, speed, acceleration, pid, period
):
    column = settings_of(
        target=target, speed=speed, acceleration=acceleration, pid=pid
    )
    lines = run_law(positions, period, column)
    assert (np.abs(targets(lines)) <= abs(speed)).all()
    # A sum rounds: the ramp may end a bit beyond the target velocity.
    assert (np.abs(commands(lines)) <= abs(speed) * (1 + 2 * EPS)).all()
    if acceleration != -1:
        change = acceleration * period
        jumps = np.abs(np.diff(commands(lines), prepend=0))
        assert (jumps <= change + 4 * EPS * (change + abs(speed))).all()


@given(
    positions=st.lists(numbers, min_size=1, max_size=8),
    pid=gains,
    period=periods,
)
def test_acceleration_minus_one_is_no_limit(positions, pid, period):
    free = run_law(positions, period, settings_of(pid=pid))
    np.testing.assert_array_equal(commands(free), targets(free))
    huge = run_law(positions, period, settings_of(pid=pid, acceleration=1e9))
    # previous + (velocity - previous) rounds twice, of numbers up to 20.
    np.testing.assert_allclose(huge, free, rtol=0, atol=40 * EPS)


@given(st.integers(0, 2**32 - 1))
def test_motors_do_not_know_of_each_other(seed):
    rng = np.random.default_rng(seed)
    n, period = 4, 0.01
    command = np.transpose(
        [
            settings_of(
                target=rng.choice([rng.normal(), math.inf]),
                speed=rng.normal(),
                acceleration=rng.choice([-1, rng.uniform(0, 100)]),
                available=rng.choice([0, 1]),
                effort_control=rng.random() < 0.2,
                pid=rng.uniform(0.1, 5, 3),
            )
            for _ in range(n)
        ]
    )
    q, servo = rng.normal(size=n), rng.normal(size=(len(LawState), n))
    together = step(q, period, command, servo)
    for i in range(n):
        alone = step(q[[i]], period, command[:, [i]], servo[:, [i]])
        np.testing.assert_array_equal(together[:, [i]], alone)


def test_the_law_is_webots_formula():
    # By hand, with h = 0.5: e = 1, S = 0.5, de/h = 2; then e = 0.5, S = 0.75,
    # de/h = -1. The velocity is P e + I S + D de/h.
    lines = run_law([0.0, 0.5], 0.5, settings_of(pid=(4.0, 2.0, 0.25)))
    np.testing.assert_array_equal(
        lines, [[0.5, 1.0, 5.5, 5.5], [0.75, 0.5, 3.25, 3.25]]
    )


def test_the_derivative_has_the_sources_sign():
    # The error falls, so D slows the motor down.
    with_d, without = (
        run_law([0.0, 0.1], 0.01, settings_of(speed=1e3, pid=(10.0, 0.0, d)))
        for d in (0.5, 0.0)
    )
    assert commands(with_d)[1] < commands(without)[1]


def test_the_first_step_kicks_by_d_e_over_h():
    lines = run_law([0.0], 0.01, settings_of(speed=1e3, pid=(0.0, 0.0, 0.5)))
    assert commands(lines)[0] == pytest.approx(50, rel=4 * EPS)


def test_a_new_target_kicks_the_derivative():
    pid = (0.0, 0.0, 0.5)
    before = run_law([0.0], 0.01, settings_of(target=1, speed=1e3, pid=pid))
    after = run_law(
        [0.0], 0.01, settings_of(target=1.2, speed=1e3, pid=pid), before[0]
    )
    assert commands(after)[0] == pytest.approx(0.5 * 0.2 / 0.01)


def test_the_integral_grows_while_the_velocity_is_clamped():
    lines = run_law([0.0] * 20, 0.01, settings_of(speed=0.1, pid=(10, 1, 0)))
    assert (commands(lines) == 0.1).all()
    assert lines[-1, LawState.ERROR_INTEGRAL] == pytest.approx(0.2)


def test_a_stalled_motor_still_ramps_its_command():
    lines = run_law([0.0] * 5, 0.1, settings_of(target=9, acceleration=2.0))
    np.testing.assert_allclose(
        commands(lines), [0.2, 0.4, 0.6, 0.8, 1.0], rtol=4 * EPS
    )


def test_the_acceleration_limit_also_limits_braking():
    lines = run_law(
        [1.0, 1.0], 0.1, settings_of(target=1, acceleration=2.0), (0, 0, 3, 3)
    )
    np.testing.assert_allclose(commands(lines), [2.8, 2.6], rtol=4 * EPS)


def test_acceleration_zero_freezes_the_command():
    lines = run_law([0.0] * 3, 0.1, settings_of(acceleration=0), (0, 0, 0, 0.3))
    np.testing.assert_array_equal(commands(lines), [0.3] * 3)


@pytest.mark.parametrize("target", [math.inf, -math.inf])
@pytest.mark.parametrize("speed", [2.0, -2.0, 0.0])
def test_an_infinite_target_of_either_sign_is_velocity_control(target, speed):
    memory = (0.4, 0.3, 0.0, 0.0)
    lines = run_law([5.0], 0.1, settings_of(target=target, speed=speed), memory)
    # Integral and last error wait for position control.
    np.testing.assert_array_equal(lines[0], [0.4, 0.3, speed, speed])


def test_velocity_control_ramps_too():
    lines = run_law(
        [0.0] * 3, 0.1, settings_of(target=math.inf, speed=-5, acceleration=10)
    )
    np.testing.assert_array_equal(commands(lines), [-1, -2, -3])


@pytest.mark.parametrize("speed", [0.7, -0.7])
@pytest.mark.parametrize(("target", "sign"), [(3.0, 1), (-3.0, -1)])
def test_the_sign_of_the_target_velocity_does_not_matter_in_position_control(
    speed, target, sign
):
    lines = run_law([0.0], 0.1, settings_of(target=target, speed=speed))
    assert commands(lines)[0] == sign * 0.7


def test_target_velocity_zero_holds_still():
    assert commands(run_law([0.0], 0.1, settings_of(speed=0)))[0] == 0


def test_a_motor_without_available_effort_commands_zero_and_remembers():
    memory = (0.4, 0.3, 2.0, 1.0)
    lines = run_law(
        [0.0], 0.1, settings_of(available=0, acceleration=1), memory
    )
    np.testing.assert_array_equal(lines[0], [0.4, 0.3, 0, 0])


def test_effort_control_leaves_the_servo_alone():
    memory = (0.4, 0.3, 2.0, 1.0)
    for available in (0, 10):
        column = settings_of(effort_control=True, available=available)
        np.testing.assert_array_equal(
            run_law([0.0], 0.1, column, memory)[0], memory
        )


def demand_of(column: np.ndarray, friction: float) -> list[float]:
    """Returns what the drive is asked for: rate, bound, direct effort."""
    demand = np.full((len(Demand), 2), 9.0)
    run_law_of_all(
        np.zeros(1),
        0.1,
        column.reshape(-1, 1),
        np.array([friction]),
        np.zeros((len(LawState), 1)),
        demand,
    )
    assert (demand[:, 1] == 9).all()  # a joint without a motor
    return demand[: Demand.DIRECT_EFFORT + 1, 0].tolist()


@pytest.mark.parametrize("friction", [0.0, 4.0, 30.0])
def test_friction_and_motor_share_a_bound_by_max(friction):
    column = settings_of(target=math.inf, speed=2.0, available=10.0)
    assert demand_of(column, friction) == [2, max(10, friction), 0]


@pytest.mark.parametrize("available", [0.0, 10.0])
def test_in_effort_control_friction_pulls_towards_rest(available):
    column = settings_of(available=available, effort_control=True)
    assert demand_of(column, 4.0) == [0, 4, 7]


def test_a_motor_without_available_effort_leaves_its_joint_to_friction():
    assert demand_of(settings_of(available=0.0), 0.0) == [0, 0, 0]
    assert demand_of(settings_of(available=0.0), 4.0) == [0, 4, 0]


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_compiled_loops_and_their_text_give_the_same_bits(seed, n):
    rng = np.random.default_rng(seed)
    period = rng.choice([0.001, 0.008])
    friction = rng.choice([0.0, 0.5, 3.0], size=n + 1)
    command = rng.normal(size=(len(Command), n)) * rng.choice(
        [1.0, 10.0], size=n
    )
    command[Command.TARGET_POSITION, rng.random(n) < 0.2] = math.inf
    command[Command.ACCELERATION] = rng.choice([-1.0, 0.5, 50.0], size=n)
    command[Command.AVAILABLE_EFFORT] = rng.choice([0.0, 1.0, 10.0], size=n)
    command[Command.EFFORT_CONTROL] = rng.random(n) < rng.choice([0.0, 0.3])
    command[[Command.I, Command.D, Command.FEEDFORWARD]] *= rng.integers(2)
    command[Command.TARGET_VELOCITY, rng.random(n) < 0.1] = 0.0
    q, law_state = rng.normal(size=n), rng.normal(size=(len(LawState), n))
    moved = rng.integers(0, 2, (n, 3)).astype(float)

    def outcome(room) -> np.ndarray:
        state, demand = law_state.flatten(), np.zeros(len(Demand) * (n + 1))
        step = room.entry(room.law_rows.step_servo_rows)
        for _ in range(3):
            given = command.ravel(), friction
            step(q, n, period, *given, state, demand, moved)
        return np.r_[state, demand]

    np.testing.assert_array_equal(outcome(loops), outcome(loops_as_text()))
