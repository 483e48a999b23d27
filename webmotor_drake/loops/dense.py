"""Pieces of the loops in numpy, for many joints where nothing is compiled.

A step of 30 joints takes 3 times as long as Drake's own actuators so, with loops as
their text stands 11 times.
"""

import numpy as np

from webmotor_drake.loops import bounded, tree_solver

# From so many velocities on it is faster.
_MANY = 9
_in_loops = bounded._solve_with_set
_collect_in_loops = tree_solver._collect_tree


def _solve_with_set(n, m, inertia, force, rows, motors, effort, a, room):
    """Solves as its namesake in `bounded` does, but for rounding."""
    if n < _MANY:
        _in_loops(n, m, inertia, force, rows, motors, effort, a, room)
        return
    A, f = np.asarray(inertia)[:n, :n], np.asarray(force)[:n]
    (wanted, bound, softness), own = (
        np.asarray(motors)[:3, :m],
        np.asarray(rows)[:m],
    )
    at_bound, found = np.asarray(room.at_bound)[:m], np.asarray(effort)[:m]
    free = at_bound == 0.0
    found[:] = at_bound * bound
    aim, scale = np.zeros(n), np.full(n, -1.0)
    aim[own[free]], scale[own[free]] = wanted[free], np.sqrt(softness[free])
    given = f.copy()
    given[own] += found
    matrix = A * scale * scale[:, np.newaxis]
    matrix.flat[own[free] * (n + 1)] += 1.0
    moved = aim - scale * np.linalg.solve(matrix, scale * (A @ aim - given))
    np.asarray(a)[:n] = moved
    found[free] = (A @ moved - f)[own[free]]


def _collect_tree(
    n, inertia, acceleration, force, velocities, start, block, known
):
    """Writes as its namesake in `tree_solver` does, but for rounding."""
    if n < _MANY:
        _collect_in_loops(
            n, inertia, acceleration, force, velocities, start, block, known
        )
        return
    own = slice(start, start + n)
    A, mine = np.asarray(inertia)[own, own], np.asarray(block)[:n, :n]
    mine[:] = A
    mine[np.arange(n), np.arange(n)] += [
        row.on_diagonal for row in velocities[own]
    ]
    found = A @ np.asarray(acceleration)[own] - np.asarray(force)[own]
    np.asarray(known)[:n] = found


bounded._solve_with_set = _solve_with_set
tree_solver._collect_tree = _collect_tree
