"""Webots' devices that are not simulated, and the user's mouse and joystick.

They answer like devices that are off, after one printed line about it.
"""

import math
import typing

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import Device
from webmotor_drake.host import messages

# The return values of methods, by class.
_ANSWERS: dict[str, list[tuple[typing.Any, str]]] = {
    "Skin": [
        (None, "setBoneOrientation setBonePosition"),
        (0, "getBoneCount"),
        ("", "getBoneName"),
        ((math.nan,) * 4, "getBoneOrientation"),
        ((math.nan,) * 3, "getBonePosition"),
    ],
    "Mouse": [
        (None, "enable disable enable3dPosition disable3dPosition"),
        (0, "getSamplingPeriod"),
        (False, "is3dPositionEnabled"),
    ],
    "Joystick": [
        (None, "enable disable setConstantForce setConstantForceDuration"),
        (None, "setAutoCenteringGain setResistanceGain setForceAxis"),
        (0, "getSamplingPeriod getNumberOfAxes getAxisValue"),
        (0, "getNumberOfPovs getPovValue"),
        (-1, "getPressedButton"),
        (False, "isConnected"),
        ("", "getModel"),
    ],
}


def _answers(name: str, base: type) -> type:
    """Returns a base class with the methods of one of Webots' classes."""

    def method(called: str, answer: typing.Any) -> typing.Callable:
        def call(*arguments: object, **keywords: object) -> typing.Any:
            arguments[0]._tell()
            return list(answer) if isinstance(answer, tuple) else answer

        call.__name__ = called
        call.__doc__ = f"Returns {answer!r}: it is not simulated."
        return call

    methods = {
        called: method(called, answer)
        for answer, all_called in _ANSWERS[name]
        for called in all_called.split()
    }
    return type(f"_{name}", (base,), methods)


class _Unsimulated(Device):
    """A device that does nothing; its first use prints that."""

    def _tell(self) -> None:
        problem = "it is not simulated; it answers as a device that is off"
        call = f"{type(self).__name__} {self.name!r}"
        self._client.warn_once(call, problem)


class Skin(_answers("Skin", _Unsimulated)):
    """Has no bones."""

    _declared = nodes.Skin


class MouseState:
    """The state of a mouse that nobody moves.

    Attributes:
        left, middle, right: True if the button is pressed.
        u, v: position in the window, 0 to 1.
        x, y, z: point in the world that it points at, m.
    """

    def __init__(self) -> None:
        self.left = self.middle = self.right = False
        self.u = self.v = self.x = self.y = self.z = math.nan

    def getLeft(self) -> bool:
        """Returns False."""
        return self.left

    def getMiddle(self) -> bool:
        """Returns False."""
        return self.middle

    def getRight(self) -> bool:
        """Returns False."""
        return self.right


class _Input:
    """An input device of a user; never connected here."""

    _told = False

    def _tell(self) -> None:
        if not self._told:
            self._told = True
            kind = type(self).__name__
            messages.warning(kind, f"there is no {kind.lower()} here")

    def __init__(self, sampling_period: int | None = None):
        if sampling_period is not None:
            self._tell()


class Mouse(_answers("Mouse", _Input)):
    """A mouse that nobody moves."""

    def getState(self) -> MouseState:
        """Returns a state in which nothing is pressed."""
        self._tell()
        return MouseState()


class Joystick(_answers("Joystick", _Input)):
    """A joystick that is not connected."""
