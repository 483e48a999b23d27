"""A motor system that computes ahead while clients think moves as one that does not."""

import numpy as np
import pytest
from mechanisms import (
    Rig,
    chain,
    driven,
    floating_arm,
    random_state,
    velocity_driver,
)

DT, STEPS = 0.008, 40


def states(make, *, ahead: bool, disturb=None) -> np.ndarray:
    """Returns the plant's states at the starts of the motor steps.

    Args:
        make: returns the mechanism.
        ahead: whether the motors look ahead before each step.
        disturb: is called with rig, plant's Context and step after they have.
    """
    plant = make(DT, 3, np.random.default_rng(1))
    rates = {f"joint{i}": 0.5 - i for i in range(3)}
    rig = Rig(*driven(plant, velocity_driver(plant, rates)))
    simulator = rig.started(random_state(plant, np.random.default_rng(2)))
    root = simulator.get_mutable_context()
    motors = rig.motors.GetMyContextFromRoot(root)
    found = []
    for k in range(1, STEPS + 1):
        simulator.AdvanceTo(rig.motors.next_step_time(k))
        if ahead:
            rig.motors.look_ahead(motors)
        if disturb is not None:
            disturb(rig, plant.GetMyMutableContextFromRoot(root), k)
        found.append(rig.state(simulator))
    return np.array(found)


def speed_up(rig, context, step):
    """Sets other velocities now and then."""
    if step % 10 == 0:
        v = rig.plant.GetVelocities(context)
        rig.plant.SetVelocities(context, 2 * v)


def push(rig, context, step):
    """Lets a force act from some step on."""
    if step == 20:
        port = rig.plant.get_applied_generalized_force_input_port()
        port.FixValue(context, np.ones(rig.plant.num_velocities()))


def make_heavier(rig, context, step):
    """Changes a mass from some step on."""
    if step == 20:
        rig.plant.GetBodyByName("link1").SetMass(context, 5.0)


@pytest.mark.parametrize("make", [chain, floating_arm])
@pytest.mark.parametrize("disturb", [None, speed_up, push, make_heavier])
def test_looking_ahead_changes_no_bit(make, disturb):
    expected = states(make, ahead=False, disturb=disturb)
    found = states(make, ahead=True, disturb=disturb)
    np.testing.assert_array_equal(found, expected)
    assert np.abs(np.diff(expected, axis=0)).max() > 1e-3  # it moves
