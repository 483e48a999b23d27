"""Meshes of any format as triangles: STL, COLLADA and OBJ."""

import re
from pathlib import Path

import numpy as np
from pydrake.geometry import ReadObjToTriangleSurfaceMesh

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.whole_file import load_bytes
from webmotor_drake.scenario.dae_meshes import Color, load_dae
from webmotor_drake.scenario.obj_indices import check_indices

# Binary STL: 80 bytes, the number of triangles, then each with its normal.
_HEAD = 84
_TRIANGLE = np.dtype(
    [("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")]
)
_TEXT_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def load_mesh(file: Path) -> list[tuple[np.ndarray, Color | None]]:
    """Returns the parts of a mesh, each with its colour.

    Args:
        file: .stl, .dae or .obj; of an OBJ colours are not read.

    Returns:
        Triangles, shape (n, 3, 3), m, and RGB from 0 to 1; None: no colour.

    Raises:
        InputError: it cannot be read; the text names the file.
    """
    kind = file.suffix.lower()
    if kind == ".stl":
        return [(load_stl(file), None)]
    if kind == ".dae":
        return load_dae(file)
    if kind == ".obj":
        return [(_load_obj(file), None)]
    raise InputError(f"{file}: .obj, .stl and .dae are read")


def load_triangles(file: Path) -> np.ndarray:
    """Returns the triangles of all parts of a mesh, (n, 3, 3); see `load_mesh`."""
    return np.concatenate([triangles for triangles, _ in load_mesh(file)])


def _load_obj(file: Path) -> np.ndarray:
    check_indices(file, load_bytes(file))
    try:
        mesh = ReadObjToTriangleSurfaceMesh(file)
    except RuntimeError as error:
        problem = f"{file} is not an OBJ mesh: {one_line(error)}"
        raise InputError(problem) from None
    vertices = np.array(mesh.vertices())
    corners = [[t.vertex(i) for i in range(3)] for t in mesh.triangles()]
    return vertices[np.array(corners)]


def load_stl(file: Path) -> np.ndarray:
    """Returns the triangles of an STL file, binary or text, shape (n, 3, 3).

    Raises:
        InputError: it is not an STL file, or not a whole one.
    """
    data = load_bytes(file)
    triangles = int.from_bytes(data[80:_HEAD], "little")
    # Binary ones may start with the word, too.
    if len(data) == _HEAD + triangles * _TRIANGLE.itemsize:
        mesh = np.frombuffer(data[_HEAD:], _TRIANGLE)["vertices"]
    elif data.lstrip().startswith(b"solid"):
        mesh = _text_triangles(file, data)
    else:
        raise InputError(
            f"{file} is not a whole STL mesh: neither text nor {triangles}"
            " triangles, as its head says"
        )
    if not len(mesh) or not np.isfinite(mesh).all():
        raise InputError(f"{file}: finite vertices of triangles are needed")
    return mesh


def _text_triangles(file: Path, data: bytes) -> np.ndarray:
    try:
        vertices = np.array(_TEXT_VERTEX.findall(data), dtype=float)
        return vertices.reshape(-1, 3, 3)
    except ValueError:
        problem = f"{file} is not a whole STL mesh: three numbers per vertex"
        raise InputError(f"{problem}, three vertices per triangle") from None
