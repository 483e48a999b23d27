"""Forces on the bodies of a scenario besides motors and contact."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.external_forces import (
    BodyDamping,
    add_body_forces,
    add_forces,
)
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.supervised import Pushes, supervisors


def add_outer_forces(
    scenario: Scenario,
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    *,
    by_hand: bool = False,
) -> None:
    """Adds pushes, and the damping of bodies, to a diagram.

    Args:
        scenario: owner of the supervisors that push and of the bodies that are damped.
        builder: the diagram.
        plant: in it.
        by_hand: True if somebody may push, too.
    """
    if by_hand or supervisors(scenario):
        pushes = builder.AddSystem(Pushes(plant))
        add_forces(builder, plant, pushes.get_output_port())
    damping = _damping_of(scenario, plant)
    if damping:
        with blame(scenario, "default_damping"):
            add_body_forces(builder, plant, BodyDamping(plant, damping))


def _damping_of(
    scenario: Scenario, plant: MultibodyPlant
) -> dict[BodyIndex, Damping]:
    """Returns the damping of each body that has any.

    One of 0 and 0 does not switch off that of the world, as in Webots (WbSolid.cpp).
    """
    found = {}
    for index in map(BodyIndex, range(1, plant.num_bodies())):
        body = plant.get_body(index)
        model = plant.GetModelInstanceName(body.model_instance())
        parameters = scenario.bodies.get(model, {}).get(body.name())
        own = parameters.damping if parameters is not None else None
        if own is None or not (own.linear or own.angular):
            own = scenario.default_damping
        if own is not None and body.default_mass() > 0:
            found[index] = own
    return found
