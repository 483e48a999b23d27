"""The signals of motor steps: one definition, whatever carries the motors."""

from collections.abc import Sequence

import numpy as np

from webmotor_drake.loops import entry, saturation
from webmotor_drake.loops.rows import Command, LawState, ModelState

_mark = entry(saturation.mark)


def direct_effort(command: np.ndarray) -> np.ndarray:
    """Returns the effort that was set, 0 where the law acts.

    Args:
        command: `Command` rows, shape (10, ...).
    """
    on = command[Command.EFFORT_CONTROL] == 1
    return np.where(on, command[Command.DIRECT_EFFORT], 0.0)


def step_signals(
    command: np.ndarray,
    law_state: np.ndarray,
    effort: np.ndarray,
    feedback: np.ndarray,
    *,
    friction: np.ndarray,
    consumption_factors: np.ndarray,
    period: float,
    kinematic: Sequence[bool] = (),
) -> dict[str, np.ndarray]:
    """Returns the signals of motor steps, each of shape (n, K+1).

    Row 0 comes before the first step: nothing has moved or been applied. Its
    targets are already those of the first step.

    Args:
        command: `Command` rows in each step, shape (10, n, K+1).
        law_state: `LawState` rows in each step, shape (4, n, K+1).
        effort: applied effort, direct effort included, shape (n, K+1),
            N m or N.
        feedback: measured force feedback, shape (n, K+1), N m or N.
        friction: static friction of the joints, shape (n,), N m or N.
        consumption_factors: shape (n,), W/(N m) or W/N.
        period: the motor period, s.
        kinematic: joints that simply move, shape (n,): they take no effort.
    """
    feedback = feedback.copy()
    target = command[Command.TARGET_POSITION]
    found = np.empty(effort.size, np.uint8)
    available, in_effort = command[
        [Command.AVAILABLE_EFFORT, Command.EFFORT_CONTROL]
    ]
    friction_at = np.broadcast_to(friction[:, np.newaxis], effort.shape)
    _mark(*map(np.ravel, (available, in_effort, effort, friction_at)), found)
    saturated = found.reshape(effort.shape)
    moved = np.flatnonzero(kinematic)
    saturated[moved] = 0
    feedback[moved] = 0.0
    started = {
        "velocity_target": law_state[LawState.VELOCITY_TARGET].copy(),
        "velocity_command": law_state[LawState.VELOCITY_COMMAND].copy(),
        "effort": effort.copy(),
        "saturated": saturated.astype(float),
    }
    for values in (*started.values(), feedback):
        values[:, 0] = 0.0
    factors = consumption_factors[:, np.newaxis]
    energy = np.cumsum(np.abs(feedback) * factors, axis=1) * period
    feedback[:, 0] = np.nan
    return {
        "target_position": target,
        **started,
        "feedback": feedback,
        "energy": energy,
        "mode": mode(command),
        "effort_limit": effort_limit(command, friction),
    }


def mode(command: np.ndarray) -> np.ndarray:
    """Returns 0 in position control, 1 in velocity control, 2 in effort control.

    Args:
        command: `Command` rows, shape (10, ...).
    """
    direct = command[Command.EFFORT_CONTROL] == 1
    velocity = np.isinf(command[Command.TARGET_POSITION])
    return np.where(direct, 2, velocity).astype(float)


def effort_limit(command: np.ndarray, friction: np.ndarray) -> np.ndarray:
    """Returns the largest effort of motors, shape (n, K+1), N m or N.

    It is the available effort or, where the law acts, static friction if larger.

    Args:
        command: `Command` rows, shape (10, n, K+1).
        friction: static friction of the joints, shape (n,), N m or N.
    """
    available = command[Command.AVAILABLE_EFFORT]
    direct = command[Command.EFFORT_CONTROL] == 1
    shared = np.maximum(available, friction[:, np.newaxis])
    return np.where(direct, available, shared)


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
