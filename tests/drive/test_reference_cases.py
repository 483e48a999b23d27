"""Motors behave as on ODE, the engine of Webots.

The cases in `cases/` hold trajectories of the same motors on ODE's own joint
motors, and a tolerance each: what is due to the engines (ODE keeps bodies in
maximal coordinates) and not to the motor.
"""

import numpy as np
import pytest
from _lib.reference_cases import MODEL, NAMES, drake_case, load_case
from mechanisms import Rig, warnings_of

SLIDERS = [name for name in NAMES if name.startswith("slider")]


def signals_of(case: dict, **options) -> dict[str, np.ndarray]:
    """Returns the case's signals, shape (steps, motors), as ODE's are."""
    rig = Rig(*drake_case(case, **options))
    logged, _ = warnings_of(rig.signals, case["steps"])
    names = ("position", "velocity", "velocity_command", "feedback")
    return {
        name: np.transpose(
            [logged[f"{MODEL}/{motor}/{name}"][1:] for motor in case["motors"]]
        )
        for name in names
    }


def test_there_are_18_cases():
    assert len(NAMES) == 18
    assert len(SLIDERS) == 3


@pytest.mark.parametrize("sampled", [True, False], ids=["sampled", "direct"])
@pytest.mark.parametrize("name", NAMES)
def test_a_motor_moves_its_joint_as_odes_does(name, sampled):
    case = load_case(name)
    signals = signals_of(case, sampled=sampled)
    for signal in ("position", "velocity"):
        np.testing.assert_allclose(
            signals[signal],
            case["trajectory"][signal],
            rtol=0,
            atol=case["tolerance"][signal],
            err_msg=f"{signal} of {name}",
        )


@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_follows_ode_to_the_digits_stored(name):
    # On a slider ODE's coordinates are ours. The files hold 9 digits: of
    # numbers below 1, and of forces below 40 N.
    case = load_case(name)
    signals = signals_of(case)
    reference = case["trajectory"]
    for signal in ("position", "velocity", "velocity_command"):
        np.testing.assert_allclose(
            signals[signal], reference[signal], rtol=0, atol=2e-8
        )
    np.testing.assert_allclose(
        signals["feedback"], reference["torque"], rtol=0, atol=2e-7
    )


@pytest.mark.parametrize(
    "name", ["hinge_acceleration", "hinge_velocity", "hinge_stops"]
)
def test_velocity_commands_that_the_engine_cannot_change_are_odes(name):
    # While the acceleration limit or velocity control decides, the law knows
    # nothing of the engine: what differs is the 9th digit stored.
    case = load_case(name)
    steps = 100
    np.testing.assert_allclose(
        signals_of(case)["velocity_command"][:steps],
        case["trajectory"]["velocity_command"][:steps],
        rtol=0,
        atol=1e-8,
    )


@pytest.mark.parametrize("name", NAMES)
def test_sampled_output_ports_make_no_difference(name):
    case = load_case(name)
    sampled = signals_of(case, sampled=True)
    direct = signals_of(case, sampled=False)
    for signal, values in sampled.items():
        np.testing.assert_array_equal(values, direct[signal], err_msg=signal)
