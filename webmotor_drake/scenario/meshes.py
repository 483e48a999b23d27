"""Reads STL, OBJ and COLLADA meshes as triangles, and writes triangles as OBJ.

For COLLADA the extra `robots` brings pycollada.
"""

import re
from pathlib import Path

import numpy as np
from pydrake.geometry import ReadObjToTriangleSurfaceMesh

from webmotor_drake.errors import InputError, needing, one_line
from webmotor_drake.limits import too_many
from webmotor_drake.results.whole_file import load_bytes

Color = tuple[float, float, float]
# Triangles, shape (n, 3, 3), m, and their colour, from 0 to 1; None: no colour.
Parts = list[tuple[np.ndarray, Color | None]]

# Binary STL: 80 bytes, the number of triangles, then each with its normal.
_HEAD = 84
_TRIANGLE = np.dtype(
    [("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")]
)
_TEXT_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")
_FACE = re.compile(rb"^[ \t]*f[ \t]+([^\r\n#]*)", re.MULTILINE)
_OF_KIND = [
    re.compile(rb"^[ \t]*%s[ \t]" % kind, re.MULTILINE)
    for kind in (b"v", b"vt", b"vn")
]
_CORNER = re.compile(
    rb"([-+]?\d{1,9})(?:/([-+]?\d{1,9})?(?:/([-+]?\d{1,9}))?)?"
)
_MOST_CORNERS = 30_000_000


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
        try:
            vertices = np.array(_TEXT_VERTEX.findall(data), dtype=float)
            mesh = vertices.reshape(-1, 3, 3)
        except ValueError:
            problem = (
                f"{file} is not a whole STL mesh: three numbers per vertex"
            )
            raise InputError(
                f"{problem}, three vertices per triangle"
            ) from None
    else:
        raise InputError(
            f"{file} is not a whole STL mesh: neither text nor {triangles}"
            " triangles, as its head says"
        )
    return [(mesh, None)]


def _load_dae(file: Path) -> Parts:
    """Returns the shapes in a COLLADA file.

    They are where the file's scene puts them, in metres whatever its unit. Its
    `up_axis` is ignored, as everywhere in ROS: models are drawn for their link.
    """
    with needing(f"{file}: COLLADA meshes need pycollada", "pycollada"):
        import collada
    try:
        # Faults of materials and pictures do not matter here.
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


def check_indices(file: Path, data: bytes) -> None:
    """Refuses an OBJ mesh whose faces have corners that are not there.

    Args:
        file: its name, for messages.
        data: its content.

    Raises:
        InputError: a corner is missing; with its line.
    """
    data = data.replace(b"\\\n", b" ")
    corners = _corners(data)
    if problem := too_many(len(corners), _MOST_CORNERS, "corners of faces"):
        raise InputError(f"{file}: a mesh of {problem}")
    counts = [len(kind.findall(data)) for kind in _OF_KIND]
    # Most corners occur in several faces.
    wrong = {c: p for c in set(corners) if (p := _problem(c, counts))}
    for match in _FACE.finditer(data) if wrong else ():
        for corner in filter(wrong.get, match[1].split()):
            line = data.count(b"\n", 0, match.start(1)) + 1
            raise InputError(f"{file}:{line}: {wrong[corner]}")


def lacks_normals(data: bytes) -> bool:
    """Returns whether a face has a corner without a normal, which cameras refuse."""
    corners = set(_corners(data.replace(b"\\\n", b" ")))
    return any(c.count(b"/") < 2 or c.endswith(b"/") for c in corners)


def _corners(data: bytes) -> list[bytes]:
    return b" ".join(_FACE.findall(data)).split()


def _problem(corner: bytes, counts: list[int]) -> str:
    """Returns the problem of a corner of a face; "" if it has none."""
    match = _CORNER.fullmatch(corner)
    shown = corner[:40].decode(errors="replace")
    if match is None or int(match[1]) == 0:
        return f"{shown} is not a corner of a face"
    for number, count in zip(match.groups(), counts, strict=True):
        if number and abs(int(number)) > count:
            return f"the face's corner {shown} is not there; {count} are"
    return ""


def obj_text(
    *parts: np.ndarray, library: str = "", places: np.ndarray | None = None
) -> str:
    """Returns the text of an OBJ mesh, each vertex once.

    Faces have normals, without which Drake's cameras refuse a mesh.

    Args:
        *parts: corners, shape (n, 3, 3), anticlockwise seen from outside.
        library: the .mtl file with the parts' materials, m0, m1 and so on.
        places: the corners' texture coordinates, shape (n, 3, 2); None: none.
    """
    triangles = np.concatenate(parts)
    sides = (triangles[:, 1:] - triangles[:, :1]).astype(float)
    across = np.cross(sides[:, 0], sides[:, 1])
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    across = np.where(lengths > 0, across / np.maximum(lengths, 1e-300), 0)
    lines = [f"mtllib {library}"] if library else []
    vertices = _numbered(lines, "v {!r} {!r} {!r}", triangles)
    on = [""] * triangles[..., 0].size
    if places is not None:
        on = _numbered(lines, "vt {!r} {!r}", places)
    normals = _numbered(lines, "vn {:g} {:g} {:g}", across.round(6) + 0.0)
    corners = [
        f"{vertex}/{place}/{normals[i // 3]}"
        for i, (vertex, place) in enumerate(zip(vertices, on, strict=True))
    ]
    faces = [
        f"f {a} {b} {c}" for a, b, c in zip(*[iter(corners)] * 3, strict=True)
    ]
    start = 0
    for k, part in enumerate(parts):
        lines += [f"usemtl m{k}"] if library else []
        lines += faces[start : start + len(part)]
        start += len(part)
    return "\n".join([*lines, ""])


def _numbered(lines: list[str], form: str, values: np.ndarray) -> list[int]:
    """Adds a line per different row of `values`; returns each row's line number."""
    rows, numbers = np.unique(
        values.reshape(-1, values.shape[-1]), axis=0, return_inverse=True
    )
    lines += [form.format(*row) for row in rows.tolist()]
    return (numbers.ravel() + 1).tolist()
