"""A model file by itself, as a scenario to look at."""

import os
from pathlib import Path

from pydrake.multibody.parsing import AddModel, ModelDirective

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.scenario import Scenario


def model_scenario(file: str | os.PathLike[str]) -> Scenario:
    """Returns a scenario with nothing but a model, such as a URDF or SDF file.

    Raises:
        InputError: there is no such file.
    """
    path = Path(file)
    if not path.is_file():
        raise InputError(f"cannot read {path}: No such file or directory")
    model = AddModel(name=path.stem, file=path.absolute().as_uri())
    return Scenario(directives=[ModelDirective(add_model=model)])
