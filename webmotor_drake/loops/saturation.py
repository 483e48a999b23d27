"""Which motors are at their limits."""

from typing import Any

# A motor is saturated from this share of its limit on: solvers reach a bound to within
# their own tolerance (a millionth in Drake's contact solver), and springs' efforts are
# subtracted from those that a plant reports.
_AT_LIMIT = 1 - 1e-6


def mark(
    available: Any, in_effort: Any, effort: Any, friction: Any, found: Any
) -> None:
    """Writes 1 to `found` for servos at their limits, else 0; all have one shape."""
    for i in range(len(effort)):
        limit = max(available[i], friction[i])
        at_limit = abs(effort[i]) >= limit * _AT_LIMIT
        found[i] = at_limit and limit > 0.0 and in_effort[i] != 1.0
