"""Records of motor models, drawn at random."""

import types


def any_law(some, **fields):
    """Returns a motor's record with random numbers, and those that are given."""
    law = {
        "kp": some.uniform(0, 50),
        "kd": some.uniform(0, 5),
        "explicit": bool(some.integers(2)),
        "by_voltage": bool(some.integers(2)),
        "drop": some.uniform(0.1, 2),
        "stall": some.uniform(1, 5),
        "line": True,
        "continuous": some.uniform(0.5, 2),
    }
    return types.SimpleNamespace(**law | fields)
