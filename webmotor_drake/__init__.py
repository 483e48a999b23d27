"""Webots motors on Drake.

Motors as Webots describes them, as the drivers of a MultibodyPlant.

Example:
    ::

        import webmotor_drake as wm

        results = wm.run("package:two_link_arm")
        print(results["arm/elbow motor/position"][-1])

Scenarios: `load_scenario`, `run`, `compare`, `run_study`, `fit`, `evaluate`. A diagram
of your own: `WebotsMotorDriver`, `configure_actuators`, `ApplyDriverConfig`. A Webots
controller in your program: `RobotSession`. The command line is `webmotor --help`, the
documentation is in docs/.
"""

import importlib

from webmotor_drake.public_names import PublicNames

_NAMES = PublicNames(__name__, __file__)
__all__ = sorted([*_NAMES, "__version__", "nodes"])
# Rooms with names of their own; `gym` needs its extra.
_ROOMS = ("gym", "nodes")


def __getattr__(name: str) -> object:
    """Imports a public name when it is used: Drake takes long, `--help` should not."""
    if name in _ROOMS:
        return importlib.import_module(f"webmotor_drake.{name}")
    if name == "__version__":
        from webmotor_drake.data import version

        return version()
    return _NAMES.get(name)


def __dir__() -> list[str]:
    return __all__
