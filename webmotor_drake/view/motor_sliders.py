"""A slider in the browser per motor, which commands it as a controller would."""

import dataclasses as dc
import math
from collections.abc import Iterator

from pydrake.geometry import Meshcat
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.motor.commands import Kind
from webmotor_drake.motor.signals import mode
from webmotor_drake.motor.tables import Command
from webmotor_drake.nodes.motors import max_effort
from webmotor_drake.simulation.simulation import Simulation

# What a slider without limits offers to each side: half a turn, or 1 m.
_FREE = {"rad": math.pi, "m": 1.0}
# And one for a motor without a limit of its effort, N m or N.
_STRONG = 100.0

# By the number that the signal `mode` has for them.
_MODES = "position", "velocity", "effort"


@dc.dataclass(frozen=True)
class _Offer:
    """A motor's slider in one of its modes.

    Attributes:
        label: its name in the browser.
        kind: what it commands.
        verb: the same in a scenario's commands.
        low: its left end.
        high: its right end.
        row: what it shows, of the `Command` table.
    """

    label: str
    kind: Kind
    verb: str
    low: float
    high: float
    row: Command

    @property
    def step(self) -> float:
        """Its smallest change: a power of ten, 1000 to 10,000 from end to end."""
        return 10.0 ** (math.floor(math.log10(self.high - self.low)) - 3)


class MotorSliders:
    """The sliders of all motors of a simulation.

    A motor's slider commands what its mode takes: a position in position control
    (its ends are the soft limits, else the joint's stops), a velocity in velocity
    control, an effort where a controller has set one. A button changes from one of
    the first two to the other. What timed commands or a controller set moves the
    slider.

    Attributes:
        commands: what was commanded with them, as in a scenario's commands, but
            the motor is "<model>/<motor>".

    Args:
        meshcat: gets the sliders.
        simulation: whose motors.
    """

    def __init__(self, meshcat: Meshcat, simulation: Simulation):
        self.commands: list[dict[str, object]] = []
        self._root = simulation.simulator.get_mutable_context()
        several = len(simulation.motors) > 1
        self._sliders = {
            f"{model}/{motor}": _MotorSlider(
                meshcat,
                system,
                i,
                name=f"{model}/{motor}" if several else motor,
                context=system.GetMyMutableContextFromRoot(self._root),
            )
            for model, system in simulation.motors.items()
            for i, motor in enumerate(system.devices.names)
        }
        for slider in self._sliders.values():
            slider.add()

    def update(self) -> None:
        """Commands what was moved, and shows what others have commanded."""
        now = self._root.get_time()
        for motor, slider in self._sliders.items():
            for verb, value in slider.take():
                self.commands.append({"time": now, "motor": motor, verb: value})
        if any(slider.has_other_mode() for slider in self._sliders.values()):
            for slider in self._sliders.values():  # all, to keep their order
                slider.delete()
            for slider in self._sliders.values():
                slider.add()
        for slider in self._sliders.values():
            slider.follow()


class _MotorSlider:
    """The slider and the button of a motor."""

    def __init__(
        self,
        meshcat: Meshcat,
        system: MotorSystem,
        index: int,
        *,
        name: str,
        context: Context,
    ):
        self._meshcat, self._system = meshcat, system
        self._index, self._context = index, context
        self._motor = system.devices.motors[index]
        self._multiplier = self._motor.multiplier or 1.0
        self._offers = [
            self._position_offer(name),
            self._velocity_offer(name),
            self._effort_offer(name),
        ]
        self._name = name
        self._mode = self._present_mode()
        self._speed = self._commanded(Command.TARGET_VELOCITY)

    def _position_offer(self, name: str) -> _Offer:
        unit = self._motor.units["position"]
        low, high = self._motor.min_position, self._motor.max_position
        if low == high:
            low, high = position_limits(self._system.model.joints[self._index])
        if not math.isfinite(high - low) or low >= high:
            middle = self._position()
            low, high = middle - _FREE[unit], middle + _FREE[unit]
        low, high = sorted((low / self._multiplier, high / self._multiplier))
        return _Offer(
            f"{name} ({unit})",
            Kind.POSITION,
            "set_position",
            low,
            high,
            Command.TARGET_POSITION,
        )

    def _velocity_offer(self, name: str) -> _Offer:
        end = self._motor.max_velocity / abs(self._multiplier) or 1.0
        return _Offer(
            f"{name} ({self._motor.units['velocity']})",
            Kind.VELOCITY,
            "set_velocity",
            -end,
            end,
            Command.TARGET_VELOCITY,
        )

    def _effort_offer(self, name: str) -> _Offer:
        end = max_effort(self._motor) / abs(self._multiplier)
        end = end if math.isfinite(end) and end else _STRONG
        return _Offer(
            f"{name} ({self._motor.units['effort']})",
            Kind.EFFORT,
            "set_" + self._motor.effort_field.removeprefix("max_"),
            -end,
            end,
            Command.DIRECT_EFFORT,
        )

    @property
    def _offer(self) -> _Offer:
        return self._offers[self._mode]

    @property
    def _button(self) -> str:
        return f"{self._name}: {_MODES[self._mode]} control, change"

    def add(self) -> None:
        """Adds the slider of the present mode, and the button."""
        offer = self._offer
        self._value = self._commanded(offer.row)
        self._shown = self._meshcat.AddSlider(
            offer.label, offer.low, offer.high, offer.step, self._value
        )
        self._meshcat.AddButton(self._button)

    def delete(self) -> None:
        """Takes both away."""
        self._meshcat.DeleteSlider(self._offer.label)
        self._meshcat.DeleteButton(self._button)
        self._mode = self._present_mode()

    def take(self) -> Iterator[tuple[str, float]]:
        """Commands what was done since the last look, and gives verb and value."""
        offer = self._offer
        value = self._meshcat.GetSliderValue(offer.label)
        if value != self._shown:
            self._shown = value
            value = min(max(value, offer.low), offer.high)
            yield self._command(offer, value)
            self._value = self._commanded(offer.row)
        if self._meshcat.GetButtonClicks(self._button) % 2:
            position, velocity, _ = self._offers
            if self._mode == 0:
                self._speed = self._commanded(Command.TARGET_VELOCITY)
                yield self._command(position, math.inf)
                yield self._command(velocity, 0.0)
            else:
                here = self._position() / self._multiplier
                yield self._command(position, here)
                yield self._command(velocity, abs(self._speed))

    def _command(self, offer: _Offer, value: float) -> tuple[str, float]:
        self._system.apply_all(
            self._context, [(self._index, offer.kind, value)]
        )
        return offer.verb, value

    def has_other_mode(self) -> bool:
        """Returns whether the motor has another mode than the slider."""
        return self._present_mode() != self._mode

    def follow(self) -> None:
        """Shows what others have commanded."""
        value = self._commanded(self._offer.row)
        if value != self._value:
            self._value = value
            self._shown = self._meshcat.SetSliderValue(self._offer.label, value)

    def _present_mode(self) -> int:
        return int(mode(self._table()[:, self._index]))

    def _commanded(self, row: Command) -> float:
        """Returns what is commanded, before the multiplier."""
        value = self._table()[row, self._index]
        if math.isnan(value):  # not commanded yet: it holds where it is
            value = self._position()
        return float(value) / self._multiplier

    def _table(self) -> object:
        values = self._system.GetOutputPort("tables").Eval(self._context)
        return self._system.tables.command_table(values)

    def _position(self) -> float:
        state = self._system.get_plant_state_input_port().Eval(self._context)
        return float(state[self._system.position_indices[self._index]])
