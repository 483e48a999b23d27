"""Random mechanisms move on the default drive, and on implicit, as on ODE.

Both engines are first order in the step h: halving it halves their errors. So the
error of each is about what halving changes, the difference between the two at most
twice the sum; higher orders, and what mechanisms blow up, get another half of that.
"""

import functools

import numpy as np
import pytest
from random_mechanisms import mechanism, on_drake, on_ode

from webmotor_drake.engines.ode_library import load_ode
from webmotor_drake.errors import InputError

try:
    load_ode()
except InputError as error:
    pytest.skip(str(error), allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

PERIOD = 0.008
FACTOR = 3
# Where both agree to their own rounding: the solver's 1e-6 rad of a jump's slip.
ROUNDING = 2e-5

KINDS = {
    "plain": {},
    "stops": {"stops": True},
    "brakes": {"brakes": True},
    "two models": {"two_models": True},
    "all": {"two_models": True, "stops": True, "brakes": True},
}
NUMBER = {"plain": 20, "stops": 100, "brakes": 50, "two models": 50, "all": 30}
# So many of each kind are looked at in a hurry, too.
QUICK = 4
# Seeds per test: they share what there is to start.
SOME = 10


def blocks() -> list:
    """Returns kinds with ranges of seeds."""
    quick = [(kind, 0, QUICK) for kind in KINDS]
    rest = [
        pytest.param(
            kind, low, min(low + SOME, NUMBER[kind]), marks=pytest.mark.slow
        )
        for kind in KINDS
        for low in range(QUICK, NUMBER[kind], SOME)
    ]
    return quick + rest


@pytest.mark.parametrize(("kind", "low", "high"), blocks())
def test_a_random_mechanism_moves_as_on_ode(kind, low, high):
    for seed in range(low, high):
        build = functools.partial(mechanism, seed, **KINDS[kind])
        # For implicit the plant has the springs' damping in its joints.
        ode = on_ode(build(PERIOD, drive="torque"))
        finer_ode = on_ode(build(PERIOD / 2, drive="torque"))[1::2]
        auto = on_drake(build(PERIOD, drive="auto"), PERIOD)
        finer = on_drake(build(PERIOD / 2, drive="auto"), PERIOD / 2)[1::2]
        implicit = on_drake(build(PERIOD, drive="implicit"), PERIOD)
        errors = np.abs(ode - finer_ode).max() + np.abs(auto - finer).max()
        for drive, moved in (("auto", auto), ("implicit", implicit)):
            difference = np.abs(moved - ode).max()
            assert difference <= FACTOR * errors + ROUNDING, (seed, drive)


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
