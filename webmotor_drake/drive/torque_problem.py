"""The constants of a torque drive's problem: its joints, its trees, their places.

The tables are arrays of records, so that `joints["spring"]` is a row for numpy and
`joints[i].spring` a number in the loops, whose `records.pxd` has the fields.
"""

import dataclasses as dc
from collections.abc import Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive import topology
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.loops import record, records

VELOCITY, JOINT = record("Velocity"), record("Joint")
MEMBER, TREE = record("Member"), record("Tree")


@dc.dataclass(frozen=True)
class Trees:
    """The trees that hold some joints, tree by tree.

    Attributes:
        velocities: places of the trees' velocities among the plant's, shape (nt,).
        members: `MEMBER` records, shape (m,).
        begins: `TREE` records, shape (trees + 1,).
    """

    velocities: np.ndarray
    members: np.ndarray
    begins: np.ndarray


def tree_by_tree(plant: MultibodyPlant, joints: Sequence[Joint]) -> Trees:
    """Returns the trees that hold `joints`, which have one velocity each."""
    trees = [
        topology.velocities(plant, tree)
        for tree, _ in topology.forest(plant, joints)
    ]
    trees.sort()  # each is in one piece: Drake numbers tree by tree
    tree = np.concatenate(trees)
    rows = np.searchsorted(tree, [joint.velocity_start() for joint in joints])
    order = np.argsort(rows)
    blocks = np.cumsum([0, *map(len, trees)])
    firsts = np.searchsorted(rows[order], blocks)
    return Trees(
        tree, records(MEMBER, order, rows[order]), records(TREE, firsts, blocks)
    )


def problem_tables(
    model: ModelMotors, trees: Trees, step: float, context: Context
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns `JOINT` and `VELOCITY` records, and which velocities may have stops.

    The arguments are those of `TorqueDrive`; the shapes are (m,), (nt,) and (nt,).
    """
    plant, parameters = model.plant, model.acting_parameters
    tree, members = trees.velocities, trees.members
    rows = members["row"][np.argsort(members["joint"])]
    damping, q = _knowledge(plant, context)[:, tree]
    spring = np.array([p.spring_constant for p in parameters])
    implicit = step * spring
    implicit += [p.damping_constant for p in parameters]
    diagonal = step * damping
    diagonal[rows] += step * implicit
    free = np.full(len(tree), np.inf)
    places = np.maximum(q, 0), plant.num_positions() + tree
    velocities = records(
        VELOCITY, diagonal, step * damping, -free, free, *places
    )
    known = (velocities[rows][name] for name in VELOCITY.names[1:])
    softness = model.softness / step
    joints = records(
        JOINT, spring, implicit, softness, *known, tree[rows], rows
    )
    # Joints of several degrees of freedom, or none, have no stops.
    return joints, velocities, q >= 0


def read_stops(
    plant: MultibodyPlant,
    joints: np.ndarray,
    velocities: np.ndarray,
    have_stops: np.ndarray,
) -> bool:
    """Writes the position limits, which the plant keeps; returns whether it has any."""
    if plant.time_step() == 0 or topology.uses_tamsi(plant):
        return False  # none, or they act on the old velocity
    places = velocities["q_place"]
    for name, limits, free in (
        ("lower_stop", plant.GetPositionLowerLimits(), -np.inf),
        ("upper_stop", plant.GetPositionUpperLimits(), np.inf),
    ):
        velocities[name] = np.where(have_stops, limits[places], free)
        joints[name] = velocities[name][joints["row"]]
    return True


def _knowledge(plant: MultibodyPlant, context: Context) -> np.ndarray:
    """Returns the solver's damping of each velocity, and its position's place or -1."""
    found = np.full((2, plant.num_velocities()), [[0.0], [-1.0]])
    # Damping acts on the new velocity, inside the solver.
    solves = not topology.uses_tamsi(plant)
    for joint in joints_of(plant):
        start, size = joint.velocity_start(), joint.num_velocities()
        if solves:
            found[0, start : start + size] = joint.GetDampingVector(context)
        if joint.num_positions() == size == 1:
            found[1, start] = joint.position_start()
    return found
