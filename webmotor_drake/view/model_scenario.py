"""A model file by itself, as a scenario to look at."""

import os
from pathlib import Path

from pydrake.multibody.parsing import AddModel, ModelDirective

from webmotor_drake.errors import InputError
from webmotor_drake.results.whole_file import check_regular
from webmotor_drake.scenario.scenario import Scenario

# The endings of model files that Drake reads.
_KINDS = (".urdf", ".sdf", ".xml", ".obj")


def model_scenario(file: str | os.PathLike[str]) -> Scenario:
    """Returns a scenario with nothing but a model, such as a URDF or SDF file.

    Raises:
        InputError: there is no such file, or it is no model.
    """
    path = Path(file)
    check_regular(path)
    if not path.is_file():
        raise InputError(f"cannot read {path}: No such file or directory")
    if path.suffix.lower() not in _KINDS:
        raise InputError(
            f"cannot show {path}: neither a model ({', '.join(_KINDS)}) nor a"
            " scenario (.yaml) nor the folder of a saved run"
        )
    model = AddModel(name=path.stem, file=path.absolute().as_uri())
    return Scenario(directives=[ModelDirective(add_model=model)])
