"""A motor that somebody drives by hand, as a controller would."""

import math
import typing
from collections.abc import Iterator

import numpy as np
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.commands import VERBS
from webmotor_drake.motor.signals import mode
from webmotor_drake.nodes.motors import max_effort

# What a joint without limits is offered to each side: half a turn, or 1 m.
_FREE = {"rad": math.pi, "m": 1.0}
# And one without a limit of its effort, N m or N.
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
        """Returns the range of a joint that is somewhere, within its limits."""
        low = low if math.isfinite(low) else here - _FREE[unit]
        high = high if math.isfinite(high) else here + _FREE[unit]
        if low >= high:
            low, high = here - _FREE[unit], here + _FREE[unit]
        return cls(unit, low, high)

    def said(self) -> dict[str, typing.Any]:
        """Returns the range for the page, with a step: 1000 to 10,000 of them."""
        size = math.floor(math.log10(self.high - self.low))
        return {**self._asdict(), "step": 10.0 ** (size - 3)}


class DrivenMotor:
    """A motor of a simulation, commanded by hand.

    Attributes:
        system: the motors of its model.
        index: the motor's index among them.
        context: the system's Context, which commands change.
        offers: the ranges that it takes in position, velocity and effort control,
            the numbers of the signal `mode`.
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

        Gives the verb and the value of each command. It stands still, or holds
        where it is.
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
