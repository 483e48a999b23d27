"""The impulses of contacts that bounce, as ODE's contacts give them in sum.

ODE's contact lets its velocity become a goal: bounce times the old one, or what takes
back soft_erp of the depth per step, whichever is more (ode/src/joints/contact.cpp).
It gives way by soft_cfm / h per impulse, so that heavy bodies take several steps to
turn round. Here those steps are taken at once, with all contacts where they are.
"""

from typing import NamedTuple

import numpy as np

# Steps it takes to turn round at most; rounds in which friction settles.
_STEPS, _ROUNDS = 100, 30


class Contacts(NamedTuple):
    """Points that touch, arrays of shape (n,).

    Attributes:
        depth: m.
        bounce: restitution.
        least: speed from which on it bounces, m/s.
        erp: share of the depth that a step takes back.
        cfm: softness, m/(N s).
        friction: Coulomb's coefficient.
    """

    depth: np.ndarray
    bounce: np.ndarray
    least: np.ndarray
    erp: np.ndarray
    cfm: np.ndarray
    friction: np.ndarray


def speeds_after(
    W: np.ndarray, before: np.ndarray, contacts: Contacts, step: float
) -> np.ndarray:
    """Returns the speeds along the normals at which contacts let go, m/s, shape (n,).

    Args:
        W: those speeds per impulse, 1/kg, shape (n, n).
        before: speeds, negative where shapes come nearer, m/s, shape (n,).
        contacts: the points.
        step: h, s.
    """
    v, depth = before.copy(), contacts.depth.copy()
    soft = W + np.diag(contacts.cfm / step)
    for _ in range(_STEPS):
        goal = contacts.erp * depth / step
        bounced = np.where(-v > contacts.least, -contacts.bounce * v, 0.0)
        pushed = (depth >= 0) & (v < np.maximum(goal, bounced))
        if not pushed.any():
            break
        v += W @ _pushes(soft, np.maximum(goal, bounced) - v, depth >= 0)
        depth -= step * v
    return v


def _pushes(
    W: np.ndarray, missing: np.ndarray, touching: np.ndarray
) -> np.ndarray:
    """Returns impulses p >= 0 with W p >= missing, and = where p > 0; shape (n,).

    Contacts that would pull are left out, one after the other.
    """
    p, pushing = np.zeros(len(missing)), touching.copy()
    while pushing.any():
        p[:] = 0.0
        p[pushing] = np.linalg.solve(
            W[np.ix_(pushing, pushing)], missing[pushing]
        )
        if p.min() >= 0:
            break
        pushing[np.argmin(p)] = False
    return np.maximum(p, 0.0)


def with_friction(
    W: np.ndarray, missing: np.ndarray, friction: np.ndarray
) -> np.ndarray:
    """Returns impulses p with W p + missing = 0, across as far as friction goes.

    Projected Gauss-Seidel, contact by contact.

    Args:
        W: velocities per impulse, shape (3n, 3n), each contact's z last.
        missing: velocities without impulses less those wanted, shape (3n,), m/s.
        friction: Coulomb's coefficients, shape (n,).
    """
    p, own = np.zeros(len(missing)), W.diagonal()
    for _ in range(_ROUNDS):
        for i, mu in enumerate(friction):
            x, z = 3 * i, 3 * i + 2
            p[z] = max(0.0, p[z] - (missing[z] + W[z] @ p) / own[z])
            p[x:z] -= (missing[x:z] + W[x:z] @ p) / own[x:z].max()
            across, most = np.hypot(*p[x:z]), mu * p[z]
            if across > most:
                p[x:z] *= most / across
    return p
