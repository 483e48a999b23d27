"""The module `controller` that Webots' controllers import.

It exists while controllers run, and only then: Webots' own package of that name
is out of sight meanwhile and back afterwards.
"""

import contextlib
import re
import sys
import types
from collections.abc import Iterator

from webmotor_drake.robot.devices.ansi_codes import AnsiCodes
from webmotor_drake.robot.devices.device import Device, Sensor
from webmotor_drake.robot.devices.joint_devices import (
    Brake,
    Motor,
    PositionSensor,
)
from webmotor_drake.robot.devices.keyboard import Keyboard
from webmotor_drake.robot.devices.motion import Motion
from webmotor_drake.robot.devices.robot import Robot
from webmotor_drake.robot.devices.servo import Servo
from webmotor_drake.robot.link.node import Node

SUPPORTED = {
    cls.__name__: cls
    for cls in (
        AnsiCodes,
        Brake,
        Device,
        Keyboard,
        Motion,
        Motor,
        Node,
        PositionSensor,
        Robot,
        Sensor,
        Servo,
    )
}


def controller_modules() -> dict[str, types.ModuleType]:
    """Returns a new package `controller` and its modules, by full name.

    As in Webots' package each class has a module: `controller.position_sensor`
    has PositionSensor.
    """
    package = types.ModuleType(
        "controller", "Webots' controller API, for robots in Drake."
    )
    package.__path__ = []
    package.__all__ = list(SUPPORTED)
    package.__getattr__ = _missing
    modules = {"controller": package}
    for name, cls in SUPPORTED.items():
        short = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        module = types.ModuleType(f"controller.{short}", cls.__doc__)
        setattr(module, name, cls)
        setattr(package, short, module)
        setattr(package, name, cls)
        modules[module.__name__] = module
    return modules


def _missing(name: str) -> None:
    """Refuses what the module does not have."""
    if name.startswith("__"):  # Python looks for some of its own
        raise AttributeError(name)
    raise ImportError(
        f"controller.{name} is not supported here; supported are"
        f" {', '.join(SUPPORTED)}",
        name="controller",
    )


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """Has `import controller` find our module inside of the block."""
    others = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "controller"
    }
    for name in others:
        del sys.modules[name]
    sys.modules.update(controller_modules())
    try:
        yield
    finally:
        for name in [n for n in sys.modules if n.startswith("controller.")]:
            del sys.modules[name]
        del sys.modules["controller"]
        sys.modules.update(others)
