"""Linear complementarity between bounds, as contacts and motors pose it."""

import numpy as np

# Changes of the set of what is at its bounds, and how many in a row may bring nothing
# before they come one by one, which cannot go round in circles.
_CHANGES, _BLOCKS = 3000, 5
# A row that is at its bound by less than that is not held by it.
_HELD = 1e-12


def boxed(
    W: np.ndarray, missing: np.ndarray, least: np.ndarray, most: np.ndarray
) -> np.ndarray:
    """Returns p from least to most with W p + missing = 0 where p is between them.

    At its bounds it may be positive (at the least) and negative (at the most). Block
    principal pivoting: J. Júdice, F. Pires, A block principal pivoting algorithm for
    large-scale strictly monotone linear complementarity problems, 1994.

    Args:
        W: positive definite, shape (n, n).
        missing: shape (n,).
        least: lower bounds, shape (n,).
        most: upper bounds, shape (n,).
    """
    # -1 at the least, 1 at the most, 0 between.
    at = np.zeros(len(missing), int)
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
        wrong = np.flatnonzero(wanted != at)
        if not wrong.size:
            break
        if wrong.size < fewest:
            fewest, blocks = wrong.size, _BLOCKS
        elif blocks:
            blocks -= 1
        else:
            wrong = wrong[-1:]
        at[wrong] = wanted[wrong]
    return np.clip(p, least, most)
