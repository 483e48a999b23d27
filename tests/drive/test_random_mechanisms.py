"""Random mechanisms move on the default drive, and on implicit, as on ODE.

Both engines are first order in the step h: halving it halves their errors. So the
error of each is about what halving changes, the difference between the two at most
twice the sum; higher orders, and what mechanisms blow up, get another half of that.
"""

import functools

import numpy as np
import pytest
from _lib.random_mechanisms import (
    KINDS,
    PERIOD,
    distances,
    mechanism,
    on_drake,
    on_ode,
)
from drawn import draws
from ode_here import ode_or_skip

ode_or_skip()

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

FACTOR = 3
# Where both agree to their own rounding: the solver's 1e-6 rad of a jump's slip.
ROUNDING = 2e-5

# So many of each kind are looked at; benchmarks/random_mechanisms.py has the rest.
NUMBER = {
    "plain": draws(2, 6),
    "stops": draws(6, 20),
    "brakes": draws(3, 10),
    "two models": draws(3, 10),
    "all": draws(4, 8),
}
# In a hurry one of each is enough.
BLOCKS = [(kind, 0, 1) for kind in KINDS] + [
    pytest.param(kind, 1, number, marks=pytest.mark.slow)
    for kind, number in NUMBER.items()
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "low", "high"), BLOCKS)
def test_a_random_mechanism_moves_as_on_ode(kind, low, high):
    for seed in range(low, high):
        far, errors = distances(kind, seed)
        for drive, distance in far.items():
            assert distance <= FACTOR * errors + ROUNDING, (seed, drive)


def test_one_model_takes_the_torque_drive_and_a_shared_tree_the_implicit():
    for two_models, drive in ((False, "torque"), (True, "implicit")):
        built = mechanism(0, PERIOD, drive="auto", two_models=two_models)
        assert {m.drive for m in built.motors.values()} == {drive}


def test_another_motor_on_the_tree_would_be_missed():
    # This test can fail: solving each model on its own is far off.
    build = functools.partial(mechanism, 8, two_models=True)
    ode = on_ode(build(PERIOD, drive="torque"))
    error = np.abs(ode - on_ode(build(PERIOD / 2, drive="torque"))[1::2]).max()
    apart = on_drake(build(PERIOD, drive="torque"), PERIOD)
    assert np.abs(apart - ode).max() > 20 * error
