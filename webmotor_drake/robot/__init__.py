"""Webots' controller API for robots in Drake.

Controllers written for Webots run unmodified; see `run_with_controllers` for files and
`RobotSession` for programs and notebooks.
"""

from webmotor_drake.public_names import PublicNames

_NAMES = PublicNames(__name__, __file__)
__all__ = sorted(_NAMES)


def __getattr__(name: str) -> object:
    """Imports a name that is asked for."""
    return _NAMES.get(name)


def __dir__() -> list[str]:
    return __all__
