"""Draws the random values of a scenario from its seed."""

import copy

from pydrake.common import RandomGenerator

from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.stochastic import (
    sampled_directive,
    sampled_position,
)


def sampled(scenario: Scenario) -> Scenario:
    """Returns the scenario without distributions; the given one stays as it is.

    Raises:
        InputError: a distribution that Drake refuses.
    """
    random = RandomGenerator(scenario.random_seed)
    drawn = copy.copy(scenario)
    drawn.directives = []
    for i, directive in enumerate(scenario.directives):
        with blame(scenario, "directives", i):
            drawn.directives.append(sampled_directive(directive, random))
    drawn.initial_position = {}
    for model, joints in scenario.initial_position.items():
        drawn.initial_position[model] = {}
        for joint, position in joints.items():
            with blame(scenario, "initial_position", model, joint):
                drawn.initial_position[model][joint] = sampled_position(
                    position, random
                )
    return drawn
