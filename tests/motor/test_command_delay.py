"""Commands that take their time."""

import numpy as np
import pytest

from webmotor_drake.loops import command_delay, entry
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.step import delay_of


def passed_on(delay: float, period: float, number: int):
    """Returns what passes commands on, and the tables that it does so with."""
    whole, part = delay_of(delay / period)
    delays = np.array([whole]), np.array([part])
    line = np.zeros((number, len(Command), 1))
    command = np.zeros((len(Command), 1))
    law_state = np.ones((len(LawState), 1))
    tables = [table.reshape(-1) for table in (line, command, law_state)]
    pass_on = entry(command_delay.pass_on)
    return lambda: pass_on(*delays, *tables), line, command, law_state


def targets(delay: float, given: list[float], period: float = 0.01):
    """Returns the target that acts in each step, for one given in each."""
    pass_on, line, command, _ = passed_on(delay, period, 7)
    acting = []
    for target in given:
        line[0, Command.TARGET_POSITION] = target
        pass_on()
        acting.append(command[Command.TARGET_POSITION, 0])
    return acting


def test_a_delay_is_whole_steps_and_a_part_that_is_not_rounding():
    assert delay_of(0.0) == (0, 0.0)
    assert delay_of(0.3 / 0.1) == (3, 0.0)
    assert delay_of(2.25) == (2, 0.25)


def test_a_delay_of_whole_steps_shifts():
    assert targets(0.02, [1, 2, 3, 4]) == [0, 0, 1, 2]
    # 0.3 / 0.1 is a little less than 3.
    assert targets(0.3, [1, 2, 3, 4, 5], period=0.1) == [0, 0, 0, 1, 2]


def test_what_arrives_within_a_step_is_averaged_over_it():
    # A quarter of the step has gone by when it comes.
    assert targets(0.0025, [1, 1, 2]) == pytest.approx([0.75, 1, 1.75])
    assert targets(0.0125, [1, 1, 2, 2]) == pytest.approx([0, 0.75, 1, 1.75])


def test_what_acts_changes_smoothly_with_the_delay():
    ramp = np.arange(50.0)
    acting = [
        targets(d, ramp.tolist())[-1] for d in np.linspace(0.01, 0.05, 81)
    ]
    # On a ramp of 1 per step, 0.0005 s more are 0.05 less.
    np.testing.assert_allclose(np.diff(acting), -0.05, atol=1e-9)


def test_velocity_control_comes_at_once_and_whole():
    assert targets(0.005, [1, np.inf, np.inf]) == [0.5, np.inf, np.inf]


def arriving(before: dict, given: dict) -> np.ndarray:
    """Returns what acts where `given` arrives a quarter of a step late."""
    pass_on, line, command, _ = passed_on(0.0025, 0.01, 2)
    for rows in (before, before, given):
        for row, value in rows.items():
            line[0, row] = value
        pass_on()
    return command[:, 0]


def test_a_limit_arrives_together_with_its_target():
    position, velocity = Command.TARGET_POSITION, Command.TARGET_VELOCITY
    acting = arriving({position: 0, velocity: 100}, {position: 4, velocity: 1})
    assert acting[[position, velocity]].tolist() == [3.0, 1.0]


def test_a_velocity_is_averaged_where_it_is_what_motors_follow():
    position, velocity = Command.TARGET_POSITION, Command.TARGET_VELOCITY
    turning = {position: np.inf, velocity: 0}
    assert arriving(turning, {velocity: 4})[velocity] == 3.0
    # The speed was a limit until now.
    aiming = {position: 0, velocity: 100}
    assert arriving(aiming, {position: np.inf, velocity: 4})[velocity] == 4.0


def test_an_effort_is_averaged_only_between_efforts():
    effort, mode = Command.DIRECT_EFFORT, Command.EFFORT_CONTROL
    pushed = {effort: 0, mode: 1}
    assert arriving(pushed, {effort: 4})[effort] == 3.0
    acting = arriving({effort: 0, mode: 0}, {effort: 4, mode: 1})
    assert acting[[effort, mode]].tolist() == [4.0, 1.0]
    position = Command.TARGET_POSITION
    released = arriving({position: 8, **pushed}, {position: 0, mode: 0})
    assert released[[position, mode]].tolist() == [0.0, 0.0]


def test_gains_forget_the_integral_when_they_arrive():
    pass_on, line, _, law_state = passed_on(0.02, 0.01, 3)
    line[0, Command.P] = 5.0
    forgotten = []
    for _ in range(3):
        pass_on()
        forgotten.append(law_state[LawState.ERROR_INTEGRAL, 0] == 0.0)
    assert forgotten == [False, False, True]
    assert law_state[LawState.VELOCITY_COMMAND] == 1.0
