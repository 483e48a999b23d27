"""An arm and a rover on every kind of plant that Drake has.

Either they do as on any other, or an error before the run says why not.
"""

import functools

import numpy as np
import pytest
from mechanisms import warnings_of
from pydrake.multibody.plant import DiscreteContactApproximation

from webmotor_drake.cli.check_command import describe
from webmotor_drake.comparison.known_models import prepare
from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation

APPROXIMATIONS = sorted(
    name[1:].lower() for name in DiscreteContactApproximation.__members__
)
SOLVED = [name for name in APPROXIMATIONS if name != "tamsi"]
CENIC = (
    "plant_config: {time_step: 0}, simulator_config: {integration_scheme: cenic,"
    " max_step_size: 0.01, accuracy: 1.0e-4}"
)


def load(name: str, plant: str, drive: str = "auto") -> Scenario:
    """Returns the rover, or the arm, for its first second on some plant."""
    file, model, choice, seconds = {
        "arm": ("two_link_arm", "arm", None, 0.6),
        "rover": ("rover", "rover", "Drive", 1.2),
    }[name]
    return load_scenario(
        SCENARIOS / f"{file}.scenario.yaml",
        name=choice,
        text=f"{{simulation_duration: {seconds}, {plant}, model_drivers: {{{model}:"
        f" {{basic_time_step: 0.008, drive: {drive}}}}}}}",
    )


def discrete(contact: str) -> str:
    return (
        "plant_config: {time_step: 0.001, discrete_contact_approximation:"
        f" {contact}}}"
    )


@functools.cache
def on(name: str, plant: str, drive: str) -> Results:
    return Simulation(load(name, plant, drive)).run()


def signals(results: Results, signal: str) -> np.ndarray:
    """Returns a signal of all motors, shape (motors, samples)."""
    return np.array([results[f"{motor}/{signal}"] for motor in results.motors])


@pytest.mark.parametrize(
    ("contact", "drive"),
    [(contact, "torque") for contact in APPROXIMATIONS]
    + [(contact, "implicit") for contact in SOLVED],
)
def test_an_arm_moves_alike_on_every_approximation(contact, drive):
    # Nothing touches. The implicit drive's last effort is fed forward: it slips
    # by 2.5e-4 of a jump of the acceleration for a step, 1 ms.
    expected = on("arm", discrete("lagged"), "torque")
    results = on("arm", discrete(contact), drive)
    for signal, error in (("position", 1e-6), ("velocity", 1e-5)):
        np.testing.assert_allclose(
            signals(results, signal),
            signals(expected, signal),
            rtol=0,
            atol=error if drive == "implicit" else 1e-9,
        )


@pytest.mark.parametrize("contact", SOLVED)
def test_a_rover_rolls_alike_on_every_approximation(contact):
    results = on("rover", discrete(contact), "auto")
    command = signals(results, "velocity_command")[:, 1:]
    assert command[:, -1] == pytest.approx(8.0)
    # A few mm/s of the wheels' 40 cm/s: sap and similar glide on the ground.
    off = signals(results, "velocity")[:, 1:] - command
    assert np.abs(off).max() < 0.02 * 8
    assert np.abs(off[:, -20:]).max() < 1e-3


def test_an_arm_moves_on_cenic_as_on_a_discrete_plant():
    # There a motor step's effort acts all the 8 ms through, not in the first of
    # them: positions are half of that behind, at up to 2 rad/s.
    expected = on("arm", discrete("lagged"), "torque")
    results = on("arm", CENIC, "auto")
    np.testing.assert_allclose(
        signals(results, "position"), signals(expected, "position"), atol=1e-2
    )


def test_a_rover_on_cenic_is_warned_of():
    # Contact is out of the torque drive's sight.
    simulation, warned = warnings_of(Simulation, load("rover", CENIC))
    reason = (
        "front_left_wheel can touch ground, but implicit does not work with a"
        " continuous plant (time_step 0)"
    )
    assert warned == [f"{reason}; the torque drive does not see that"]
    assert f"drive torque ({reason})" in describe(simulation)


def test_the_implicit_drive_is_refused_on_cenic_before_a_run():
    # CENIC takes a servo's desired velocity with the wrong sign.
    with pytest.raises(InputError) as caught:
        Simulation(load("rover", CENIC, "implicit"))
    assert ": model_drivers.rover.drive: implicit does not work with a" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("webots_implicit", "drive: implicit does not work with a continuous"),
        ("drake_pd", "time_step: drake_pd needs a discrete plant"),
    ],
)
def test_servos_to_compare_are_refused_on_cenic_before_a_run(model, told):
    with pytest.raises(InputError) as caught:
        prepare(model, load("rover", CENIC), None)
    assert told in str(caught.value)
