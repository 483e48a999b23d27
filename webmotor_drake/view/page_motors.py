"""The motors of a run, as rows of a page of ours."""

import math
import typing
from collections.abc import Mapping

import numpy as np
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.nodes.motors import is_modelled
from webmotor_drake.view.driven_motor import DrivenMotor
from webmotor_drake.view.moment import motor_signals

# What a frame has of each motor; NaN where it has none.
NUMBERS = (
    "position",
    "velocity",
    "effort",
    "effort_limit",
    "target_position",
    "mode",
    "current",
    "temperature",
)
# The additional signals of motor models, as the page shows them.
_WINDING = {
    quantity: {"label": quantity, "unit": unit, "at": NUMBERS.index(quantity)}
    for quantity, unit in (("current", "A"), ("temperature", "°C"))
}


class PageMotors:
    """The motors of robots, as rows of the page.

    Attributes:
        about: the constants of each motor, for the page.
        names: "<model>/<motor>" of each.
        driven: the motors themselves.
        commands: commands that were given, as in a scenario, but the motor is
            "<model>/<motor>".

    Args:
        motors: by model name.
        root: the diagram's Context, which commands change.
    """

    def __init__(self, motors: Mapping[str, MotorSystem], root: Context):
        self.commands: list[dict[str, typing.Any]] = []
        self._root = root
        self.names: list[str] = []
        self.about: list[dict[str, typing.Any]] = []
        self.driven: list[DrivenMotor] = []
        self._systems = []
        for model, system in motors.items():
            context = system.GetMyMutableContextFromRoot(root)
            self._systems.append((system, context))
            windings, own = _windings(system), system.model.motors
            for i, name in enumerate(system.devices.names):
                motor, node = DrivenMotor(system, i, context), own[name]
                self.driven.append(motor)
                self.names.append(f"{model}/{name}")
                self.about.append(
                    {
                        "robot": model,
                        "name": name,
                        "model": is_modelled(node) and node.motor_model,
                        "multiplier": motor.multiplier,
                        "winding": windings[i],
                        "offers": [offer.said() for offer in motor.offers],
                    }
                )
        self._multipliers = np.array([m.multiplier for m in self.driven])
        self._places = np.concatenate(
            [np.zeros(0, int), *(s.position_indices for s in motors.values())]
        )

    def command(self, index: int, value: float) -> None:
        """Commands the value that a motor's slider was moved to."""
        self._note(index, *self.driven[index].command(value))

    def change_mode(self, index: int) -> None:
        """Changes a motor's mode."""
        for given in self.driven[index].change_mode():
            self._note(index, *given)

    def note_change(self, index: int, name: str, value: float | None) -> None:
        """Takes the limits that a motor's parameter has changed, and notes it."""
        motor = self.driven[index]
        motor.offers = motor.offers_now()
        self.about[index]["offers"] = [offer.said() for offer in motor.offers]
        self._note(index, "change", {name: value})

    def _note(self, index: int, verb: str, value: object) -> None:
        now, motor = self._root.get_time(), self.names[index]
        self.commands.append({"time": now, "motor": motor, verb: value})

    def rows(self, state: np.ndarray) -> np.ndarray:
        """Returns `NUMBERS` of all motors now, shape (n, 8).

        Instead of the target stands what is commanded in the motor's mode, before
        the multiplier.

        Args:
            state: the plant's [q, v].
        """
        rows = np.empty((len(self.names), len(NUMBERS)))
        start = 0
        for system, context in self._systems:
            signals = motor_signals(system, context, state)
            own = rows[start : start + len(system.devices.names)]
            start += len(own)
            for k, name in enumerate(NUMBERS):
                own[:, k] = signals.get(name, np.nan)
            mode, target = signals["mode"], signals["target_position"]
            # Not commanded yet, it holds where it is.
            held = np.where(np.isnan(target), signals["position"], target)
            own[:, 4] = np.where(mode == 1, signals["target_velocity"], held)
            own[mode == 2, 4] = signals["direct_effort"][mode == 2]
        rows[:, 4] /= self._multipliers
        return rows

    def targets(self, rows: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """Returns the plant's positions, but motors where their targets are.

        Motors that are not in position control stay.

        Args:
            rows: rows of a moment, as `rows` returns them.
            positions: positions of the plant at that moment.
        """
        target = rows[:, 4] * self._multipliers
        has_one = np.isfinite(target) & (rows[:, 5] == 0)
        found = positions.copy()
        found[self._places[has_one]] = target[has_one]
        return found


def _windings(system: MotorSystem) -> list[list[dict[str, typing.Any]]]:
    """Returns for each motor of a system the signals of `_WINDING` that it has."""
    found: list[list[dict]] = [[] for _ in system.devices.names]
    if (laws := system.laws) is not None:
        rows = laws.rows
        for i, per_current, continuous in zip(
            rows["place"], rows["per_current"], rows["continuous"], strict=True
        ):
            if math.isfinite(per_current):
                found[i].append(_WINDING["current"])
            if math.isfinite(continuous):
                found[i].append(_WINDING["temperature"])
    return found
