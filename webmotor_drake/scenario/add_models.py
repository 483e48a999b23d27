"""Models with meshes that Drake does not read, in a diagram of one's own."""

import os
from pathlib import Path

from pydrake.multibody.parsing import Parser
from pydrake.multibody.tree import ModelInstanceIndex

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.blame import DRAKE_ERRORS, drake_text
from webmotor_drake.scenario.directives import filtered_log
from webmotor_drake.scenario.model_files import ModelFiles


def add_models(
    parser: Parser, file: str | os.PathLike[str]
) -> list[ModelInstanceIndex]:
    """Adds the models of a file, as Drake's `parser.AddModels` does.

    URDFs and SDFs with STL meshes load as well, and with the extra `robots` those
    with COLLADA meshes that collide: Drake gets a copy with OBJ meshes. Scenarios do
    the same in `directives`.

    ::

        parser = Parser(plant)
        (arm,) = wm.add_models(parser, "arm.urdf")

    Args:
        parser: parser of the plant, with its packages; `add_packages` adds ours.
        file: the model: its path, or a URL as in "package://robots/arm.urdf".

    Returns:
        The models, as Drake's parser returns them.

    Raises:
        InputError: a mesh or the model cannot be read.
    """
    url = os.fspath(file)
    if "://" not in url:
        url = f"file://{Path(url).absolute()}"
    with filtered_log():
        readable = ModelFiles(parser.package_map()).readable(url)
        try:
            return parser.AddModelsFromUrl(readable)
        except DRAKE_ERRORS as error:
            problem = f"Drake refuses it: {drake_text(error)}"
            raise InputError(problem, where=os.fspath(file)) from error
