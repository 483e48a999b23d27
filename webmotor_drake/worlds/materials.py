"""Friction of pairs of materials as one number per material.

Webots has a coefficient per pair, Drake one per shape, which it combines to
2 a b / (a + b). With x = 1 / a that is linear: x_a + x_b = 2 / mu.
"""

import numpy as np

from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.report import Report

# Friction without bounds, and the least that is above none.
_MOST, _LEAST = 1e3, 1e-4
# What pairs without an entry count for, those of the default material and others.
_DEFAULT, _OTHERS = 0.03, 1e-4
# The material of what slides in our own replacements.
SLIPPERY = "webmotor slippery"


def pair_friction(
    properties: list[Node], report: Report
) -> dict[tuple[str, str], float]:
    """Returns friction by pairs of materials, the first entry of a pair counts."""
    pairs: dict[tuple[str, str], float] = {}
    for node in properties:
        a = node.text("material1", "default")
        b = node.text("material2", "default")
        given = node.fields.get("coulombFriction")
        values = list(given.numbers()) if given is not None else [1.0]
        mu = values[0] if values else 1.0
        if len(values) > 1:
            report.add(
                "changed",
                "coulombFriction",
                node.place,
                f"the same in all directions: {mu:g}",
            )
        if (a, b) not in pairs and (b, a) not in pairs:
            pairs[a, b] = _MOST if mu < 0 else mu
        for field in ("rollingFriction", "forceDependentSlip"):
            there = node.fields.get(field)
            if there is not None and any(there.numbers()):
                report.add("left out", field, there.place, "not simulated")
    return pairs


def friction_of(
    materials: set[str], pairs: dict[tuple[str, str], float]
) -> dict[str, float]:
    """Returns the coefficient of each material that comes nearest to the pairs'.

    Args:
        materials: those in use.
        pairs: friction by pairs; others have 1.
    """
    names = sorted(materials)
    slippery = {SLIPPERY, *_slippery(names, pairs)}
    names = [name for name in names if name not in slippery]
    rows, wanted, weights = [], [], []
    for i, a in enumerate(names):
        for j, b in enumerate(names[i:], i):
            mu = pairs.get((a, b), pairs.get((b, a)))
            row = np.zeros(len(names))
            row[i] += 1
            row[j] += 1
            rows.append(row)
            wanted.append(2 / max(1.0 if mu is None else mu, _LEAST))
            if mu is not None:
                weights.append(1.0)
            else:  # it may never meet
                weights.append(_DEFAULT if a == b == "default" else _OTHERS)
    solved = dict.fromkeys(slippery, 0.0)
    if not names:
        return solved
    A = np.array(rows) * np.array(weights)[:, None]
    b = np.array(wanted) * np.array(weights)
    x = np.linalg.lstsq(A, b, rcond=None)[0]
    if not (x > 1 / _MOST).all():
        x = _positive_solution(A, b, np.maximum(x, 1 / _MOST))
    numbers = {
        name: float(f"{1 / v:.6g}") for name, v in zip(names, x, strict=True)
    }
    return {**solved, **numbers}


def _positive_solution(
    A: np.ndarray, b: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """Returns the least squares of A x = b with x above 0, by coordinate descent."""
    for _ in range(2000):
        for k in range(len(x)):
            rest = b - A @ x + A[:, k] * x[k]
            x[k] = max(A[:, k] @ rest / (A[:, k] @ A[:, k]), 1 / _MOST)
    return x


def _slippery(
    names: list[str], pairs: dict[tuple[str, str], float]
) -> set[str]:
    """Returns materials that make a pair without friction: not the default one."""
    found = set()
    for (a, b), mu in pairs.items():
        if mu == 0:
            found |= {a, b} - {"default"} or {a}
    return found & set(names)
