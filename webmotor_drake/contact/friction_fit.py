"""Coefficients per shape from which Drake makes the friction of each pair.

Drake combines two coefficients as 2 m1 m2 / (m1 + m2). With x = 1 / m that is
x1 + x2 = 2 / mu, linear in the unknown x >= 0: a least-squares problem with bounds
(Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23).
"""

from collections.abc import Mapping

import numpy as np
from pydrake.solvers import MathematicalProgram, Solve

Pair = tuple[str, str]

# Numbers that stand for infinite friction and for no friction.
MOST, LEAST = 1e3, 1e-9


def fitted(
    wanted: Mapping[Pair, float],
    known: Mapping[str, float] | None = None,
    ranks: Mapping[Pair, int] | None = None,
) -> dict[str, float]:
    """Returns the friction of each material that gives pairs the wanted friction.

    Pairs get exactly the wanted friction where possible, else with the least sum of
    squared relative errors of 1 / mu.

    Args:
        wanted: the friction of pairs of materials, infinite ones included.
        known: materials whose own friction is given.
        ranks: rank of each pair: no pair is fitted worse for the sake of one of a
            higher rank. None: all are equal.
    """
    known = dict(known or {})
    names = sorted({name for pair in wanted for name in pair} - known.keys())
    # A pair has no friction if one of its materials has none: find these first.
    smooth = {
        name
        for name in names
        if all(mu == 0 for pair, mu in wanted.items() if name in pair)
    }
    known |= dict.fromkeys(smooth, 0.0)
    names = [name for name in names if name not in smooth]
    levels: dict[int, list[np.ndarray]] = {}
    for pair, mu in wanted.items():
        row = [sum(name == p for p in pair) for name in names]
        if any(row) and not smooth & set(pair):
            target = 2 / min(max(mu, LEAST), MOST)
            side = target - sum(
                1 / max(known[p], LEAST) for p in pair if p in known
            )
            rank = ranks[pair] if ranks else 0
            levels.setdefault(rank, []).append(np.array([*row, side]) / target)
    x, free = np.zeros(len(names)), np.eye(len(names))
    # A level moves x only in directions that leave the levels before as they are.
    for _, rows in sorted(levels.items()):
        A, b = np.hsplit(np.array(rows), [-1])
        b = b[:, 0] - A @ x
        x = np.maximum(x + free @ _least_move(A @ free, b, free, x), 0)
        _, sizes, ways = np.linalg.svd(A @ free)
        number = int((sizes > 1e-9 * max(sizes, default=0.0)).sum())
        free = free @ ways[number:].T
        if not free.size:
            break
    return known | {
        name: 1 / max(value, 1 / MOST)
        for name, value in zip(names, x, strict=True)
    }


def combined(first: float, second: float) -> float:
    """Returns the friction that Drake makes of two coefficients."""
    total = first + second
    return 2 * first * second / total if total else 0.0


def _least_move(
    A: np.ndarray, b: np.ndarray, free: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """Returns z that minimizes |A z - b| with x + free z >= 0."""
    z, *_ = np.linalg.lstsq(A, b, rcond=None)
    if (x + free @ z >= 0).all():
        return z
    program = MathematicalProgram()
    unknown = program.NewContinuousVariables(A.shape[1])
    program.AddLinearConstraint(free, -x, np.full(len(x), np.inf), unknown)
    program.Add2NormSquaredCost(A=A, b=b, vars=unknown)
    return Solve(program).GetSolution(unknown)
