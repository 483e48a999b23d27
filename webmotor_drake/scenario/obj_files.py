"""OBJ meshes: their text, and a check of their indices.

Indices beyond the vertices end Drake's process.
"""

import re
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_many

_FACE = re.compile(rb"^[ \t]*f[ \t]+([^\r\n#]*)", re.MULTILINE)
_OF_KIND = [
    re.compile(rb"^[ \t]*%s[ \t]" % kind, re.MULTILINE)
    for kind in (b"v", b"vt", b"vn")
]
_CORNER = re.compile(
    rb"([-+]?\d{1,9})(?:/([-+]?\d{1,9})?(?:/([-+]?\d{1,9}))?)?"
)
_MOST_CORNERS = 30_000_000


def check_indices(file: Path, data: bytes) -> None:
    """Refuses an OBJ mesh whose faces have corners that are not there.

    Args:
        file: its name, for messages.
        data: its content.

    Raises:
        InputError: with the line.
    """
    data = data.replace(b"\\\n", b" ")
    corners = _corners(data)
    if problem := too_many(len(corners), _MOST_CORNERS, "corners of faces"):
        raise InputError(f"{file}: a mesh of {problem}")
    counts = [len(kind.findall(data)) for kind in _OF_KIND]
    # Most corners are those of several faces.
    wrong = {c: p for c in set(corners) if (p := _problem(c, counts))}
    for match in _FACE.finditer(data) if wrong else ():
        for corner in filter(wrong.get, match[1].split()):
            line = data.count(b"\n", 0, match.start(1)) + 1
            raise InputError(f"{file}:{line}: {wrong[corner]}")


def lacks_normals(data: bytes) -> bool:
    """Returns whether a face has a corner without a normal: cameras refuse such."""
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
    """Adds lines, each once, of values' last axis; returns the number of each's."""
    rows, numbers = np.unique(
        values.reshape(-1, values.shape[-1]), axis=0, return_inverse=True
    )
    lines += [form.format(*row) for row in rows.tolist()]
    return (numbers.ravel() + 1).tolist()
