"""The module `controller` that Webots' controllers import.

The module exists only while controllers run, and hides Webots' own package of that
name meanwhile. All of Webots' classes can be imported; classes that are missing here
say so when they are used.

Meanwhile WEBOTS_HOME names a folder of ours, unless it is set already. Controllers
add parts of that folder to `sys.path`: `lib/controller/python`, or a folder of
`projects` with a module beside a sample. Without the variable,
`os.environ["WEBOTS_HOME"]` would end them.
"""

import contextlib
import os
import re
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path

from webmotor_drake.controllers.devices.ansi_codes import AnsiCodes
from webmotor_drake.controllers.devices.device import (
    DEVICE_CLASSES,
    Device,
    Sensor,
)
from webmotor_drake.controllers.devices.field import Field
from webmotor_drake.controllers.devices.joint_devices import Servo
from webmotor_drake.controllers.devices.keyboard import Keyboard
from webmotor_drake.controllers.devices.motion import Motion
from webmotor_drake.controllers.devices.moving_node import ContactPoint
from webmotor_drake.controllers.devices.ranging import LidarPoint
from webmotor_drake.controllers.devices.robot import Robot
from webmotor_drake.controllers.devices.scene_node import Node
from webmotor_drake.controllers.devices.supervisor import Supervisor
from webmotor_drake.controllers.devices.unsimulated import (
    Joystick,
    Mouse,
    MouseState,
)
from webmotor_drake.errors import unknown_name
from webmotor_drake.host.senses.radar import RadarTarget
from webmotor_drake.host.senses.recognition import CameraRecognitionObject

# Webots' access to libController, by its module; Webots' package does not export it.
_OF_LIBRARY = {"constants": "constant", "wb": "wb"}

_HOME = "WEBOTS_HOME"
FOLDER = Path(__file__).with_name("home")

# Classes that are in the module of another class.
_ELSEWHERE = {
    "CameraRecognitionObject": "camera",
    "ContactPoint": "node",
    "MouseState": "mouse",
}

SUPPORTED = {
    cls.__name__: cls
    for cls in (
        *DEVICE_CLASSES.values(),
        AnsiCodes,
        CameraRecognitionObject,
        ContactPoint,
        Device,
        Field,
        Joystick,
        Keyboard,
        LidarPoint,
        Motion,
        Mouse,
        MouseState,
        Node,
        RadarTarget,
        Robot,
        Sensor,
        Servo,
        Supervisor,
    )
}


class _Missing(type):
    """The metaclass of stand-ins for libController, which raise when they are used.

    Many controllers only import a stand-in, derive from it, or annotate with it.
    """

    def __call__(cls, *_: object, **keywords: object) -> typing.NoReturn:
        raise NotImplementedError(cls.__doc__)

    def __getattr__(cls, name: str) -> typing.NoReturn:
        raise AttributeError(f"{name}: {cls.__doc__}")


def controller_modules() -> dict[str, types.ModuleType]:
    """Returns a new package `controller` and its modules, by full name.

    As in Webots' package each class has a module: `controller.position_sensor`
    has PositionSensor. Classes that are not here have stand-ins.
    """
    package = types.ModuleType(
        "controller", "Webots' controller API, for robots in Drake."
    )
    package.__path__ = []
    package.__getattr__ = _missing
    modules = {"controller": package}

    def add(short: str, name: str, cls: type) -> None:
        full = f"controller.{short}"
        module = modules.setdefault(full, types.ModuleType(full))
        setattr(module, name, cls)
        setattr(package, short, module)
        if short not in _OF_LIBRARY:
            setattr(package, name, cls)

    for name, cls in SUPPORTED.items():
        short = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        short = _ELSEWHERE.get(name, short)
        add(short, name, cls)
    for short, name in _OF_LIBRARY.items():
        problem = (
            f"controller.{name} is not supported: there is no libController here"
            f" (supported: {', '.join(SUPPORTED)})"
        )
        own = {"__doc__": problem, "__module__": f"controller.{short}"}
        add(short, name, _Missing(name, (), own))
    package.__all__ = sorted(
        name for name, value in vars(package).items() if isinstance(value, type)
    )
    return modules


def _missing(name: str) -> None:
    """Refuses names that Webots' module does not have either."""
    if name.startswith("__"):  # Python looks for some of its own
        raise AttributeError(name)
    raise ImportError(
        f"controller.{name}: {unknown_name('class', name, SUPPORTED)}",
        name="controller",
    )


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """Installs our module `controller` and WEBOTS_HOME's folder in the block."""
    others = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "controller"
    }
    for name in others:
        del sys.modules[name]
    sys.modules.update(controller_modules())
    home = os.environ.get(_HOME)
    os.environ[_HOME] = home or str(FOLDER)
    try:
        yield
    finally:
        for name in [n for n in sys.modules if n.startswith("controller.")]:
            del sys.modules[name]
        del sys.modules["controller"]
        sys.modules.update(others)
        os.environ[_HOME] = home or ""
        if home is None:
            del os.environ[_HOME]
