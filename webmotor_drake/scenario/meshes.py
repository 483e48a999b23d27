"""Meshes of any format as triangles: STL, OBJ, and COLLADA.

For COLLADA the extra `robots` brings pycollada.
"""

import re
from pathlib import Path

import numpy as np
from pydrake.geometry import ReadObjToTriangleSurfaceMesh

from webmotor_drake.errors import InputError, needing, one_line
from webmotor_drake.results.whole_file import load_bytes
from webmotor_drake.scenario.obj_files import check_indices

Color = tuple[float, float, float]
# Triangles, shape (n, 3, 3), m, and their colour, from 0 to 1; None: no colour.
Parts = list[tuple[np.ndarray, Color | None]]

# Binary STL: 80 bytes, the number of triangles, then each with its normal.
_HEAD = 84
_TRIANGLE = np.dtype(
    [("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")]
)
_TEXT_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def load_mesh(file: Path) -> Parts:
    """Returns the parts of a mesh, each with its colour.

    Args:
        file: .stl, .dae or .obj; of an OBJ colours are not read.

    Returns:
        Triangles, shape (n, 3, 3), m, and RGB from 0 to 1; None: no colour.

    Raises:
        InputError: it cannot be read; the text names the file.
    """
    load = _LOADERS.get(file.suffix.lower())
    if load is None:
        raise InputError(f"{file}: {', '.join(_LOADERS)} are read")
    parts = load(file)
    meshes = [triangles for triangles, _ in parts]
    if not sum(map(len, meshes)) or not all(
        np.isfinite(mesh).all() for mesh in meshes
    ):
        raise InputError(f"{file}: finite vertices of triangles are needed")
    return parts


def load_triangles(file: Path) -> np.ndarray:
    """Returns the triangles of all parts of a mesh, (n, 3, 3); see `load_mesh`."""
    return np.concatenate([triangles for triangles, _ in load_mesh(file)])


def _load_obj(file: Path) -> Parts:
    check_indices(file, load_bytes(file))
    try:
        mesh = ReadObjToTriangleSurfaceMesh(file)
    except RuntimeError as error:
        problem = f"{file} is not an OBJ mesh: {one_line(error)}"
        raise InputError(problem) from None
    vertices = np.array(mesh.vertices())
    corners = [[t.vertex(i) for i in range(3)] for t in mesh.triangles()]
    return [(vertices[np.array(corners)], None)]


def _load_stl(file: Path) -> Parts:
    """Returns the triangles of an STL file, binary or text."""
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
    return [(mesh, None)]


def _text_triangles(file: Path, data: bytes) -> np.ndarray:
    try:
        vertices = np.array(_TEXT_VERTEX.findall(data), dtype=float)
        return vertices.reshape(-1, 3, 3)
    except ValueError:
        problem = f"{file} is not a whole STL mesh: three numbers per vertex"
        raise InputError(f"{problem}, three vertices per triangle") from None


def _load_dae(file: Path) -> Parts:
    """Returns the shapes in a COLLADA file.

    They are where the file's scene puts them, in metres whatever its unit. Its
    `up_axis` is not used, as nowhere in ROS: models are drawn for their link.
    """
    with needing(f"{file}: COLLADA meshes need pycollada", "pycollada"):
        import collada
    try:
        # What is wrong with materials and pictures is no matter here.
        document = collada.Collada(str(file), ignore=[collada.common.DaeError])
        unit = document.assetInfo.unitmeter or 1.0
        found = [
            (triangles * unit, _color(part))
            for shape in document.scene.objects("geometry")
            for part in shape.primitives()
            if (triangles := _triangles(part)) is not None
        ]
    except Exception as error:  # whatever a parser of untrusted files raises
        raise InputError(f"{file} is not a COLLADA mesh: {error}") from error
    return found


def _color(part: object) -> Color | None:
    """Returns the diffuse colour of a primitive; None for a picture or no colour."""
    effect = getattr(getattr(part, "material", None), "effect", None)
    diffuse = getattr(effect, "diffuse", None)
    if not isinstance(diffuse, tuple) or len(diffuse) < 3:
        return None
    red, green, blue = (min(max(float(c), 0.0), 1.0) for c in diffuse[:3])
    return red, green, blue


def _triangles(part: object) -> np.ndarray | None:
    """Returns the triangles of a primitive, (n, 3, 3); None for lines."""
    if hasattr(part, "triangleset"):  # polygons
        part = part.triangleset()
    corners = getattr(part, "vertex_index", None)
    if corners is None or corners.ndim != 2 or corners.shape[1] != 3:
        return None
    return part.vertex[corners]


_LOADERS = {".obj": _load_obj, ".stl": _load_stl, ".dae": _load_dae}
