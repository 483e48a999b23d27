"""COLLADA meshes, for which the extra `robots` brings pycollada."""

from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, needing

Color = tuple[float, float, float]


def load_dae(file: Path) -> list[tuple[np.ndarray, Color | None]]:
    """Returns the shapes in a COLLADA file.

    They are where the file's scene puts them, in metres whatever its unit. Its
    `up_axis` is not used, as nowhere in ROS: models are drawn for their link.

    Returns:
        Triangles, shape (n, 3, 3), m, and their colour, from 0 to 1; None for a
        part without one.

    Raises:
        InputError: it cannot be read, or pycollada is not installed.
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
    whole = sum(len(triangles) for triangles, _ in found)
    if not whole or not all(np.isfinite(mesh).all() for mesh, _ in found):
        raise InputError(f"{file}: finite vertices of triangles are needed")
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
