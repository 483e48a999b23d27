"""Where the models and scenarios are that come with the package."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def _folder(name: str) -> Path:
    """Returns a data folder: inside the package in a wheel, beside it in a checkout."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


# The package webmotor_models: URDF and SDF files.
MODELS = _folder("models")
# *.scenario.yaml, one lesson each. (The room `scenario` has the code.)
SCENARIOS = _folder("scenarios")
