"""The text of an OBJ mesh made of triangles."""

import numpy as np


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
