"""URDFs with STL meshes, which Drake does not read: it gets a copy with OBJ meshes.

A mesh that collides does so as its convex hull, as all meshes do in Drake.
"""

import atexit
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
from pydrake.multibody.parsing import PackageMap

from webmotor_drake.errors import InputError

_FILENAME = re.compile(r"""(\bfilename\s*=\s*)(["'])(.*?)\2""")

# Binary STL: 80 bytes, the number of triangles, then each with its normal.
_HEAD = 84
_TRIANGLE = np.dtype(
    [("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")]
)
_TEXT_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def with_obj_meshes(urdf: Path, packages: PackageMap) -> Path:
    """Returns the URDF that Drake can read: `urdf`, or a copy with OBJ meshes.

    The copy is in a temporary folder that goes when the program ends: what draws
    meshes reads them late.

    Args:
        urdf: the file.
        packages: where `package://` leads to.

    Raises:
        InputError: an STL file that cannot be read.
    """
    text = urdf.read_text(encoding="utf-8", errors="surrogateescape")
    stl = {
        name: file
        for _, _, name in _FILENAME.findall(text)
        if name.lower().endswith(".stl")
        and (file := _resolved(name, urdf, packages)).is_file()
    }
    if not stl:
        return urdf
    folder = Path(tempfile.mkdtemp(prefix="webmotor_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    obj = {}
    for i, (name, file) in enumerate(stl.items()):
        obj[name] = folder / f"{i}_{file.stem}.obj"
        obj[name].write_text(_obj(read_stl(file)))

    def moved(match: re.Match) -> str:
        start, quote, name = match.groups()
        there = obj.get(name) or _resolved(name, urdf, packages)
        return f"{start}{quote}{there if there.is_file() else name}{quote}"

    copy = folder / urdf.name
    copy.write_text(
        _FILENAME.sub(moved, text), encoding="utf-8", errors="surrogateescape"
    )
    return copy


def _resolved(name: str, urdf: Path, packages: PackageMap) -> Path:
    """Returns the file that a name in a URDF stands for; it may not exist."""
    if "://" in name:
        try:
            return Path(packages.ResolveUrl(name))
        except RuntimeError:
            return Path(name)  # Drake says why.
    return urdf.absolute().parent / name


def read_stl(file: Path) -> np.ndarray:
    """Returns the triangles of an STL file, binary or text, shape (n, 3, 3).

    Raises:
        InputError: it is not an STL file, or not a whole one.
    """
    data = file.read_bytes()
    triangles = int.from_bytes(data[80:_HEAD], "little")
    # Binary ones may start with the word, too.
    if len(data) == _HEAD + triangles * _TRIANGLE.itemsize:
        mesh = np.frombuffer(data[_HEAD:], _TRIANGLE)["vertices"]
    elif data.lstrip().startswith(b"solid"):
        mesh = _read_text(file, data)
    else:
        raise InputError(
            f"{file} is not a whole STL mesh: neither text nor {triangles}"
            " triangles, as its head says"
        )
    if not len(mesh) or not np.isfinite(mesh).all():
        raise InputError(f"{file}: finite vertices of triangles are needed")
    return mesh


def _read_text(file: Path, data: bytes) -> np.ndarray:
    try:
        vertices = np.array(_TEXT_VERTEX.findall(data), dtype=float)
        return vertices.reshape(-1, 3, 3)
    except ValueError:
        problem = f"{file} is not a whole STL mesh: three numbers a vertex"
        raise InputError(f"{problem}, three vertices a triangle") from None


def _obj(triangles: np.ndarray) -> str:
    """Returns the text of an OBJ mesh, each vertex once."""
    vertices, corners = np.unique(
        triangles.reshape(-1, 3), axis=0, return_inverse=True
    )
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*v) for v in vertices.tolist()]
    corners = corners.reshape(-1, 3) + 1
    lines += ["f {} {} {}".format(*c) for c in corners.tolist()]
    return "\n".join([*lines, ""])
