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
    copies: dict[Path, Path | None] = {}
    inspector = scene_graph.model_inspector()
    for shape in inspector.GetAllGeometryIds(Role.kPerception):
        mesh = inspector.GetShape(shape)
        if not isinstance(mesh, Mesh) or mesh.extension() not in _LEFT_OUT:
            continue
        file = Path(mesh.source().path())
        if file not in copies:
            copies[file] = _copy(file, folder / f"mesh{len(copies)}.obj")
        if copies[file] is not None:
            copy = Mesh(str(copies[file]), mesh.scale3())
            _change(scene_graph, shape, copy)


def _copy(file: Path, copy: Path) -> Path | None:
    """Writes a mesh as an OBJ; None for one that cannot be read."""
    try:
        parts = read_mesh(file)
    except InputError as error:
        warn(f"not drawn: {error}")
        return None
    _write_obj(copy, parts)
    return copy


def _change(scene_graph: SceneGraph, shape: GeometryId, mesh: Mesh) -> None:
    """Gives a shape that is drawn a mesh with colours of its own."""
    inspector = scene_graph.model_inspector()
    source = next(
        source
        for source in inspector.GetAllSourceIds()
        if inspector.BelongsToSource(shape, source)
    )
    old = inspector.GetPerceptionProperties(shape)
    properties = PerceptionProperties()
    properties.AddProperty("label", "id", old.GetProperty("label", "id"))
    scene_graph.ChangeShape(source, shape, mesh)
    scene_graph.RemoveRole(source, shape, Role.kPerception)
    scene_graph.AssignRole(source, shape, properties)


def _write_obj(
    file: Path,
    parts: list[tuple[np.ndarray, tuple[float, float, float] | None]],
) -> None:
    """Writes triangles, shape (n, 3, 3), in their colours."""
    lines, colors = [f"mtllib {file.stem}.mtl"], []
    count = 0
    for k, (triangles, color) in enumerate(parts):
        r, g, b = color or _GREY
        colors.append(f"newmtl m{k}\nKd {r:.4f} {g:.4f} {b:.4f}\n")
        lines.append(f"usemtl m{k}")
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
    file.with_suffix(".mtl").write_text("\n".join(colors))
