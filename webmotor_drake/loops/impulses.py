"""Impulses of contacts: along the normal, and across it up to Coulomb's bound."""

import math

_ROUNDS = 30
# Impulses have settled if they change by less than this share of the largest.
_SETTLED = 1e-4


def settle(columns, left, friction, p):
    """Lets impulses settle, contact by contact (projected Gauss-Seidel).

    Args:
        columns: velocities per impulse, one impulse after the other, (9 n^2), each
            contact's z last.
        left: differences from the wanted velocities, (3 n); updated.
        friction: Coulomb's coefficients, (n).
        p: impulses, (3 n); updated.
    """
    size = len(p)
    for _ in range(_ROUNDS):
        changed = most = 0.0
        for i in range(len(friction)):
            x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
            a, b, c = p[x], p[y], p[z]
            more = max(0.0, c - left[z] / columns[z * size + z])
            _push(columns, left, p, z, more - c)
            if p[z] == 0 and c == 0:
                continue
            least = max(columns[x * size + x], columns[y * size + y])
            u, v = a - left[x] / least, b - left[y] / least
            across, bound = math.sqrt(u * u + v * v), friction[i] * p[z]
            share = bound / across if across > bound else 1.0
            _push(columns, left, p, x, share * u - a)
            _push(columns, left, p, y, share * v - b)
            most = max(most, max(p[x], max(p[y], p[z])))
            changed = max(changed, abs(p[z] - c))
            changed = max(changed, max(abs(p[x] - a), abs(p[y] - b)))
        if changed <= _SETTLED * most:
            break


def _push(columns, left, p, row, more):
    """Adds to an impulse, and updates the differences from wanted velocities."""
    if more == 0:
        return
    p[row] += more
    size = len(p)
    for i in range(size):
        left[i] += more * columns[row * size + i]
