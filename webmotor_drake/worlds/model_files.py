"""The names of the files of models, and their meshes."""

import hashlib
import re

import numpy as np

from webmotor_drake.scenario.obj_meshes import obj_text
from webmotor_drake.worlds.models import Model


def file_names(models: list[Model]) -> dict[str, str]:
    """Returns the names of models' files, valid on any system."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for model in models:
        plain = re.sub(r"[^\w-]+", "_", model.name, flags=re.ASCII).strip("_")
        plain = plain[:60] or "model"
        name, number = plain, 1
        while name.lower() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.lower())
        names[model.name] = name
    return names


def add_mesh(written: dict[str, str], file: str, triangles: np.ndarray) -> str:
    """Adds a mesh to the files; returns its name."""
    text = obj_text(triangles)
    # By its content: a mesh that is drawn and collides is written once.
    number = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    name = f"{file}_mesh_{number}.obj"
    written[name] = text
    return name
