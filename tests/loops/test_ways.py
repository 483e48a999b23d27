"""Ways of shapes from a state that was looked at: text and compiled alike."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator

from webmotor_drake.loops.ways import Ways


def test_looks_go_farther_ahead_the_longer_nothing_arrives():
    ways = Ways(np.ones(4), [0] * 4, [], 2, 0.01, 16.0)
    x, still = np.zeros(4), np.zeros(2)
    ways.forget()
    found = []
    for _ in range(9):
        ways.keep(x, 1.0, still, ways.steps_ahead())
        found.append(ways.steps_ahead())
    assert found == [1, 1, 1, 1, 2, 4, 8, 16, 16]
    # One that reached less far is not gone beyond at once.
    ways.keep(x, 1.0, still, 4)
    assert ways.steps_ahead() == 8


def test_a_body_that_turns_as_drake_steps_it_moves_as_predicted():
    plant = MultibodyPlant(0.016)
    plant.AddRigidBody("ball", SpatialInertia.SolidSphereWithMass(1.0, 0.1))
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    plant.SetVelocities(context, [3.0, 9.0, -4.0, 0.5, 0.0, 0.0])
    ways = Ways(np.ones(13), [0] * 13, [0, 7], 7, 0.016, 64.0)
    x = plant.GetPositionsAndVelocities(context)
    rate = plant.MapVelocityToQDot(context, plant.GetVelocities(context))
    ways.keep(x, 1e-9, rate, 40)
    for k in range(1, 40):
        simulator.AdvanceTo(k * 0.016)
        assert ways.is_quiet(plant.GetPositionsAndVelocities(context))
    # Beyond the steps that were asked for it has to be looked at again.
    simulator.AdvanceTo(0.64)
    assert not ways.is_quiet(plant.GetPositionsAndVelocities(context))


def test_it_is_not_quiet_where_others_that_are_watched_are_fast():
    quiet, others = (
        Ways(np.full(2, lever), [0, 0], [], 1, 0.5, 16.0)
        for lever in (0.0, 2.0)
    )
    quiet.keep(np.zeros(2), 1.0, np.zeros(1), 1)
    quiet.watch(others, 3.0)
    step = others.way_in_step(np.array([0.0, 1.0]))
    assert quiet.is_quiet(np.array([0.0, 2.99 / step]))
    assert not quiet.is_quiet(np.array([0.0, 3.01 / step]))
