"""A motor before a spring, function by function, as its text stands."""

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

STEP = 0.004


def law_of(some, **fields):
    """Returns the record of a random motor behind a spring."""
    law = {
        "sees_link": bool(some.integers(2)),
        "stall": some.uniform(5, 9),
        "continuous": math.inf,
        "inertia": 10 ** some.uniform(-3, -1),
        "viscous": some.uniform(0, 0.5),
        "constant_friction": True,
        "coulomb": some.choice([0.0, some.uniform(0, 0.5)]),
        "stiffness": 10 ** some.uniform(1, 3.5),
        "damping": some.choice([0.0, some.uniform(0, 2)]),
        "gap": some.choice([0.0, 0.05]),
    }
    return any_law(some, **law | fields)


def rows_of(some):
    """Returns a motor's rows of state and of commands."""
    mine, told = np.zeros(MODEL_STATES), np.zeros(COMMANDS)
    mine[ModelState.HELD] = some.uniform(-3, 3)
    mine[ModelState.POSITION] = some.uniform(-0.1, 0.1)
    mine[ModelState.START_POSITION] = some.uniform(-0.1, 0.1)
    mine[ModelState.VELOCITY] = some.uniform(-2, 2)
    told[Command.TARGET_POSITION] = some.uniform(-1, 1)
    told[Command.AVAILABLE_EFFORT] = some.uniform(1, 8)
    return mine, told


@pytest.mark.parametrize("seed", range(60))
def test_the_motor_is_in_balance_with_what_its_spring_gives(seed):
    some, elastic = np.random.default_rng(seed), loops_as_text().elastic
    law, (mine, told) = law_of(some), rows_of(some)
    for w in some.uniform(-3, 3, 4):
        effort, fall = elastic.transmitted(law, mine, told, w, STEP)
        made, x = elastic.motor_after(law, mine, told, w, effort, STEP)
        rest = law.inertia / STEP * (x - mine[ModelState.VELOCITY])
        rest += law.viscous * x + effort - made
        # Newton's steps end at 1e-13 of a velocity, times up to some hundred.
        if x == 0:
            assert abs(rest) <= law.coulomb + 1e-9
        else:
            assert rest == pytest.approx(
                -math.copysign(law.coulomb, x), abs=1e-8
            )
        tiny = 1e-6
        less, less_fall = elastic.transmitted(law, mine, told, w - tiny, STEP)
        more, more_fall = elastic.transmitted(law, mine, told, w + tiny, STEP)
        if max(abs(fall - f) for f in (less_fall, more_fall)) < 1e-6 * (
            1 + fall
        ):
            slope = (less - more) / (2 * tiny)
            assert slope == pytest.approx(fall, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_a_spring_without_backlash_pulls_and_pushes(seed):
    some, elastic = np.random.default_rng(seed), loops_as_text().elastic
    law, (mine, _) = law_of(some, gap=0.0), rows_of(some)
    x, w = some.uniform(-3, 3, 2)
    stretch = mine[ModelState.POSITION] - mine[ModelState.START_POSITION]
    stretch += STEP * (x - w)
    effort, growth = elastic._spring(law, mine, x, w, STEP)
    assert effort == pytest.approx(
        law.stiffness * stretch + law.damping * (x - w)
    )
    assert growth == pytest.approx(law.damping + STEP * law.stiffness)


@pytest.mark.parametrize(
    ("before", "after", "share", "added"),
    [
        (0.0, 0.04, 0.0, 0.0),  # within the gap of 0.05
        (0.0, 0.07, 0.02, 0.02),  # it comes into contact
        (0.08, 0.09, 0.04, 0.01),  # it is in contact
        (0.09, 0.08, 0.03, -0.01),  # it goes back
        (-0.09, 0.06, 0.01, 0.01),  # from the other side
        (-0.08, -0.09, -0.04, -0.01),
    ],
)
def test_beyond_its_backlash_a_spring_pushes_and_never_pulls(
    before, after, share, added
):
    elastic = loops_as_text().elastic
    law = types.SimpleNamespace(stiffness=100.0, damping=0.2, gap=0.05)
    mine = np.zeros(MODEL_STATES)
    mine[ModelState.POSITION], mine[ModelState.START_POSITION] = 1 + before, 1.0
    x = (after - before) / STEP + 2.0
    effort, growth = elastic._spring(law, mine, x, 2.0, STEP)
    assert effort == pytest.approx(100.0 * share + 0.2 * added / STEP)
    assert growth == (pytest.approx(0.2 + STEP * 100.0) if share else 0.0)
    law.damping = 5.0  # more than the spring pushes: it would pull
    if share * added < 0:
        assert elastic._spring(law, mine, x, 2.0, STEP) == (0.0, 0.0)
