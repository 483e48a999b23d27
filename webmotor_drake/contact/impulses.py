"""The impulses of contacts that bounce: the sum of those that ODE's contacts give.

ODE's contact drives its velocity to a goal: bounce times the old one, or that which
takes back soft_erp of the depth per step, whichever is more
(ode/src/joints/contact.cpp). It gives way by soft_cfm / h per impulse, so heavy bodies
take several steps to turn round. Here those steps are taken at once, in place.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydrake.solvers import ClarabelSolver, MathematicalProgram

from webmotor_drake.loops import entry
from webmotor_drake.loops.impulses import settle
from webmotor_drake.nodes.contact import ContactProperties

# The most steps until shapes turn round.
_STEPS = 100
# Up to so many rows are first solved together, so that corners of a box that lands flat
# share its load evenly; the softness that makes the shares unique.
_FEW, _SHARED = 36, 1e-9
# The most changes of the active set, and how many in a row may bring no progress: then
# they may go round in circles, and Clarabel finds the set, but for one or two changes.
_CHANGES, _BLOCKS = 100, 5
# A bound lets go of a row whose residual is beyond this, with the wrong sign.
_HELD = 1e-12

# Patches bounce only above this speed, m/s: else a rocking box would never rest. The
# bounces lost would rise 1 mm.
PATCH_SPEED = 0.3

_settle = entry(settle)


class Bounce(NamedTuple):
    """The bounce of a pair of shapes.

    Attributes:
        entry: entry of their materials.
        bounce: its restitution.
        friction: Coulomb's coefficient of the pair.
        patch: True if they touch on a patch.
    """

    entry: ContactProperties
    bounce: float
    friction: float
    patch: bool

    @property
    def patch_speed(self) -> float:
        """The speed above which patches bounce, m/s."""
        return max(self.entry.bounce_velocity, PATCH_SPEED)


def boxed(
    W: np.ndarray, missing: np.ndarray, least: np.ndarray, most: np.ndarray
) -> np.ndarray:
    """Returns p from least to most with W p + missing = 0 where p is between them.

    W p + missing may be positive at the lower bound and negative at the upper one.
    Block principal pivoting: J. Júdice, F. Pires, A block principal pivoting algorithm
    for large-scale strictly monotone linear complementarity problems, 1994.

    Args:
        W: positive definite, shape (n, n).
        missing: value of W p + missing at p = 0, shape (n,).
        least: lower bounds, shape (n,).
        most: upper bounds, shape (n,).
    """
    # -1 at the least, 1 at the most, 0 between.
    is_open = least < most
    at = np.where(is_open, 0, 1)
    p, fewest, blocks = missing, len(missing) + 1, _BLOCKS
    for _ in range(_CHANGES):
        p = np.where(at < 0, least, most)
        p[at == 0] = 0.0
        free = np.flatnonzero(at == 0)
        p[free] = -np.linalg.solve(
            W[np.ix_(free, free)], (missing + W @ p)[free]
        )
        left = missing + W @ p
        stays = np.where(at * left > _HELD, 0, at)
        wanted = np.where(at == 0, (p > most) * 1 - (p < least), stays)
        wrong = np.flatnonzero((wanted != at) & is_open)
        if not wrong.size:
            break
        if wrong.size < fewest:
            fewest, blocks = wrong.size, _BLOCKS
        elif blocks:
            blocks -= 1
        else:
            wanted = _active(W, missing, least, most)
            wrong, fewest = is_open, len(missing) + 1
        at[wrong] = wanted[wrong]
    return np.clip(p, least, most)


def _active(
    W: np.ndarray, missing: np.ndarray, least: np.ndarray, most: np.ndarray
) -> np.ndarray:
    """Returns the bounds that hold p, see `boxed`, by an interior point method."""
    program = MathematicalProgram()
    p = program.NewContinuousVariables(len(missing))
    program.AddQuadraticCost((W + W.T) / 2, missing, p, is_convex=True)
    program.AddBoundingBoxConstraint(least, most, p)
    p = ClarabelSolver().Solve(program).GetSolution(p)
    goal = p - (missing + W @ p) / np.diag(W)
    return (goal > most) * 1 - (goal < least)


def speeds_after(
    W: np.ndarray,
    before: np.ndarray,
    bounces: Sequence[Bounce],
    depths: np.ndarray,
    step: float,
) -> np.ndarray:
    """Returns the speeds along the normals at which contacts let go, m/s, shape (n,).

    Args:
        W: speeds along the normals per impulse, 1/kg, shape (n, n).
        before: speeds, negative where shapes come nearer, m/s, shape (n,).
        bounces: bounce of each contact.
        depths: penetrations, m, shape (n,).
        step: h, s.
    """
    v, depth, entries = before.copy(), depths.copy(), [b.entry for b in bounces]
    bounce = np.array([b.bounce for b in bounces])
    least = np.array([entry.bounce_velocity for entry in entries])
    erp = np.array([entry.soft_erp for entry in entries])
    soft = W + np.diag([entry.soft_cfm / step for entry in entries])
    for _ in range(_STEPS):
        goal = erp * depth / step
        wanted = np.maximum(goal, np.where(-v > least, -bounce * v, 0.0))
        if not ((depth >= 0) & (v < wanted)).any():
            break
        most = np.where(depth >= 0, np.inf, 0.0)
        v += W @ boxed(soft, v - wanted, np.zeros(len(v)), most)
        depth -= step * v
    return v


def with_friction(
    W: np.ndarray, missing: np.ndarray, friction: np.ndarray
) -> np.ndarray:
    """Returns impulses p within friction that bring W p + missing to 0 if they can.

    Args:
        W: velocities per impulse, shape (3n, 3n), each contact's z last.
        missing: velocities without impulses less those wanted, shape (3n,), m/s.
        friction: Coulomb's coefficients, shape (n,).
    """
    p = np.zeros(len(missing))
    if len(missing) <= _FEW:
        # The solution if all contacts stick, cut to what they can bear.
        soft = _SHARED * float(W.trace())
        p = -np.linalg.solve(W + soft * np.eye(len(W)), missing).reshape(-1, 3)
        p[:, 2] = np.maximum(p[:, 2], 0.0)
        across, most = np.hypot(p[:, 0], p[:, 1]), friction * p[:, 2]
        share = np.minimum(across, most) / np.maximum(across, 1e-300)
        p[:, :2] *= share[:, None]
        p = p.ravel()
        # After much cutting no impulses may be a better start.
        if p @ missing + p @ W @ p / 2 > 0:
            p[:] = 0.0
    _settle(W.T.ravel(), missing + W @ p, friction, p)
    return p
