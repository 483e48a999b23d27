"""A motor that somebody drives by hand, as a controller would."""

import dataclasses as dc
import math
from collections.abc import Iterator

import numpy as np
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.motor.commands import Kind
from webmotor_drake.motor.signals import mode
from webmotor_drake.motor.tables import Command
from webmotor_drake.nodes.motors import max_effort

# What a motor without limits is offered to each side: half a turn, or 1 m.
_FREE = {"rad": math.pi, "m": 1.0}
# And one without a limit of its effort, N m or N.
_STRONG = 100.0

# By the number that the signal `mode` has for them.
MODES = "position", "velocity", "effort"


@dc.dataclass(frozen=True)
class Offer:
    """The values that a motor takes in one of its modes.

    Attributes:
        unit: of the value.
        kind: the command.
        verb: the same in a scenario's commands.
        low: the least value.
        high: the highest value.
        row: row of the `Command` table that has what is commanded now.
    """

    unit: str
    kind: Kind
    verb: str
    low: float
    high: float
    row: Command

    @property
    def step(self) -> float:
        """The smallest change; see `slider_step`."""
        return slider_step(self.low, self.high)


class DrivenMotor:
    """A motor of a simulation, commanded by hand.

    Attributes:
        offers: for each of `MODES` what it takes.
        multiplier: factor from a command to what the joint gets.

    Args:
        system: the motors of its model.
        index: the motor's index among them.
        context: the system's Context, which commands change.
    """

    def __init__(self, system: MotorSystem, index: int, context: Context):
        self._system, self._index, self._context = system, index, context
        self._motor = system.devices.motors[index]
        self.multiplier = self._motor.multiplier or 1.0
        self.offers = (
            self._position_offer(),
            self._velocity_offer(),
            self._effort_offer(),
        )
        self._speed = self.commanded(Command.TARGET_VELOCITY)

    def _position_offer(self) -> Offer:
        unit = self._motor.units["position"]
        low, high = self._motor.min_position, self._motor.max_position
        if low == high:
            low, high = position_limits(self._system.model.joints[self._index])
        if not math.isfinite(high - low) or low >= high:
            middle = self._position()
            low, high = middle - _FREE[unit], middle + _FREE[unit]
        low, high = sorted((low / self.multiplier, high / self.multiplier))
        row = Command.TARGET_POSITION
        return Offer(unit, Kind.POSITION, "set_position", low, high, row)

    def _velocity_offer(self) -> Offer:
        end = self._motor.max_velocity / abs(self.multiplier) or 1.0
        unit, row = self._motor.units["velocity"], Command.TARGET_VELOCITY
        return Offer(unit, Kind.VELOCITY, "set_velocity", -end, end, row)

    def _effort_offer(self) -> Offer:
        end = max_effort(self._motor) / abs(self.multiplier)
        end = end if math.isfinite(end) and end else _STRONG
        unit, row = self._motor.units["effort"], Command.DIRECT_EFFORT
        verb = "set_" + self._motor.effort_field.removeprefix("max_")
        return Offer(unit, Kind.EFFORT, verb, -end, end, row)

    def again(self) -> "DrivenMotor":
        """Returns the motor with the limits that it has now."""
        return DrivenMotor(self._system, self._index, self._context)

    @property
    def mode(self) -> int:
        """The mode that it is in: 0 position, 1 velocity, 2 effort."""
        return int(mode(self._table()[:, self._index]))

    def command(self, offer: Offer, value: float) -> tuple[str, float]:
        """Commands a value within an offer; returns the verb and the value."""
        value = min(max(value, offer.low), offer.high)
        return self._give(offer, value)

    def change_mode(self) -> Iterator[tuple[str, float]]:
        """Changes from position to velocity control, else to position control.

        Gives the verb and the value of each command. It stands still, or holds
        where it is.
        """
        position, velocity, _ = self.offers
        if self.mode == 0:
            self._speed = self.commanded(Command.TARGET_VELOCITY)
            yield self._give(position, math.inf)
            yield self._give(velocity, 0.0)
        else:
            here = self._position() / self.multiplier
            yield self._give(position, here)
            yield self._give(velocity, abs(self._speed))

    def commanded(self, row: Command) -> float:
        """Returns the command, before the multiplier."""
        value = self._table()[row, self._index]
        if math.isnan(value):  # not commanded yet: it holds where it is
            value = self._position()
        return float(value) / self.multiplier

    def _give(self, offer: Offer, value: float) -> tuple[str, float]:
        self._system.apply_all(
            self._context, [(self._index, offer.kind, value)]
        )
        return offer.verb, value

    def _table(self) -> np.ndarray:
        values = self._system.GetOutputPort("tables").Eval(self._context)
        return self._system.tables.command_table(values)

    def _position(self) -> float:
        state = self._system.get_plant_state_input_port().Eval(self._context)
        return float(state[self._system.position_indices[self._index]])


def slider_step(low: float, high: float) -> float:
    """Returns a power of ten of which 1000 to 10,000 go from end to end."""
    return 10.0 ** (math.floor(math.log10(high - low)) - 3)
