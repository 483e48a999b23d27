"""Motors are coupled by their names; the first one dictates the limits."""

import dataclasses as dc

import numpy as np
import pytest
from hypothesis import given, strategies as st
from mechanisms import warnings_of

from webmotor_drake.motor.coupling import coupled_motors, harmonised
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor


def test_names_with_the_same_first_of_two_parts_are_coupled():
    names = ["grip::left", "arm", "grip::right", "leg::left", "grip::thumb"]
    grip = [0, 2, 4]
    assert coupled_motors(names) == [grip, [1], grip, [3], grip]


@pytest.mark.parametrize(
    "names",
    [
        ["grip", "grip::left"],
        ["grip::left::a", "grip::left::b"],
        ["grip:left", "grip:right"],
        ["grip", "Grip"],
    ],
)
def test_names_that_do_not_split_into_two_parts_are_not_coupled(names):
    assert coupled_motors(names) == [[0], [1]]


def limits(motor) -> tuple[float, float, float]:
    return motor.min_position, motor.max_position, motor.max_velocity


def test_followers_take_limits_by_the_ratio_of_the_multipliers():
    leader = RotationalMotor(
        min_position=-1.0, max_position=2.0, max_velocity=5.0, multiplier=2.0
    )
    motors = {"g::a": leader, "g::b": RotationalMotor(multiplier=6.0)}
    result, warned = warnings_of(harmonised, motors)
    assert result["g::a"] == leader
    assert limits(result["g::b"]) == (-3, 6, 15)
    assert warned == [
        f"g::b.{field}: {old} does not fit the coupled motor g::a; {new} is"
        " used"
        for field, old, new in [
            ("min_position", 0, -3),
            ("max_position", 0, 6),
            ("max_velocity", 10, 15),
        ]
    ]


def test_a_negative_ratio_swaps_the_limits():
    motors = {
        "g::a": RotationalMotor(
            min_position=-1.0, max_position=2.0, max_velocity=5.0
        ),
        "g::b": LinearMotor(multiplier=-2.0),
    }
    result, _ = warnings_of(harmonised, motors)
    assert limits(result["g::b"]) == (-4, 2, 10)


def test_an_unlimited_leader_takes_the_others_limits_away():
    motors = {
        "g::a": RotationalMotor(),
        "g::b": RotationalMotor(min_position=-1.0, max_position=1.0),
    }
    result, warned = warnings_of(harmonised, motors)
    assert limits(result["g::b"]) == (0, 0, 10)
    assert len(warned) == 2


def test_the_first_in_device_order_dictates():
    one = RotationalMotor(min_position=-1.0, max_position=1.0)
    other = RotationalMotor(
        min_position=-3.0, max_position=3.0, max_velocity=1.0
    )
    for motors in (
        {"g::a": one, "g::b": other},
        {"g::b": other, "g::a": one},
    ):
        result, _ = warnings_of(harmonised, motors)
        assert list(result) == list(motors)
        first = next(iter(motors.values()))
        assert limits(result["g::a"]) == limits(first)
        assert limits(result["g::b"]) == limits(first)


def test_motors_that_fit_are_left_alone_without_a_word():
    motors = {
        "g::a": RotationalMotor(min_position=-1.0, max_position=2.0),
        "g::b": RotationalMotor(
            min_position=-4.0,
            max_position=2.0,
            max_velocity=20.0,
            multiplier=-2.0,
        ),
        "single": LinearMotor(min_position=-9.0),
    }
    assert warnings_of(harmonised, motors) == (motors, [])


def test_acceleration_and_effort_stay_each_motors_own():
    follower = RotationalMotor(
        acceleration=3.0, max_torque=7.0, control_pid=[1.0, 2.0, 3.0]
    )
    motors = {"g::a": RotationalMotor(max_velocity=1.0), "g::b": follower}
    result, _ = warnings_of(harmonised, motors)
    assert result["g::b"] == dc.replace(follower, max_velocity=1.0)


def test_a_coupled_name_without_a_sibling_is_warned_of():
    motors = {"g::a": RotationalMotor(), "h": RotationalMotor()}
    result, warned = warnings_of(harmonised, motors)
    assert result == motors
    assert warned == ["g::a: no other motor is named g::…"]


@pytest.mark.parametrize("name", ["grip", "a::b::c"])
def test_a_name_that_cannot_couple_is_not_warned_of(name):
    assert warnings_of(harmonised, {name: RotationalMotor()})[1] == []


multipliers = st.floats(0.01, 100) | st.floats(-100, -0.01)


@given(
    low=st.floats(-10, 0),
    high=st.floats(0, 10),
    velocity=st.floats(0, 10),
    leader=multipliers,
    follower=multipliers,
)
def test_commands_that_fit_the_leader_fit_its_followers(
    low, high, velocity, leader, follower
):
    motors = {
        "g::a": RotationalMotor(
            min_position=low,
            max_position=high,
            max_velocity=velocity,
            multiplier=leader,
        ),
        "g::b": RotationalMotor(multiplier=follower),
    }
    (first, second), _ = warnings_of(lambda: harmonised(motors).values())
    # A command c reaches its target at c * multiplier: whichever limit of the
    # leader c meets, it meets the follower's as well, to rounding.
    of_leader = np.divide([low, high], leader)
    of_follower = np.divide(
        [second.min_position, second.max_position], follower
    )
    np.testing.assert_allclose(
        np.sort(of_leader), np.sort(of_follower), rtol=1e-14, atol=1e-300
    )
    np.testing.assert_allclose(
        second.max_velocity / abs(follower),
        velocity / abs(leader),
        rtol=1e-14,
        atol=1e-300,
    )
    assert second.min_position <= second.max_position
    assert first == motors["g::a"]


def test_limits_that_differ_by_rounding_only_fit():
    # 3 * 0.3 is 0.8999999999999999.
    motors = {
        "g::a": RotationalMotor(min_position=-3.0, max_position=3.0),
        "g::b": RotationalMotor(
            min_position=-0.9,
            max_position=0.9,
            max_velocity=3.0,
            multiplier=0.3,
        ),
    }
    assert warnings_of(harmonised, motors)[1] == []


def test_names_are_no_patterns():
    # The warning of a lone name speaks of the name, whatever it looks like.
    _, warned = warnings_of(harmonised, {"a{}%s::b": RotationalMotor()})
    assert warned == ["a{}%s::b: no other motor is named a{}%s::…"]
