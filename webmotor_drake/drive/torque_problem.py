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
from webmotor_drake.loops import record
from webmotor_drake.nodes.joints import JointParameters

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


def records(kind: np.dtype, *rows: np.ndarray) -> np.ndarray:
    """Returns an array of records of that kind, from a row per field."""
    made = np.empty(len(rows[0]), kind)
    for name, row in zip(kind.names or (), rows, strict=True):
        made[name] = row
    return made


class TorqueProblem:
    """The tables of a drive's problem.

    Attributes:
        joints: `JOINT` records, shape (m,).
        velocities: `VELOCITY` records, shape (nt,).
        constants: constants of `TreeSolver`.

    It is made of what `TorqueDrive` takes, and the Context with the plant's damping.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        parameters: Sequence[JointParameters],
        trees: Trees,
        step: float,
        cfm: np.ndarray,
        context: Context,
    ):
        self._plant = plant
        tree, members = trees.velocities, trees.members
        self._rows = rows = members["row"][np.argsort(members["joint"])]
        damping, q = _knowledge(plant, context)[:, tree]
        # Joints of several degrees of freedom, or none, have no stops.
        self._has_position = q >= 0
        spring = np.array([p.spring_constant for p in parameters])
        implicit = step * spring
        implicit += [p.damping_constant for p in parameters]
        diagonal = step * damping
        diagonal[rows] += step * implicit
        free = np.full(len(tree), np.inf)
        self.velocities = records(
            VELOCITY,
            diagonal,
            step * damping,
            -free,
            free,
            np.where(self._has_position, q, 0),
            plant.num_positions() + tree,
        )
        known = self.velocities[rows]
        self.joints = records(
            JOINT,
            spring,
            implicit,
            cfm / step,
            *(known[name] for name in VELOCITY.names[1:]),
            tree[rows],
            rows,
        )
        tables = self.joints, self.velocities, members
        self.constants = *tables, trees.begins, step

    def read_stops(self) -> bool:
        """Reads the position limits, which the plant itself keeps; whether it has."""
        plant = self._plant
        if plant.time_step() == 0 or topology.uses_tamsi(plant):
            return False  # none, or they act on the old velocity
        places, known = self.velocities["q_place"], self._has_position
        low = np.where(known, plant.GetPositionLowerLimits()[places], -np.inf)
        high = np.where(known, plant.GetPositionUpperLimits()[places], np.inf)
        for table, rows in (
            (self.velocities, slice(None)),
            (self.joints, self._rows),
        ):
            table["lower_stop"], table["upper_stop"] = low[rows], high[rows]
        return True


def _knowledge(plant: MultibodyPlant, context: Context) -> np.ndarray:
    """Returns the solver's damping of each velocity, and the index of its position.

    Returns:
        Damping, and the index of the position in the state, -1 without one; shape
        (2, num_velocities).
    """
    n = plant.num_velocities()
    damping, q = np.zeros(n), np.full(n, -1.0)
    # Damping acts on the new velocity, inside the solver.
    solves = not topology.uses_tamsi(plant)
    for joint in joints_of(plant):
        start, size = joint.velocity_start(), joint.num_velocities()
        if solves:
            damping[start : start + size] = joint.GetDampingVector(context)
        if joint.num_positions() == size == 1:
            q[start] = joint.position_start()
    return np.array([damping, q])
