"""Webots' controller API for robots in Drake.

Controllers written for Webots run unmodified; see `run_with_controllers` for files and
`RobotSession` for programs and notebooks.
"""

import importlib

_HOME = {
    "AnsiCodes": "ansi_codes",
    "Brake": "brake",
    "Controller": "controller_file",
    "ControllerError": "controller_file",
    "Device": "device",
    "Keyboard": "keyboard",
    "Motion": "motion",
    "Motor": "motor",
    "Node": "node",
    "PositionSensor": "position_sensor",
    "Robot": "robot",
    "RobotSession": "session",
    "Sensor": "device",
    "Servo": "servo",
    "load_controller": "controller_file",
    "run_controllers": "controller_run",
    "run_with_controllers": "controller_run",
    "set_controller": "scenario_controllers",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """Imports what is asked for."""
    if name in _HOME:
        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
