"""The laws of motor models, function by function, as their text stands."""

import math
import types

import numpy as np
import pytest
from loops_as_text import loops_as_text
from random_laws import any_law

from webmotor_drake.loops.rows import (
    COMMANDS,
    MODEL_STATES,
    Command,
    ModelState,
)


def motor_law():
    """Returns the module as text: compiled functions are called from C alone."""
    return loops_as_text().motor_law


def told(**rows):
    """Returns a motor's commands, by the names of their rows."""
    column = np.zeros(COMMANDS)
    for name, value in rows.items():
        column[Command[name]] = value
    return column


@pytest.mark.parametrize("by_voltage", [False, True])
@pytest.mark.parametrize(
    ("elastic", "sees_link", "side"),
    [
        (False, False, "link"),
        (False, True, "link"),
        (True, False, "motor"),
        (True, True, "link"),
    ],
)
def test_what_is_held_for_a_period_sees_the_side_that_has_the_encoder(
    elastic, sees_link, side, by_voltage
):
    sides = {"motor": (0.3, -1.0), "link": (0.1, 0.5)}
    mine = np.zeros(MODEL_STATES)
    rows = ModelState.POSITION, ModelState.VELOCITY
    mine[list(rows)] = sides["motor"]
    rows = ModelState.START_POSITION, ModelState.START_VELOCITY
    mine[list(rows)] = sides["link"]
    law = types.SimpleNamespace(
        elastic=elastic,
        sees_link=sees_link,
        by_voltage=by_voltage,
        kp=10.0,
        kd=2.0,
        duty_gain=3.0,
        max_duty=0.7,
    )
    q, v = sides[side]
    for target in (0.2, 5.0, -5.0):
        held = motor_law().computed_ahead(
            law, mine, told(TARGET_POSITION=target)
        )
        expected = 10.0 * (target - q) - 2.0 * v
        if by_voltage:
            expected = max(min(3.0 * (target - q), 0.7), -0.7)
        assert held == pytest.approx(expected, rel=1e-12)
    speed = told(TARGET_POSITION=math.inf, TARGET_VELOCITY=1.5)
    held = motor_law().computed_ahead(law, mine, speed)
    assert held == (0.0 if by_voltage else 2.0 * (1.5 - v))


def any_motor(some, **rows):
    """Returns a motor's rows of state and of commands."""
    mine = np.zeros(MODEL_STATES)
    mine[ModelState.HELD] = some.uniform(-6, 6)
    mine[ModelState.IS_HOT] = some.integers(2)
    mine[ModelState.START_POSITION] = some.uniform(-1, 1)
    mine[ModelState.START_VELOCITY] = some.uniform(-3, 3)
    given = {
        "TARGET_POSITION": some.choice([some.uniform(-1, 1), math.inf]),
        "TARGET_VELOCITY": some.uniform(-3, 3),
        "AVAILABLE_EFFORT": some.uniform(0, 5),
        "FEEDFORWARD": some.uniform(-1, 1),
    }
    return mine, told(**given | rows)


