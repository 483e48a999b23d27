"""Commands to all motors at once do what one command per motor does."""

import math
import warnings

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st
from loops_as_text import loops_as_text

from webmotor_drake import loops
from webmotor_drake.loops.rows import LawState
from webmotor_drake.loops.usual_commands import DESIRED, POSITIONS, VELOCITIES
from webmotor_drake.motor.commands import Kind
from webmotor_drake.motor.devices import MotorDevices
from webmotor_drake.motor.step import MotorStep
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

MOTORS = {
    "plain": RotationalMotor(max_torque=5.0),
    "limited": RotationalMotor(min_position=-1.0, max_position=2.0),
    "geared": LinearMotor(multiplier=-2.0, max_force=3.0),
    "still": RotationalMotor(multiplier=0.0),
    "grip::left": RotationalMotor(),
    "grip::right": RotationalMotor(multiplier=-1.0),
    "moved": RotationalMotor(),
}
KINDS = [Kind.POSITION, Kind.VELOCITY, Kind.AVAILABLE_EFFORT, Kind.EFFORT]
unusual = st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 1e308])
values = st.floats(-20, 20) | st.floats(0, 2) | unusual


def devices_of(motors: dict) -> MotorDevices:
    return MotorDevices(motors, [name == "moved" for name in motors])


