"""Meshes of kinds that Drake's VTK engine leaves out, made into kinds it draws."""

from pathlib import Path

import numpy as np
from pydrake.geometry import (
    GeometryId,
    Mesh,
    PerceptionProperties,
    Role,
    SceneGraph,
)

from webmotor_drake.errors import InputError, warn
from webmotor_drake.scenario.meshes import read_mesh

_LEFT_OUT = (".dae", ".stl")

# The colour of what has none, from 0 to 1.
_GREY = (0.8, 0.8, 0.8)


def draw_meshes(scene_graph: SceneGraph, folder: Path) -> None:
    """Has COLLADA and STL meshes drawn, with their colours.

    What cannot be read is left out, with a warning.

    Args:
        scene_graph: before a renderer is added.
        folder: where copies are written; the renderer reads them.
    """
    copies = MeshCopies(folder)
    inspector = scene_graph.model_inspector()
    for shape in inspector.GetAllGeometryIds(Role.kPerception):
        mesh = inspector.GetShape(shape)
        copy = copies.copy(mesh) if isinstance(mesh, Mesh) else None
        if copy is not None:
            _change(scene_graph, shape, *copy)


class MeshCopies:
    """Copies of COLLADA and STL meshes in a format that is drawn with its colours.

    Args:
        folder: where they are written.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._copies: dict[Path, tuple[Path, bool] | None] = {}

    def copy(self, mesh: Mesh) -> tuple[Mesh, bool] | None:
        """Returns the copy, and whether it has colours of its own.

        None: it is drawn as it is, or cannot be read, which is told in a warning.
        """
        if mesh.extension() not in _LEFT_OUT:
            return None
        file = Path(mesh.source().path())
        if file not in self._copies:
            copy = self._folder / f"mesh{len(self._copies)}.obj"
            self._copies[file] = _copy(file, copy)
        copied = self._copies[file]
        if copied is None:
            return None
        return Mesh(str(copied[0]), mesh.scale3()), copied[1]


def _copy(file: Path, copy: Path) -> tuple[Path, bool] | None:
    """Writes a mesh as an OBJ, and says if it has colours; None: it is unreadable."""
    try:
        parts = read_mesh(file)
    except InputError as error:
        warn(f"not drawn: {error}")
        return None
    _write_obj(copy, parts)
    return copy, any(color for _, color in parts)


def _change(
    scene_graph: SceneGraph, shape: GeometryId, mesh: Mesh, has_colors: bool
) -> None:
    """Gives a shape that is drawn a mesh that may have colours of its own."""
    inspector = scene_graph.model_inspector()
    source = next(
        source
        for source in inspector.GetAllSourceIds()
        if inspector.BelongsToSource(shape, source)
    )
    old = inspector.GetPerceptionProperties(shape)
    properties = PerceptionProperties()
    properties.AddProperty("label", "id", old.GetProperty("label", "id"))
    if not has_colors:
        properties = PerceptionProperties(old)
    scene_graph.ChangeShape(source, shape, mesh)
    scene_graph.RemoveRole(source, shape, Role.kPerception)
    scene_graph.AssignRole(source, shape, properties)


def _write_obj(
    file: Path,
    parts: list[tuple[np.ndarray, tuple[float, float, float] | None]],
) -> None:
    """Writes triangles, shape (n, 3, 3), in their colours, if there are any."""
    has_colors = any(color for _, color in parts)
    lines, colors = [f"mtllib {file.stem}.mtl"] * has_colors, []
    count = 0
    for k, (triangles, color) in enumerate(parts):
        r, g, b = color or _GREY
        colors.append(f"newmtl m{k}\nKd {r:.4f} {g:.4f} {b:.4f}\n")
        lines += [f"usemtl m{k}"] * has_colors
        normals = np.cross(
            triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
        )
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = normals / np.where(length > 0, length, 1)
        lines += [
            "v {:.6g} {:.6g} {:.6g}".format(*v)
            for v in triangles.reshape(-1, 3)
        ]
        lines += ["vn {:.4g} {:.4g} {:.4g}".format(*n) for n in normals]
        for i in range(len(triangles)):
            corner, normal = 3 * (count + i), count + i + 1
            lines.append(
                "f " + " ".join(f"{corner + j}//{normal}" for j in (1, 2, 3))
            )
        count += len(triangles)
    file.write_text("\n".join(lines) + "\n")
    if has_colors:
        file.with_suffix(".mtl").write_text("\n".join(colors))
