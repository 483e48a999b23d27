"""Actions: an agent's numbers as commands."""

import dataclasses as dc
import math
from collections.abc import Mapping

import numpy as np
from gymnasium import spaces

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.nodes.motors import max_effort

# The port of `CommandPorts` that each kind is commanded by.
PORTS = {
    "position": "target_position",
    "velocity": "target_velocity",
    "effort": "direct_effort",
}


@dc.dataclass(frozen=True)
class Action:
    """The command of a motor that an element of the action sets.

    Attributes:
        kind: "position" (rad or m: setPosition), "velocity" (rad/s or m/s: velocity
            control at it) or "effort" (N m or N: setTorque, setForce).
        low: the least value; None: the motor's limit, see `ActionMap`.
        high: the greatest value.
    """

    kind: str
    low: float | None = None
    high: float | None = None


Actions = str | Mapping[str, str | Action]


class ActionMap:
    """Turns an agent's numbers into rows of commands.

    A position is limited by the motor's soft limits, else by the joint's stops,
    velocity and effort by the motor's largest ones. Coupled motors get the same
    command; the first stands for all.

    Attributes:
        names: "<model>/<motor>/<kind>" of each element.
        space: space of the actions.
        commands: the rows that `row` makes, as `MotorLoop` has them.

    Args:
        actions: a kind for all motors, or by "<model>/<motor>" a kind or an `Action`.
        systems: the motors by model name.
        scaled: True if the elements are from -1 to 1, from limit to limit.

    Raises:
        InputError: an unknown motor or kind, or limits that are needed and missing.
    """

    def __init__(
        self,
        actions: Actions,
        systems: Mapping[str, MotorSystem],
        *,
        scaled: bool,
    ):
        places = {
            f"{model}/{motor}": (system, i)
            for model, system in systems.items()
            for i, motor in enumerate(system.devices.names)
        }
        chosen = _chosen(actions, places)
        order = {name: i for i, name in enumerate(places)}
        limits = []
        for name, action in chosen.items():
            with below("actions", name):
                limits.append(_limits(action, *places[name], scaled=scaled))
        low, high = np.array(limits).reshape(-1, 2).T
        self.names = [f"{name}/{a.kind}" for name, a in chosen.items()]
        self.commands = [
            port
            for kind, port in PORTS.items()
            if any(action.kind == kind for action in chosen.values())
        ]
        self._half, self._middle = 1.0, 0.0
        if scaled:
            self._half, self._middle = (high - low) / 2, (high + low) / 2
            low, high = -np.ones(len(chosen)), np.ones(len(chosen))
        # Learners compute in float32; the limits are kept to exactly.
        single = low.astype(np.float32), high.astype(np.float32)
        self.space = spaces.Box(*single, dtype=np.float32)
        self._low, self._high = low, high
        self._size = len(order)
        self._parts = {
            kind: _columns(chosen, order, kind)
            for kind, port in PORTS.items()
            if port in self.commands
        }
        self._kept: dict[tuple[int, ...], list[np.ndarray]] = {}

    def clipped(self, action: object) -> tuple[np.ndarray, np.ndarray]:
        """Returns an action, or several, clipped to the space; and which were outside.

        Args:
            action: shape (..., size of the space).

        Raises:
            InputError: it has another shape, or is not a number: the policy has
                diverged.
        """
        try:
            values = np.asarray(action, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{action!r} is not an action") from None
        if values.shape[-1:] != self._low.shape:
            raise InputError(
                f"an action of shape {values.shape} is not allowed; it has"
                f" {len(self.names)} elements: {', '.join(self.names)}"
            )
        inside = np.minimum(np.maximum(values, self._low), self._high)
        outside = inside != values
        if np.count_nonzero(outside):
            if np.isnan(values).any():
                i = int(np.argwhere(np.isnan(values))[0][-1])
                raise InputError(f"the action for {self.names[i]} is NaN")
            # The ends of the space are rounded; values up to them are not outside.
            outside = (values < self.space.low) | (values > self.space.high)
        return inside, outside

    def rows(self, action: np.ndarray) -> list[np.ndarray]:
        """Returns the rows that command an action, one for each of `commands`.

        Args:
            action: in the space, shape (..., size).

        Returns:
            Arrays that the next call overwrites, shape (..., motors).
        """
        values = self._middle + self._half * action
        rows = self._kept.get(values.shape[:-1])
        if rows is None:
            rows = self._kept[values.shape[:-1]] = self._new(values.shape[:-1])
        for row, (elements, motors) in zip(
            rows, self._parts.values(), strict=True
        ):
            row[..., motors] = values[..., elements]
        return rows

    def _new(self, shape: tuple[int, ...]) -> list[np.ndarray]:
        """Returns rows that are NaN where a motor is not commanded so."""
        rows = [np.full((*shape, self._size), np.nan) for _ in self._parts]
        # In a row of positions, motors in velocity control need infinite ones.
        if {"position", "velocity"} <= self._parts.keys():
            rows[0][..., self._parts["velocity"][1]] = np.inf
        return rows


def _columns(
    chosen: Mapping[str, Action], order: Mapping[str, int], kind: str
) -> tuple[slice | np.ndarray, slice | np.ndarray]:
    """Returns the elements of a kind, and the motors that they command."""
    pairs = [
        (i, order[name])
        for i, (name, action) in enumerate(chosen.items())
        if action.kind == kind
    ]
    elements, motors = np.array(pairs, dtype=int).reshape(-1, 2).T
    return _as_slice(elements), _as_slice(motors)


def _as_slice(places: np.ndarray) -> slice | np.ndarray:
    """Returns places as a slice, which numpy reads in less time, if they are one."""
    one = slice(places[0], places[-1] + 1) if len(places) else slice(0)
    together = np.array_equal(places, np.arange(one.start or 0, one.stop))
    return one if together else places


def _chosen(
    actions: Actions, places: Mapping[str, tuple[MotorSystem, int]]
) -> dict[str, Action]:
    """Returns the action of each motor that has one, checked."""
    if isinstance(actions, str):
        actions = {
            name: actions
            for name, (system, i) in places.items()
            if min(system.devices.groups[i]) == i
        }
    if not isinstance(actions, Mapping) or not actions:
        raise InputError(
            "a kind for all motors, or at least one motor with its kind, is needed"
        ).below("actions")
    chosen = {}
    for name, action in actions.items():
        with below("actions"):
            if name not in places:
                raise InputError(unknown_name("motor", name, places))
        action = Action(action) if isinstance(action, str) else action
        with below("actions", name):
            if not isinstance(action, Action):
                raise InputError(
                    f"{action!r} is neither a kind of action nor an Action"
                )
            if action.kind not in PORTS:
                raise InputError(unknown_name("action", action.kind, PORTS))
        chosen[name] = action
    _check_coupled(chosen, places)
    return chosen


def _check_coupled(
    chosen: Mapping[str, Action],
    places: Mapping[str, tuple[MotorSystem, int]],
) -> None:
    """Refuses two actions that command the same coupled motors."""
    taken: dict[tuple[int, int], str] = {}
    for name in chosen:
        system, i = places[name]
        group = id(system), min(system.devices.groups[i])
        if group in taken:
            raise InputError(
                f"it is coupled with {taken[group]}: what one is told, both are"
            ).below("actions", name)
        taken[group] = name


def _limits(
    action: Action, system: MotorSystem, index: int, *, scaled: bool
) -> tuple[float, float]:
    low, high = _own_limits(action.kind, system, index)
    low = low if action.low is None else float(action.low)
    high = high if action.high is None else float(action.high)
    if not low < high:
        raise InputError(
            f"low {low:g} and high {high:g} leave no {action.kind} to choose"
        )
    if scaled and not math.isfinite(high - low):
        raise InputError(
            f"its {action.kind} has no limits; give them, as in"
            f' Action("{action.kind}", low=-1, high=1), or use scaled=False'
        )
    return low, high


def _own_limits(
    kind: str, system: MotorSystem, index: int
) -> tuple[float, float]:
    motor = system.devices.motors[index]
    multiplier = motor.multiplier or 1.0
    if kind == "position":
        low, high = motor.min_position, motor.max_position
        if low == high:
            low, high = position_limits(system.model.joints[index])
        low, high = sorted((low / multiplier, high / multiplier))
        return low, high
    end = motor.max_velocity if kind == "velocity" else max_effort(motor)
    end = abs(end / multiplier)
    return -end, end
