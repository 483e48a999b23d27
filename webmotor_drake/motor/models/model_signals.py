"""The signals that motor models have besides, or otherwise, than Webots' motors."""

import numpy as np

from webmotor_drake.loops.rows import ModelState


def with_model_signals(
    signals: dict[str, np.ndarray], models: np.ndarray, rows: np.ndarray
) -> dict[str, np.ndarray]:
    """Returns the signals of motor steps with those of the motor models.

    `effort_limit` is the largest effort at the motor's speed. There are `friction`
    (N m or N), and for motors that have it `current` (A), `temperature` (°C),
    `motor_position` (rad or m, before the spring), `motor_effort` and `out_of_range`
    (the share of a network's inputs that it was not trained with). A motor without one
    of these has NaN.

    Args:
        signals: those of `step_signals`, each of shape (n, K+1).
        models: `ModelState` rows, shape (rows, n, K+1).
        rows: `LAW` records of the m modelled motors.
    """
    own = rows["place"]
    mine = models[:, own]
    limit = signals["effort_limit"].copy()
    limit[own, 1:] = mine[ModelState.LIMIT, :, 1:]
    saturated = signals["saturated"].copy()
    made = mine[ModelState.MOTOR_EFFORT]
    at_limit = np.abs(made) >= mine[ModelState.LIMIT] * (1 - 1e-6)
    saturated[own, 1:] = (at_limit & (made != 0))[:, 1:]
    elastic = rows["elastic"][:, np.newaxis]
    besides = {
        "friction": mine[ModelState.FRICTION],
        **winding_signals(mine, rows),
        "out_of_range": np.where(
            rows["learned"][:, np.newaxis],
            mine[ModelState.OUT_OF_RANGE],
            np.nan,
        ),
        "motor_effort": np.where(elastic, made, np.nan),
        "motor_position": np.where(elastic, mine[ModelState.POSITION], np.nan),
    }
    added: dict[str, np.ndarray] = {}
    for name, values in besides.items():
        if np.isfinite(values).any():
            added[name] = np.full(limit.shape, np.nan)
            added[name][own] = values
    return {**signals, "effort_limit": limit, "saturated": saturated, **added}


def winding_signals(
    mine: np.ndarray, rows: np.ndarray
) -> dict[str, np.ndarray]:
    """Returns `current` (A) and `temperature` (°C); NaN where a motor has none.

    Args:
        mine: `ModelState` rows of the modelled motors, shape (rows, m, ...).
        rows: their `LAW` records.
    """
    per_current, warming, ambient, continuous = (
        rows[name].reshape(-1, *[1] * (mine.ndim - 2))
        for name in ("per_current", "warming", "ambient", "continuous")
    )
    warm = ambient + warming * mine[ModelState.HEAT]
    return {
        "current": mine[ModelState.MOTOR_EFFORT] / per_current,
        "temperature": np.where(np.isfinite(continuous), warm, np.nan),
    }
