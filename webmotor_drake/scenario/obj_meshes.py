"""URDFs with meshes that Drake does not read: it gets a copy with OBJ meshes.

STL is converted wherever it is named, COLLADA (.dae) where it collides: Drake goes
on without meshes that are only looked at. A mesh that collides does so as its convex
hull, as all meshes do in Drake.
"""

import atexit
import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydrake.multibody.parsing import PackageMap

from webmotor_drake.scenario.dae_meshes import read_dae
from webmotor_drake.scenario.stl_meshes import read_stl

_FILENAME = re.compile(r"""(\bfilename\s*=\s*)(["'])(.*?)\2""")
_COLLISION = re.compile(r"<collision\b.*?</collision\s*>", re.DOTALL)

# The copies made so far, and what they are copies of.
_ORIGINALS: dict[str, str] = {}


def with_obj_meshes(urdf: Path, packages: PackageMap) -> Path:
    """Returns the URDF that Drake can read: `urdf`, or a copy with OBJ meshes.

    The copy is in a temporary folder that goes when the program ends: what draws
    meshes reads them late.

    Args:
        urdf: the file.
        packages: where `package://` leads to.

    Raises:
        InputError: a mesh that cannot be read.
    """
    text = urdf.read_text(encoding="utf-8", errors="surrogateescape")
    foreign = {
        name: file
        for name in _foreign_meshes(text)
        if (file := _resolved(name, urdf, packages)).is_file()
    }
    if not foreign:
        return urdf
    folder = Path(tempfile.mkdtemp(prefix="webmotor_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    obj = {}
    for i, (name, file) in enumerate(foreign.items()):
        read = read_stl if file.suffix.lower() == ".stl" else read_dae
        obj[name] = folder / f"{i}_{file.stem}.obj"
        obj[name].write_text(_obj(read(file)))
        _ORIGINALS[str(obj[name])] = str(file)

    def moved(match: re.Match) -> str:
        start, quote, name = match.groups()
        there = obj.get(name) or _resolved(name, urdf, packages)
        return f"{start}{quote}{there if there.is_file() else name}{quote}"

    copy = folder / urdf.name
    copy.write_text(
        _FILENAME.sub(moved, text), encoding="utf-8", errors="surrogateescape"
    )
    _ORIGINALS[str(copy)] = str(urdf)
    return copy


@contextlib.contextmanager
def note_copy(copy: Path, original: Path) -> Iterator[None]:
    """Lets `users_files` know of a copy, as long as the block lasts."""
    _ORIGINALS[str(copy)] = str(original)
    try:
        yield
    finally:
        del _ORIGINALS[str(copy)]


def users_files(text: str) -> str:
    """Returns a `text` of Drake's with the user's files instead of our copies.

    A copy has its lines where the original has them.
    """
    for copy, original in _ORIGINALS.items():
        text = text.replace(copy, original)
    return text


def _foreign_meshes(text: str) -> list[str]:
    """Returns the names of the meshes in a URDF that Drake cannot read."""
    names = [name for _, _, name in _FILENAME.findall(text)]
    colliding = {
        name
        for collision in _COLLISION.findall(text)
        for _, _, name in _FILENAME.findall(collision)
    }
    return [
        name
        for name in dict.fromkeys(names)
        if name.lower().endswith(".stl")
        or (name.lower().endswith(".dae") and name in colliding)
    ]


def _resolved(name: str, urdf: Path, packages: PackageMap) -> Path:
    """Returns the file that a name in a URDF stands for; it may not exist."""
    if "://" in name:
        try:
            return Path(packages.ResolveUrl(name))
        except RuntimeError:
            return Path(name)  # Drake says why.
    return urdf.absolute().parent / name


def _obj(triangles: np.ndarray) -> str:
    """Returns the text of an OBJ mesh, each vertex once."""
    vertices, corners = np.unique(
        triangles.reshape(-1, 3), axis=0, return_inverse=True
    )
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*v) for v in vertices.tolist()]
    corners = corners.reshape(-1, 3) + 1
    lines += ["f {} {} {}".format(*c) for c in corners.tolist()]
    return "\n".join([*lines, ""])
