"""A slider in the browser per motor, which commands it as a controller would."""

import dataclasses as dc
import math
from collections.abc import Iterator

from pydrake.geometry import Meshcat
from pydrake.systems.framework import Context

from webmotor_drake.drive.model_motors import position_limits
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.motor.commands import VERBS, Kind
from webmotor_drake.motor.tables import Command
from webmotor_drake.simulation.simulation import Simulation

# What a slider without limits offers to each side: half a turn, or 1 m.
_FREE = {"rad": math.pi, "m": 1.0}

_STEPS = 1000  # from one end of a slider to the other


class MotorSliders:
    """The sliders of all motors of a simulation.

    A motor's slider commands what its mode takes: a position in position control
    (its ends are the soft limits, else the joint's stops), a velocity in velocity
    control. A button beside it changes between the two. What others command, timed
    commands or a controller, moves the slider.

    Attributes:
        commands: what was commanded with them: time (s), "<model>/<motor>", verb
            and value, as in a scenario's commands.

    Args:
        meshcat: gets the sliders.
        simulation: whose motors.
    """

    def __init__(self, meshcat: Meshcat, simulation: Simulation):
        self.commands: list[dict[str, object]] = []
        self._root = simulation.simulator.get_mutable_context()
        several = len(simulation.motors) > 1
        self._sliders = [
            _MotorSlider(
                meshcat,
                system,
                i,
                name=f"{model}/{motor}" if several else motor,
                motor=f"{model}/{motor}",
                context=system.GetMyMutableContextFromRoot(self._root),
            )
            for model, system in simulation.motors.items()
            for i, motor in enumerate(system.devices.names)
        ]

    def update(self) -> None:
        """Commands what was moved, and shows what others have commanded."""
        for slider in self._sliders:
            for kind, value in slider.take():
                slider.system.apply(slider.context, kind, slider.index, value)
                self.commands.append(
                    {
                        "time": self._root.get_time(),
                        "motor": slider.motor,
                        _VERB[kind]: value,
                    }
                )
        for slider in self._sliders:  # of coupled motors, too
            slider.follow()


_VERB = {kind: verb for verb, kind in reversed(VERBS.items())}


@dc.dataclass
class _Range:
    """What a slider offers.

    Attributes:
        label: its name in the browser.
        kind: what it commands.
        low: its left end, in the unit of what is commanded.
        high: its right end.
        row: of the `Command` table, what it shows.
    """

    label: str
    kind: Kind
    low: float
    high: float
    row: Command


class _MotorSlider:
    """The slider and the button of a motor."""

    def __init__(
        self,
        meshcat: Meshcat,
        system: MotorSystem,
        index: int,
        *,
        name: str,
        motor: str,
        context: Context,
    ):
        self.system, self.index, self.context = system, index, context
        self.motor = motor
        self._meshcat = meshcat
        self._node = system.devices.motors[index]
        joint = system.model.joints[index]
        self._ranges = _ranges(name, self._node, position_limits(joint))
        self._button = f"{name}: change mode"
        self._clicks = 0
        self._at_start = float(joint.GetOnePosition(_plant_of(system, context)))
        self._mode = self._wanted_mode()
        self._add()

    def _add(self) -> None:
        """Adds the slider of the present mode, and the button."""
        offered, value = self._ranges[self._mode], self._commanded()
        self._shown = self._meshcat.AddSlider(
            offered.label,
            min(offered.low, value),
            max(offered.high, value),
            (offered.high - offered.low) / _STEPS,
            value,
        )
        self._last = value
        self._meshcat.AddButton(self._button)
        self._clicks = 0

    def take(self) -> Iterator[tuple[Kind, float]]:
        """Gives what is to be commanded since the last look."""
