"""The names of the files of models, and their meshes."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from webmotor_drake.scenario.assets import safe_assets
from webmotor_drake.scenario.copies import NamedFiles
from webmotor_drake.scenario.obj_files import obj_text
from webmotor_drake.worlds.models import Model
from webmotor_drake.worlds.shapes import Shape


def file_names(models: list[Model]) -> dict[str, str]:
    """Returns the names of models' files, valid on any system."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for number, model in enumerate(models):
        plain = re.sub(r"[^\w-]+", "_", model.name, flags=re.ASCII).strip("_")
        name = plain[:60] or "model"
        while name.lower() in taken:
            name = f"{name}_{number}"
        taken.add(name.lower())
        names[model.name] = name
    return names


class ModelFiles:
    """The files of a model beside its own: meshes, and their textures.

    Args:
        written: gets them, by their names.
        name: name of the model's file, without its ending.
    """

    def __init__(self, written: dict[str, bytes], name: str):
        self._written, self._name = written, name
        self._meshes: dict[str | bytes, str] = {}

    def file(self, mesh: str) -> str:
        """Adds a file with a mesh, and the files that it names; returns its name."""
        if mesh not in self._meshes:
            self._meshes[mesh] = self._add_file(Path(mesh).resolve())
        return self._meshes[mesh]

    def _add_file(self, path: Path) -> str:
        named = NamedFiles.of(safe_assets(path)[0])
        folder = f"mesh_{named.name[-12:]}"
        names = {f"{folder}/{name}": d for name, d in named.files.items()}
        self._written |= names
        return next(iter(names))

    def mesh(self, triangles: np.ndarray) -> str:
        """Adds a mesh; returns its name."""
        key = triangles.tobytes()
        if key not in self._meshes:
            text = obj_text(triangles)
            self._meshes[key] = self._add("mesh", text, ".obj")
        return self._meshes[key]

    def textured(
        self, triangles: np.ndarray, shape: Shape, color: Sequence[float]
    ) -> str:
        """Adds a mesh with an image, perhaps in two layers; returns its name."""
        assert shape.places is not None
        image = self._add("image", shape.png, ".png")
        factors = "{:g} {:g} {:g}".format(*color)
        material = f"newmtl m0\nKd {factors}\nmap_Kd {image}\n"
        library = self._add("skin", material, ".mtl")
        places = np.resize(shape.places, (*triangles.shape[:2], 2))
        text = obj_text(triangles, library=library, places=places)
        return self._add("mesh", text, ".obj")

    def _add(self, kind: str, content: str | bytes, ending: str) -> str:
        # By its content: what is drawn and collides is written once.
        data = content if isinstance(content, bytes) else content.encode()
        number = hashlib.blake2b(data, digest_size=6).hexdigest()
        name = f"{self._name}_{kind}_{number}{ending}"
        self._written[name] = data
        return name
