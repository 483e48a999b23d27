"""Commands change motors, timed ones in their step."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from mechanisms import warnings_of

from webmotor_drake.errors import InputError
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.commands import (
    VERBS,
    Kind,
    TimedCommand,
    check_command,
    schedule,
)
from webmotor_drake.motor.devices import MotorDevices
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

MULTIPLIERS = {"g::a": 1.0, "g::b": -2.0, "g::c": 0.3}


class Devices:
    """Motors and their tables, as a step of the simulator has them."""

    def __init__(self, **motors):
        self._devices = MotorDevices(motors)
        self.table = self._devices.initial_commands()
        self.law_state = np.arange(
            1.0, 1 + len(LawState) * len(motors)
        ).reshape(len(LawState), -1)
        self._names = list(motors)

    def give(self, name: str, kind: Kind, value) -> list[str]:
        """Gives a command; returns what is warned of."""
        index = self._names.index(name)
        return warnings_of(
            self._devices.apply, kind, index, value, self.table, self.law_state
        )[1]

    def __getitem__(self, row: Command) -> list[float]:
        return self.table[row].tolist()


def one(**fields) -> Devices:
    return Devices(m=RotationalMotor(joint="hinge", **fields))


def coupled(**fields) -> Devices:
    return Devices(
        **{
            name: RotationalMotor(multiplier=multiplier, **fields)
            for name, multiplier in MULTIPLIERS.items()
        },
        other=RotationalMotor(**fields),
    )


def test_a_motor_starts_with_its_fields():
    devices = one(
        max_velocity=3.0,
        acceleration=2.0,
        max_torque=4.0,
        control_pid=[7.0, 8.0, 9.0],
        multiplier=5.0,
    )
    np.testing.assert_array_equal(
        devices.table[:, 0], [np.nan, 3, 2, 4, 0, 0, 7, 8, 9, 0]
    )


@pytest.mark.parametrize(
    "verb", sorted(VERBS.keys() - {"set_damping_constant"})
)
def test_each_verb_for_motors_does_something(verb):
    devices = one()
    before = devices.table.copy()
    value = [1.0, 2.0, 3.0] if verb == "set_control_pid" else 0.5
    devices.give("m", VERBS[verb], value)
    assert not np.array_equal(devices.table, before, equal_nan=True)


def test_a_position_is_multiplied_and_ends_effort_control():
    devices = one(multiplier=-2.0)
    devices.give("m", Kind.EFFORT, 1.0)
    assert devices[Command.EFFORT_CONTROL] == [1]
    assert devices.give("m", Kind.POSITION, 0.25) == []
    assert devices[Command.TARGET_POSITION] == [-0.5]
    assert devices[Command.EFFORT_CONTROL] == [0]


@pytest.mark.parametrize("position", [math.inf, -math.inf])
def test_an_infinite_position_keeps_no_multiplier_and_no_limit(position):
    devices = one(multiplier=-2.0, min_position=-1.0, max_position=1.0)
    assert devices.give("m", Kind.POSITION, position) == []
    assert devices[Command.TARGET_POSITION] == [position]


@pytest.mark.parametrize(("position", "target"), [(1.0, 1.5), (-0.3, -0.5)])
def test_a_position_beyond_the_soft_limits_is_clipped(position, target):
    devices = one(multiplier=2.0, min_position=-0.5, max_position=1.5)
    assert devices.give("m", Kind.POSITION, position) == [
        f"m: requested position {position:g} is outside its soft limits;"
        f" target {target:g} rad"
    ]
    assert devices[Command.TARGET_POSITION] == [target]


@pytest.mark.parametrize("limit", [0.0, 0.5])
def test_equal_soft_limits_are_none(limit):
    devices = one(min_position=limit, max_position=limit)
    assert devices.give("m", Kind.POSITION, 9.0) == []
    assert devices[Command.TARGET_POSITION] == [9]


def test_a_position_keeps_the_integral_and_the_last_error():
    devices = one()
    before = devices.law_state.copy()
    devices.give("m", Kind.POSITION, 0.25)
    np.testing.assert_array_equal(devices.law_state, before)


@pytest.mark.parametrize(("velocity", "target"), [(3, -5), (-3, 5), (2, -4)])
def test_a_velocity_is_multiplied_and_clipped(velocity, target):
    devices = one(multiplier=-2.0, max_velocity=5.0)
    devices.give("m", Kind.POSITION, math.inf)
    warned = devices.give("m", Kind.VELOCITY, float(velocity))
    assert devices[Command.TARGET_VELOCITY] == [target]
    assert warned == (
        []
        if target == -4
        else [f"m: requested velocity {velocity} exceeds max_velocity 5 rad/s"]
    )


def test_a_negative_velocity_is_ignored_in_position_control():
    devices = one()
    devices.give("m", Kind.POSITION, 1.0)
    assert devices.give("m", Kind.VELOCITY, -3.0) == [
        "m: velocity -3 is ignored; negative velocities need set_position:"
        " .inf first (beside a target it is the speed limit; for feed-forward"
        " there is the input port desired_state)"
    ]
    assert devices[Command.TARGET_VELOCITY] == [10]
    assert devices.give("m", Kind.VELOCITY, 3.0) == []
    assert devices[Command.TARGET_VELOCITY] == [3]


def test_a_refused_velocity_reaches_no_sibling():
    devices = coupled()
    devices.give("g::a", Kind.POSITION, 0.0)
    before = devices.table.copy()
    devices.give("g::b", Kind.VELOCITY, -3.0)
    np.testing.assert_array_equal(devices.table, before)


def test_a_checked_velocity_may_have_any_sign_and_reaches_the_siblings():
    # As in WbMotor.cpp; position control takes its magnitude.
    devices = coupled()
    devices.give("g::a", Kind.POSITION, 0.0)
    assert devices.give("g::b", Kind.CHECKED_VELOCITY, -3.0) == []
    expected = [-3 * multiplier for multiplier in MULTIPLIERS.values()]
    assert devices[Command.TARGET_VELOCITY] == [*expected, 10]


@pytest.mark.parametrize("acceleration", [-1.0, 0.0, 3.0])
def test_an_acceleration_is_taken_as_it_is(acceleration):
    devices = one(multiplier=-2.0)
    assert devices.give("m", Kind.ACCELERATION, acceleration) == []
    assert devices[Command.ACCELERATION] == [acceleration]


def test_an_available_effort_above_the_largest_is_clipped():
    devices = one(max_torque=4.0, multiplier=-2.0)
    assert devices.give("m", Kind.AVAILABLE_EFFORT, 3.0) == []
    assert devices[Command.AVAILABLE_EFFORT] == [3]
    assert devices.give("m", Kind.AVAILABLE_EFFORT, 4.5) == [
        "m: requested 4.5 exceeds the available 4 N·m"
    ]
    assert devices[Command.AVAILABLE_EFFORT] == [4]


@pytest.mark.parametrize(("effort", "applied"), [(1, -2), (9, -4), (-9, 4)])
def test_an_effort_is_multiplied_and_clipped_to_what_is_available(
    effort, applied
):
    devices = Devices(m=LinearMotor(max_force=10.0, multiplier=-2.0))
    devices.give("m", Kind.AVAILABLE_EFFORT, 4.0)
    warned = devices.give("m", Kind.EFFORT, float(effort))
    assert devices[Command.DIRECT_EFFORT] == [applied]
    assert devices[Command.EFFORT_CONTROL] == [1]
    assert warned == (
        []
        if effort == 1
        else [f"m: requested {effort} exceeds the available 4 N"]
    )


def test_less_available_effort_does_not_clip_an_effort_again():
    devices = one(max_torque=10.0)
    devices.give("m", Kind.EFFORT, 8.0)
    devices.give("m", Kind.AVAILABLE_EFFORT, 2.0)
    assert devices[Command.DIRECT_EFFORT] == [8]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Kind.VELOCITY, 1.0),
        (Kind.ACCELERATION, 1.0),
        (Kind.AVAILABLE_EFFORT, 1.0),
        (Kind.CONTROL_PID, [1.0, 2.0, 3.0]),
    ],
)
def test_only_a_position_ends_effort_control(kind, value):
    devices = one()
    devices.give("m", Kind.EFFORT, 1.0)
    devices.give("m", kind, value)
    assert devices[Command.EFFORT_CONTROL] == [1]


def test_unchanged_gains_keep_the_integral():
    devices = one(control_pid=[7.0, 8.0, 9.0])
    before = devices.law_state.copy()
    devices.give("m", Kind.CONTROL_PID, [7.0, 8.0, 9.0])
    np.testing.assert_array_equal(devices.law_state, before)


@pytest.mark.parametrize("which", range(3))
def test_a_changed_gain_forgets_the_integral_and_the_last_error(which):
    devices = one(control_pid=[7.0, 8.0, 9.0])
    gains = [7.0, 8.0, 9.0]
    gains[which] += 1
    target, command = devices.law_state[2:, 0].copy()
    devices.give("m", Kind.CONTROL_PID, gains)
    np.testing.assert_array_equal(
        devices.table[[Command.P, Command.I, Command.D], 0], gains
    )
    np.testing.assert_array_equal(
        devices.law_state[:, 0], [0, 0, target, command]
    )


def test_gains_of_one_motor_leave_its_siblings_integrals():
    devices = coupled()
    before = devices.law_state.copy()
    devices.give("g::b", Kind.CONTROL_PID, [1.0, 2.0, 3.0])
    changed = (devices.law_state != before).any(axis=0)
    assert changed.tolist() == [False, True, False, False]


@given(commanded=st.sampled_from(list(MULTIPLIERS)), value=st.floats(-100, 100))
def test_coupled_motors_scale_by_their_multipliers(commanded, value):
    rows = {
        Kind.POSITION: Command.TARGET_POSITION,
        Kind.VELOCITY: Command.TARGET_VELOCITY,
        Kind.EFFORT: Command.DIRECT_EFFORT,
    }
    devices = coupled(max_velocity=1e6, max_torque=1e6)
    for kind, row in rows.items():
        if kind == Kind.VELOCITY:
            devices.give(commanded, Kind.POSITION, math.inf)
        other = devices[row][-1]
        assert devices.give(commanded, kind, value) == []
        np.testing.assert_allclose(
            devices[row][:-1],
            np.multiply(list(MULTIPLIERS.values()), value),
            rtol=1e-12,
        )
        np.testing.assert_equal(devices[row][-1], other)


@pytest.mark.parametrize(
    ("kind", "value", "rows"),
    [
        (Kind.ACCELERATION, 2.0, [Command.ACCELERATION]),
        (Kind.AVAILABLE_EFFORT, 2.0, [Command.AVAILABLE_EFFORT]),
        (Kind.CONTROL_PID, [1.0, 2.0, 3.0], [Command.P, Command.I, Command.D]),
    ],
)
def test_other_commands_are_not_relayed(kind, value, rows):
    devices = coupled()
    before = devices.table.copy()
    devices.give("g::b", kind, value)
    np.testing.assert_array_equal(devices.table[rows, 1], value)
    devices.table[rows, 1] = before[rows, 1]
    np.testing.assert_array_equal(devices.table, before)


def test_too_much_effort_is_not_warned_of_for_coupled_motors():
    devices = coupled(max_torque=1.0)
    assert devices.give("g::a", Kind.EFFORT, 5.0) == []
    assert devices[Command.DIRECT_EFFORT] == [1, -1, 1, 0]
    assert devices.give("g::a", Kind.AVAILABLE_EFFORT, 5.0) == []
    assert devices.give("other", Kind.EFFORT, 5.0) != []


def test_positions_and_velocities_are_warned_of_for_coupled_motors():
    devices = coupled(max_velocity=1.0, min_position=-1.0, max_position=1.0)
    assert len(devices.give("g::a", Kind.POSITION, 0.9)) == 1  # times -2
    devices.give("g::a", Kind.POSITION, math.inf)
    assert len(devices.give("g::a", Kind.VELOCITY, 0.9)) == 1


ALL_KINDS = {
    "set_control_pid": [1.0, 2.0, 3.0],
    "set_acceleration": 4.0,
    "set_torque": 5.0,
    "set_available_torque": 6.0,
    "set_velocity": 7.0,
    "set_position": 8.0,
}
IN_ORDER = [
    (Kind.POSITION, 8.0),
    (Kind.VELOCITY, 7.0),
    (Kind.AVAILABLE_EFFORT, 6.0),
    (Kind.EFFORT, 5.0),
    (Kind.ACCELERATION, 4.0),
    (Kind.CONTROL_PID, [1.0, 2.0, 3.0]),
]


@given(st.permutations(list(ALL_KINDS)), st.permutations(["a", "b"]))
def test_a_step_applies_commands_in_webots_order_whatever_the_lists(
    verbs, motors
):
    commands = [
        TimedCommand(motor=motor, **{verb: ALL_KINDS[verb]})
        for motor in motors
        for verb in verbs
    ]
    assert schedule(commands, ["a", "b"], [], 0.1) == {
        0: [(i, kind, value) for i in (0, 1) for kind, value in IN_ORDER]
    }


def test_one_line_may_hold_several_commands():
    command = TimedCommand(motor="a", **ALL_KINDS)
    assert schedule([command], ["a"], [], 0.1) == {
        0: [(0, kind, value) for kind, value in IN_ORDER]
    }


def test_both_names_of_a_verb_mean_the_same():
    for one_name, other_name in (
        ("set_torque", "set_force"),
        ("set_available_torque", "set_available_force"),
    ):
        assert VERBS[one_name] == VERBS[other_name]


def test_of_a_kind_the_last_in_a_step_counts():
    # The later time is last, at one time the later line.
    commands = [
        TimedCommand(time=0.19, motor="a", set_position=1.0),
        TimedCommand(time=0.19, motor="a", set_position=3.0),
        TimedCommand(time=0.15, motor="a", set_position=2.0),
        TimedCommand(time=0.11, motor="a", set_velocity=4.0),
    ]
    assert schedule(commands, ["a"], [], 0.1) == {
        2: [(0, Kind.POSITION, 3.0), (0, Kind.VELOCITY, 4.0)]
    }


def step_of(time: float, period: float) -> int:
    command = TimedCommand(time=time, motor="a", set_position=0.0)
    (step,) = schedule([command], ["a"], [], period)
    return step


@pytest.mark.parametrize("period", [0.0333, 0.032, 0.001, 0.1])
def test_a_command_acts_in_the_first_step_that_starts_at_its_time(period):
    for k in range(3000):
        start = k * period
        assert step_of(start, period) == k
        assert step_of(float(f"{start:.10f}"), period) == k
        assert step_of(start + 0.9e-9, period) == k
        assert step_of(start + 1.1e-9, period) == k + 1
        assert step_of(start + period / 2, period) == k + 1
        assert step_of(start + period - 1e-8, period) == k + 1


def good(**fields) -> TimedCommand:
    return TimedCommand(**({"motor": "a", "set_position": 1.0} | fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"set_position": math.inf},
        {"set_position": -math.inf},
        {"set_velocity": -3.0},
        {"set_acceleration": -1.0},
        {"set_acceleration": 0.0},
        {"set_available_torque": 0.0},
        {"set_force": -3.0},
        {"set_control_pid": [1.0, 0.0, 0.0]},
        {"time": 1e9},
    ],
)
def test_commands_that_webots_takes_are_taken(fields):
    check_command(good(**fields), ["a"], [])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"motor": "elbo"},
            "motor: unknown motor 'elbo'; did you mean elbow? (known: a,"
            " elbow)",
        ),
        ({"motor": ""}, "neither a motor nor a brake is named"),
        ({"time": -0.1}, "time: -0.1 s; a time from 0 to 1e+09 s is allowed"),
        (
            {"time": math.nan},
            "time: nan s; a time from 0 to 1e+09 s is allowed",
        ),
        (
            {"time": 1e308},
            "time: 1e+308 s; a time from 0 to 1e+09 s is allowed",
        ),
        (
            {"time": math.inf},
            "time: inf s; a time from 0 to 1e+09 s is allowed",
        ),
        (
            {"set_position": None},
            "nothing is commanded; give one of set_position, set_velocity,"
            " set_available_torque, set_available_force, set_torque,"
            " set_force, set_acceleration, set_control_pid",
        ),
        (
            {"set_position": math.nan},
            "set_position: nan is not allowed; must be a number or .inf",
        ),
        (
            {"set_acceleration": -2.0},
            "set_acceleration: -2.0 is not allowed; must be -1 (no limit) or"
            " at least 0",
        ),
        (
            {"set_available_force": -2.0},
            "set_available_force: -2.0 is not allowed; must be at least 0",
        ),
    ],
)
def test_a_command_that_cannot_be_given_is_refused(fields, message):
    with pytest.raises(InputError) as caught:
        check_command(good(**fields), ["a", "elbow"], [])
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "verb",
    sorted(
        VERBS.keys()
        - {"set_position", "set_control_pid", "set_damping_constant"}
    ),
)
def test_every_other_number_has_to_be_finite(verb, value):
    with pytest.raises(InputError) as caught:
        check_command(good(**{verb: value}), ["a"], [])
    assert str(caught.value) == (
        f"{verb}: {value} is not allowed; must be a finite number"
    )


@pytest.mark.parametrize(
    "gains",
    [
        [0.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 0.0, -1.0],
        [1.0, math.nan, 0.0],
        [1.0, 0.0, math.inf],
        [1.0, 0.0],
        [],
    ],
)
def test_gains_are_three_and_not_negative(gains):
    with pytest.raises(InputError) as caught:
        check_command(good(set_control_pid=gains), ["a"], [])
    assert str(caught.value) == (
        f"set_control_pid: {gains} is not allowed; must be three numbers P > 0,"
        " I >= 0, D >= 0"
    )


def test_an_available_effort_below_0_is_ignored_with_a_warning():
    motors = one(max_torque=5.0)
    said = motors.give("m", Kind.AVAILABLE_EFFORT, -1.0)
    assert said == ["m: available effort -1 is ignored; it is at least 0"]
    assert motors[Command.AVAILABLE_EFFORT] == [5.0]
