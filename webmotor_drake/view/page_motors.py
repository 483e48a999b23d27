"""The motors of a run, as rows of a page of ours, by which somebody drives them."""

import math
import typing
from collections.abc import Iterator, Mapping

import numpy as np
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.commands import VERBS
from webmotor_drake.motor.signals import mode
from webmotor_drake.nodes.motors import is_modelled, max_effort
from webmotor_drake.view.moment import motor_signals

# The numbers of each motor in a frame; NaN where it has none.
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
# Range to each side of a joint without limits: half a turn, or 1 m.
_FREE = {"rad": math.pi, "m": 1.0}
# Range of an effort without a limit, N m or N.
_STRONG = 100.0


class Offer(typing.NamedTuple):
    """The range of a slider.

    Attributes:
        unit: unit of its value.
        low: the least value.
        high: the highest value.
    """

    unit: str
    low: float
    high: float

    @classmethod
    def of_place(
        cls, unit: str, low: float, high: float, here: float
    ) -> typing.Self:
        """Returns the range of a joint: its limits, else around its position `here`."""
        low = low if math.isfinite(low) else here - _FREE[unit]
        high = high if math.isfinite(high) else here + _FREE[unit]
        if low >= high:
            low, high = here - _FREE[unit], here + _FREE[unit]
        return cls(unit, low, high)

    def said(self) -> dict[str, typing.Any]:
        """Returns the range for the page, with its step: 1000 to 10,000 in all."""
        size = math.floor(math.log10(self.high - self.low))
        return {**self._asdict(), "step": 10.0 ** (size - 3)}


class DrivenMotor:
    """A motor of a simulation, commanded by hand.

    Attributes:
        system: the motors of its model.
        index: the motor's index among them.
        context: the system's Context, which commands change.
        offers: ranges of commands in position, velocity and effort control, in the
            order of the signal `mode`.
    """

    def __init__(self, system: MotorSystem, index: int, context: Context):
        self.system, self.index, self.context = system, index, context
        self._speed = self._commanded_speed()
        self.offers = self.offers_now()

    def offers_now(self) -> tuple[Offer, Offer, Offer]:
        """Returns the offers by the limits that the motor has now."""
        motor = self.system.devices.motors[self.index]
        units, factor = motor.units, abs(self.multiplier)
        low, high = motor.min_position, motor.max_position
        if low == high:
            low, high = position_limits(self.system.model.joints[self.index])
        place = Offer.of_place(units["position"], low, high, self.position)
        ends = sorted(end / self.multiplier for end in place[1:])
        speed = motor.max_velocity / factor or 1.0
        effort = max_effort(motor) / factor
        effort = effort if math.isfinite(effort) and effort else _STRONG
        return (
            Offer(units["position"], *ends),
            Offer(units["velocity"], -speed, speed),
            Offer(units["effort"], -effort, effort),
        )

    @property
    def multiplier(self) -> float:
        """The factor from a command to the joint's value."""
        return self.system.devices.motors[self.index].multiplier or 1.0

    @property
    def mode(self) -> int:
        """The mode that it is in: 0 position, 1 velocity, 2 effort."""
        return int(mode(self._table()[:, self.index]))

    @property
    def position(self) -> float:
        """The joint's position, rad or m."""
        state = self.system.get_plant_state_input_port().Eval(self.context)
        return float(state[self.system.position_indices[self.index]])

    def command(self, value: float) -> tuple[str, float]:
        """Commands a value in its mode, within the offer; returns verb and value."""
        own, motor = self.mode, self.system.devices.motors[self.index]
        effort = "set_" + motor.effort_field.removeprefix("max_")
        verb = ("set_position", "set_velocity", effort)[own]
        _, low, high = self.offers[own]
        return self._give(verb, min(max(value, low), high))

    def change_mode(self) -> Iterator[tuple[str, float]]:
        """Changes from position to velocity control, else to position control.

        Yields the verb and the value of each command. The motor then stands still, or
        holds its position.
        """
        if self.mode == 0:
            self._speed = self._commanded_speed()
            yield self._give("set_position", math.inf)
            yield self._give("set_velocity", 0.0)
        else:
            yield self._give("set_position", self.position / self.multiplier)
            yield self._give("set_velocity", abs(self._speed))

    def _commanded_speed(self) -> float:
        speed = self._table()[Command.TARGET_VELOCITY, self.index]
        return float(speed) / self.multiplier

    def _give(self, verb: str, value: float) -> tuple[str, float]:
        self.system.apply_all(self.context, [(self.index, VERBS[verb], value)])
        return verb, value

    def _table(self) -> np.ndarray:
        values = self.system.GetOutputPort("tables").Eval(self.context)
        return self.system.tables.command_table(values)


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
            state = system.get_plant_state_input_port().Eval(context)
            signals = motor_signals(system, context, state)
            own = system.model.motors
            blank = np.full(len(own), np.nan)
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
                        "winding": [
                            about
                            for quantity, about in _WINDING.items()
                            if np.isfinite(signals.get(quantity, blank)[i])
                        ],
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
        """Takes over limits that a parameter has changed, and notes the change."""
        motor = self.driven[index]
        motor.offers = motor.offers_now()
        self.about[index]["offers"] = [offer.said() for offer in motor.offers]
        self._note(index, "change", {name: value})

    def _note(self, index: int, verb: str, value: object) -> None:
        now, motor = self._root.get_time(), self.names[index]
        self.commands.append({"time": now, "motor": motor, verb: value})

    def rows(self, state: np.ndarray) -> np.ndarray:
        """Returns `NUMBERS` of all motors now, shape (n, 8).

        In place of the target is the command in the motor's mode, before the
        multiplier.

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
        """Returns the plant's positions, with motors at their targets.

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