def outcome(apply, devices, kinds, rows) -> tuple[np.ndarray, list[str]]:
    """Returns the command table after some rows, and the warnings."""
    command = devices.initial_commands()
    command[0] = 0.0
    law_state = np.zeros((len(LawState), len(devices.names)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for kind, row in zip(kinds, rows, strict=True):
            apply(kind, row, command, law_state)
    return command, sorted(str(warning.message) for warning in caught)


def assert_same(motors: dict, kinds, rows) -> None:
    devices = devices_of(motors)

    def one_by_one(kind, row, command, law_state):
        for i, value in enumerate(row.tolist()):
            if not math.isnan(value):
                devices.apply(kind, i, value, command, law_state)

    expected, told = outcome(one_by_one, devices, kinds, rows)
    found, said = outcome(devices.apply_row, devices, kinds, rows)
    np.testing.assert_array_equal(found, expected)
    assert said == told


@settings(max_examples=draws(70, 200))
@given(st.data())
def test_rows_do_what_one_command_per_motor_does(data):
    names = data.draw(
        st.lists(st.sampled_from(list(MOTORS)), min_size=1, unique=True)
    )
    kinds = data.draw(st.lists(st.sampled_from(KINDS), max_size=4))
    rows = [
        np.array([data.draw(values) for _ in names], dtype=float) for _ in kinds
    ]
    motors = {name: MOTORS[name] for name in names}
    assert_same(motors, kinds, rows)


def test_a_robot_may_have_no_motors():
    devices_of({})


@pytest.mark.parametrize("kind", KINDS)
def test_nan_commands_nothing_to_motors_that_turn(kind):
    turning, nothing = np.array([math.inf]), np.array([math.nan])
    motors = {"plain": MOTORS["plain"]}
    assert_same(motors, [Kind.POSITION, kind], [turning, nothing])


@pytest.mark.parametrize("kind", KINDS)
def test_usual_values_of_single_motors_do_not_reach_the_devices(
    kind, monkeypatch
):
    motors = {name: MOTORS[name] for name in ("plain", "limited", "geared")}
    row = np.array([0.5, 0.25, math.nan])
    assert_same(motors, [kind], [row])
    monkeypatch.setattr(MotorDevices, "apply", None)
    devices = devices_of(motors)
    outcome(devices.apply_row, devices, [kind], [row])


@settings(max_examples=draws(20, 60))
@given(st.data())
def test_what_all_motors_take_at_once_is_as_one_by_one_and_nothing_is_said(
    data,
):
    names = data.draw(
        st.lists(
            st.sampled_from(["plain", "limited", "geared", "still"]),
            min_size=1,
            unique=True,
        )
    )
    devices = devices_of({name: MOTORS[name] for name in names})
    kind = data.draw(st.sampled_from([*KINDS, Kind.CHECKED_VELOCITY]))
    row = np.array([data.draw(values) for _ in names])
    done = []

    def at_once(kind, row, command, law_state):
        done.append(devices.usual(command)(kind, row))

    def one_by_one(kind, row, command, law_state):
        for i, value in enumerate(row.tolist()):
            if not math.isnan(value):
                devices.apply(kind, i, value, command, law_state)

    found, said = outcome(at_once, devices, [kind], [row])
    if done == [True]:
        expected, told = outcome(one_by_one, devices, [kind], [row])
        np.testing.assert_array_equal(found, expected)
        assert said == told == []


@settings(max_examples=draws(20, 60))
@given(st.data())
def test_a_command_to_each_motor_in_turn_is_a_row_where_that_is_the_same(data):
    names = list(MOTORS)[: data.draw(st.integers(3, len(MOTORS)))]
    devices = devices_of({name: MOTORS[name] for name in names})
    kind = data.draw(st.sampled_from([*KINDS, Kind.CHECKED_VELOCITY]))
    order = data.draw(st.permutations(range(len(names))) | st.none())
    commands = [
        (i, kind, data.draw(values))
        for i in (range(len(names)) if order is None else order)
    ]
    step = MotorStep(
        {name: MOTORS[name] for name in names},
        kinematic=devices.kinematic,
        friction=[0.0] * len(names),
        braked=[],
        period=0.01,
        drive_state=0,
    )

    def one_by_one(_, row, command, law_state):
        for index, kind, value in commands:
            devices.apply(kind, index, value, command, law_state)

    def together(_, row, command, law_state):
        table = np.zeros(step.tables.size)
        table[step.tables.command] = command.ravel()
        step.apply(table, commands)
        command[:] = step.tables.command_table(table)

    expected, told = outcome(one_by_one, devices, [kind], [None])
    found, said = outcome(together, devices, [kind], [None])
    np.testing.assert_array_equal(found, expected)
    assert said == told


@pytest.mark.parametrize(("number", "rows"), [(3, 0), (4, 1)])
def test_from_four_motors_on_a_command_to_each_is_one_row(
    number, rows, monkeypatch
):
    motors = {f"m{i}": RotationalMotor() for i in range(number)}
    friction, still = [0.0] * number, [False] * number
    step = MotorStep(
        motors,
        kinematic=still,
        friction=friction,
        braked=[],
        period=0.01,
        drive_state=0,
    )
    given = []
    monkeypatch.setattr(
        step.devices, "apply_row", lambda kind, row, *_: given.append(kind)
    )
    commands = [(i, Kind.POSITION, 0.5) for i in range(number)]
    step.apply(step.initial_values(), commands)
    step.apply(step.initial_values(), commands[1:])
    assert given == [Kind.POSITION] * rows


@pytest.mark.parametrize("text", [False, True], ids=["as it is", "as text"])
@settings(max_examples=draws(40, 200))
@given(data=st.data())
def test_targets_that_loops_follow_are_as_given_one_by_one(text, data):
    room = loops_as_text() if text else loops
    follow = room.entry(room.usual_commands.follow)
    names = data.draw(
        st.lists(
            st.sampled_from([name for name in MOTORS if name != "moved"]),
            min_size=1,
            unique=True,
        )
    )
    devices = devices_of({name: MOTORS[name] for name in names})
    n = len(names)
    row = np.array([data.draw(values) for _ in range(n)])
    added = np.array([data.draw(values) for _ in range(n)])
    given = data.draw(st.sampled_from([POSITIONS, VELOCITIES, DESIRED]))
    left = []

    def at_once(_, row, command, law_state):
        limits = devices.limits
        left.append(follow(given, row, limits, command.ravel(), np.zeros(n)))

    def by_rows(_, row, command, law_state):
        apply = devices.apply_row
        if given == VELOCITIES:
            turning = np.where(np.isnan(row), np.nan, np.inf)
            apply(Kind.POSITION, turning, command, law_state)
            apply(Kind.VELOCITY, row, command, law_state)
            return
        apply(Kind.POSITION, row[:n], command, law_state)
        if given == DESIRED:
            known = np.where(np.isnan(added), 0.0, added)
            apply(Kind.FEEDFORWARD, known, command, law_state)

    given_row = np.r_[row, added] if given == DESIRED else row
    found, said = outcome(at_once, devices, [None], [given_row])
    expected, told = outcome(by_rows, devices, [None], [given_row])
    if left == [False]:
        np.testing.assert_array_equal(found, expected)
        assert said == told == []
    else:
        coupled = any(len(group) > 1 for group in devices.groups)
        assert told or coupled or (found != expected).any()
