"""The mass and the damping that a Solid's Physics gives to its body."""

import numpy as np

from webmotor_drake.nodes.contact import Damping
from webmotor_drake.worlds import masses
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.masses import Mass
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.report import Report
from webmotor_drake.worlds.solid_mass import solid_mass, weight

# Masses up to this can be computed with, kg.
_HEAVIEST = 1e12


def add_mass(node: Node, inside: Around, report: Report) -> None:
    """Adds a Solid's mass and damping to its link."""
    assert inside.link is not None
    inside.link.parts.append(_mass(node, inside, report))
    inside.link.damping.append(_damping(node, inside, report))


def _mass(node: Node, inside: Around, report: Report) -> Mass:
    """Returns a Solid's mass in the frame of its link."""
    physics = node.node("physics")
    assert physics is not None
    assert inside.link is not None
    own = solid_mass(node, physics, inside.scale, report)
    numbers = np.array([own.mass, *own.com, *own.inertia.flat])
    if not (abs(numbers) <= _HEAVIEST).all() or own.mass < 1 / _HEAVIEST:
        raise physics.error(
            f"a mass of {own.mass:g} kg, or its centre or inertia, cannot be"
            " computed with"
        )
    return own.moved(inside.link.X_W.inverse() @ inside.X_W)


def _damping(
    node: Node, inside: Around, report: Report
) -> tuple[float, Damping | None]:
    """Returns the volume of a Solid's bounding object, and its damping."""
    physics, bounds = node.node("physics"), node.node("boundingObject")
    assert physics is not None
    given = physics.node("damping")
    volume = 0.0
    if bounds is not None:
        whole = masses.total(weight(bounds, inside.scale))
        volume = whole.mass / masses.DENSITY
    if given is None:
        return volume, None
    return volume, read_node(Damping, given, report)
