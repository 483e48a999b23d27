"""The places of the models and scenarios that come with the package."""

import os
from pathlib import Path

from webmotor_drake.errors import InputError, unknown_name

_PACKAGE = Path(__file__).parent


def _folder(name: str) -> Path:
    """Returns a data folder: inside the package in a wheel, beside it in a checkout."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


# The package webmotor_models: URDF and SDF files.
MODELS = _folder("models")
# *.scenario.yaml, one lesson each. (The room `scenario` has the code.)
SCENARIOS = _folder("scenarios")

# The prefix of a name that stands in place of a file.
PREFIX = "package:"
_ENDING = ".scenario.yaml"


def version() -> str:
    """Returns the version of the package; words for a checkout that has none."""
    from importlib import metadata  # it costs more than all else

    try:
        return metadata.version("webmotor-drake")
    except metadata.PackageNotFoundError:
        return "of a checkout that is not installed"


def scenario_names() -> list[str]:
    """Returns the names of the scenario files, as in "six_axis"."""
    files = SCENARIOS.glob(f"*{_ENDING}")
    return sorted(file.name.removesuffix(_ENDING) for file in files)


def scenario_file(file: str | os.PathLike[str]) -> Path:
    """Returns a scenario's path: "package:six_axis" is one that comes with us.

    Raises:
        InputError: there is no such scenario in the package.
    """
    name = os.fspath(file)
    if not name.startswith(PREFIX):
        return Path(file)
    name = name.removeprefix(PREFIX)
    names = scenario_names()
    if name not in names:
        raise InputError(unknown_name("scenario of the package", name, names))
    return SCENARIOS / f"{name}{_ENDING}"
