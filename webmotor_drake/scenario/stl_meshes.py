"""STL meshes, binary or text."""

import re
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError

# Binary STL: 80 bytes, the number of triangles, then each with its normal.
_HEAD = 84
_TRIANGLE = np.dtype(
    [("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")]
)
_TEXT_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def load_stl(file: Path) -> np.ndarray:
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
        problem = f"{file} is not a whole STL mesh: three numbers per vertex"
        raise InputError(f"{problem}, three vertices per triangle") from None
