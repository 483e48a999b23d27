"""Reads the parameters of a fit from a file of their own."""

import dataclasses as dc
import os
from pathlib import Path

from webmotor_drake.fitting.parameter import ParameterSpec
from webmotor_drake.scenario.yaml_document import read_document
from webmotor_drake.scenario.yaml_typed import load_typed


@dc.dataclass
class ParameterFile:
    """A file of parameters.

    Attributes:
        parameters: what is fitted.
        gains: kp and kd of drake_pd by "<model>/<motor>", N m/rad and N m s/rad or
            N/m and N s/m; * in a name stands for any text.
    """

    parameters: list[ParameterSpec] = dc.field(default_factory=list)
    gains: dict[str, list[float]] = dc.field(default_factory=dict)


def read_parameters(file: str | os.PathLike[str]) -> ParameterFile:
    """Reads a file of parameters.

    Raises:
        InputError: it is not such a file; with its place.
    """
    document = read_document(Path(file))
    return load_typed(ParameterFile, document, defaults=ParameterFile())