@pytest.mark.parametrize("seed", range(40))
def test_a_law_falls_by_what_it_says_and_stays_within_its_limits(seed):
    some, laws = np.random.default_rng(seed), motor_law()
    law = any_law(some)
    mine, commands = any_motor(some)
    q, step, tiny = some.uniform(-1, 1), 0.004, 1e-6
    for w in some.uniform(-6, 6, 5):
        effort, fall = laws.made(law, mine, commands, q, w, step)
        less, less_fall = laws.made(law, mine, commands, q, w - tiny, step)
        more, more_fall = laws.made(law, mine, commands, q, w + tiny, step)
        if less_fall == fall == more_fall:  # no corner is near
            # Sums of some tens: 1e-14, divided by 2e-6.
            assert (less - more) / (2 * tiny) == pytest.approx(fall, abs=1e-7)
        low, high, *_ = laws.limits(law, mine, commands, w)
        assert low <= effort <= high
        largest = commands[Command.AVAILABLE_EFFORT]
        if mine[ModelState.IS_HOT]:
            largest = min(largest, law.continuous)
        assert -largest <= low and high <= largest
        wanted, _ = laws.asked(law, mine, commands, q, w, step)
        assert effort == min(max(wanted, low), high)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_asked_for_is_direct_held_or_the_loops(seed):
    some, laws = np.random.default_rng(seed), motor_law()
    mine, commands = any_motor(some)
    q, w, step = some.uniform(-1, 1, 3)
    direct = told(EFFORT_CONTROL=1.0, DIRECT_EFFORT=-2.5)
    assert laws.asked(any_law(some), mine, direct, q, w, step) == (-2.5, 0.0)
    held = mine[ModelState.HELD]
    board = any_law(some, explicit=True, by_voltage=False)
    assert laws.asked(board, mine, commands, q, w, step) == (held, 0.0)
    board = any_law(some, explicit=True, by_voltage=True)
    expected = held - board.drop * w, board.drop
    assert laws.asked(board, mine, commands, q, w, step) == expected
    loop = any_law(some, explicit=False)
    target = commands[Command.TARGET_POSITION]
    if math.isinf(target):
        speed = commands[Command.TARGET_VELOCITY]
        expected = loop.kd * (speed - w), loop.kd
    else:
        ahead = commands[Command.FEEDFORWARD]
        effort = loop.kp * (target - q - step * w) + loop.kd * (ahead - w)
        expected = effort, loop.kd + step * loop.kp
    assert laws.asked(loop, mine, commands, q, w, step) == pytest.approx(
        expected
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_solver_begins_with_the_piece_that_the_law_has_at_the_start(seed):
    some, laws = np.random.default_rng(seed), motor_law()
    law = any_law(some, line=bool(seed % 4), explicit=False)
    if not law.line:
        law.stall, law.drop = math.inf, 0.0
    mine, commands = any_motor(some)
    q, v = mine[[ModelState.START_POSITION, ModelState.START_VELOCITY]]
    effort, fall, low, high = laws.first_piece(law, mine, commands, 0.004)
    made, made_fall = laws.made(law, mine, commands, q, v, 0.004)
    if abs(law.drop * v) < law.stall:  # no brake from beyond the line
        assert min(max(effort, low), high) == pytest.approx(made)
        if low < effort < high:
            assert fall == made_fall


def mirrored(mine, commands):
    """Returns the rows of a motor that does the same the other way round."""
    turned = "TARGET_POSITION TARGET_VELOCITY FEEDFORWARD DIRECT_EFFORT".split()
    rows = [Command[name] for name in turned]
    other = mine.copy(), commands.copy()
    other[0][[ModelState.HELD, ModelState.START_POSITION]] *= -1
    other[0][ModelState.START_VELOCITY] *= -1
    other[1][rows] *= -1
    if math.isinf(commands[Command.TARGET_POSITION]):
        other[1][Command.TARGET_POSITION] = math.inf
    return other


@pytest.mark.parametrize("seed", range(20))
def test_a_law_is_the_same_both_ways_round(seed):
    some, laws = np.random.default_rng(seed), motor_law()
    law = any_law(some, kp=some.uniform(0, 500))
    mine, commands = any_motor(some)
    effort, fall, low, high = laws.first_piece(law, mine, commands, 0.004)
    other = laws.first_piece(law, *mirrored(mine, commands), 0.004)
    assert other == (-effort, fall, -high, -low)


# At 2 rad/s back-EMF is 2 N m of the 3 at standstill: 1 is left to drive, 5 to brake.
@pytest.mark.parametrize(
    ("largest", "asked", "v", "piece"),
    [
        (4.0, 0.5, 2.0, (0.5, 0.0, -4.0, 1.0)),  # as asked
        (4.0, 2.5, 2.0, (1.0, 1.0, -4.0, 4.0)),  # the line
        (1.0, 2.5, 2.0, (1.0, 1.0, -1.0, 1.0)),  # the corner of line and cap
        (0.5, 2.5, 2.0, (2.5, 0.0, -0.5, 0.5)),  # the cap
        (4.0, -5.5, 2.0, (-5.5, 0.0, -4.0, 1.0)),
        (4.0, -5.5, -2.0, (-1.0, 1.0, -4.0, 4.0)),
        (4.0, 0.5, 4.0, (-1.0, 1.0, -4.0, 4.0)),  # beyond the line it brakes
        (1.0, -2.0, 4.0, (-2.0, 0.0, -1.0, 1.0)),  # and may come to rest
        (1.0, -2.0, 3.9, (-2.0, 0.0, -1.0, -0.9)),
        (1.0, 2.0, -4.0, (2.0, 0.0, -1.0, 1.0)),
    ],
)
def test_a_solver_begins_on_the_line_or_with_what_is_asked(
    largest, asked, v, piece
):
    law = types.SimpleNamespace(stall=3.0, drop=1.0, line=True, continuous=0.1)
    mine = np.zeros(MODEL_STATES)
    mine[ModelState.START_VELOCITY] = v
    commands = told(
        EFFORT_CONTROL=1.0, DIRECT_EFFORT=asked, AVAILABLE_EFFORT=largest
    )
    found = motor_law().first_piece(law, mine, commands, 0.004)
    assert found == pytest.approx(piece)
    law.line, law.stall, law.drop = False, math.inf, 0.0
    found = motor_law().first_piece(law, mine, commands, 0.004)
    assert found == (asked, 0.0, -largest, largest)


@pytest.mark.parametrize("seed", range(20))
def test_friction_is_the_sum_of_its_parts(seed):
    some = np.random.default_rng(seed)
    a = dict(
        zip(
            "coulomb stribeck stribeck_velocity alpha motor_load external_load"
            " motor_load_stribeck external_load_stribeck external_quadratic"
            " motor_quadratic".split(),
            some.uniform(0.1, 2, 10),
            strict=True,
        )
    )
    law = types.SimpleNamespace(**a, constant_friction=False, has_load=True)
    budget = motor_law().budget
    for v, m, e in some.uniform(-3, 3, (5, 3)):
        slow = math.exp(-((abs(v) / a["stribeck_velocity"]) ** a["alpha"]))
        held = a["coulomb"] + slow * a["stribeck"]
        law.has_load = False
        assert budget(law, v, m, e) == pytest.approx(held)
        law.has_load = True
        held += abs(a["motor_load"] * m - a["external_load"] * e)
        held += slow * abs(
            a["motor_load_stribeck"] * m - a["external_load_stribeck"] * e
        )
        if m * e < 0:
            own = abs(m) >= abs(e)
            part, effort = ("motor", m) if own else ("external", e)
            held += slow * a[f"{part}_quadratic"] * effort**2
        assert budget(law, v, m, e) == pytest.approx(held)
    at_rest = budget(law, 0.0, 0.0, 0.0)
    assert at_rest == pytest.approx(a["coulomb"] + a["stribeck"])
    assert budget(law, 1e9, 0.0, 0.0) == pytest.approx(a["coulomb"])
    law.constant_friction = True
    assert budget(law, 1.0, 2.0, -3.0) == a["coulomb"]


def test_a_winding_warms_to_the_square_of_its_effort_whatever_the_steps():
    law = types.SimpleNamespace(continuous=2.0, time_constant=5.0, recovery=0.6)
    heated, is_hot = motor_law().heated, motor_law().is_hot
    assert heated(law, 0.3, 3.0, 1e6) == pytest.approx(2.25)
    at_once = heated(law, 0.3, 3.0, 4.0)
    assert heated(law, heated(law, 0.3, 3.0, 1.5), 3.0, 2.5) == pytest.approx(
        at_once
    )
    assert at_once == pytest.approx(2.25 + (0.3 - 2.25) * math.exp(-0.8))
    hot = [
        is_hot(law, was, heat)
        for was in (0, 1)
        for heat in (0.5, 0.6, 0.8, 1.0)
    ]
    assert hot == [0, 0, 0, 1, 0, 0, 1, 1]
