"""A slider in the browser per motor, which commands it as a controller would."""

from collections.abc import Iterator

from pydrake.geometry import Meshcat

from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.driven_motor import MODES, DrivenMotor, Offer


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
                DrivenMotor(
                    system, i, system.GetMyMutableContextFromRoot(self._root)
                ),
                f"{model}/{motor}" if several else motor,
            )
            for model, system in simulation.motors.items()
            for i, motor in enumerate(system.devices.names)
        }
        for slider in self._sliders.values():
            slider.add()

    def update(self) -> None:
        """Commands by the sliders that were moved, and shows others' commands."""
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

    def __init__(self, meshcat: Meshcat, motor: DrivenMotor, name: str):
        self._meshcat, self._motor, self._name = meshcat, motor, name
        self._mode = motor.mode

    @property
    def _offer(self) -> Offer:
        return self._motor.offers[self._mode]

    @property
    def _label(self) -> str:
        return f"{self._name} ({self._offer.unit})"

    @property
    def _button(self) -> str:
        # What does not fit into the panel is cut at its end.
        other = MODES[1] if self._mode == 0 else MODES[0]
        return f"to {other}: {self._name}"

    def add(self) -> None:
        """Adds the slider of the present mode, and the button."""
        offer = self._offer
        self._value = self._motor.commanded(offer.row)
        self._shown = self._meshcat.AddSlider(
            self._label, offer.low, offer.high, offer.step, self._value
        )
        self._meshcat.AddButton(self._button)

    def delete(self) -> None:
        """Takes both away."""
        self._meshcat.DeleteSlider(self._label)
        self._meshcat.DeleteButton(self._button)
        self._mode = self._motor.mode

    def take(self) -> Iterator[tuple[str, float]]:
        """Commands the user's changes since the last look; yields verb and value."""
        value = self._meshcat.GetSliderValue(self._label)
        if value != self._shown:
            self._shown = value
            yield self._motor.command(self._offer, value)
            self._value = self._motor.commanded(self._offer.row)
        if self._meshcat.GetButtonClicks(self._button) % 2:
            yield from self._motor.change_mode()

    def has_other_mode(self) -> bool:
        """Returns whether the motor has another mode than the slider."""
        return self._motor.mode != self._mode

    def follow(self) -> None:
        """Shows others' commands."""
        value = self._motor.commanded(self._offer.row)
        if value != self._value:
            self._value = value
            self._shown = self._meshcat.SetSliderValue(self._label, value)
