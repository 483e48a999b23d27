"""Meshes of kinds that Drake's VTK engine leaves out, made into kinds it draws."""

from pathlib import Path

from pydrake.geometry import (
    GeometryId,
    Mesh,
    PerceptionProperties,
    Role,
    SceneGraph,
    SceneGraphInspector,
    SourceId,
)

from webmotor_drake.errors import InputError, warn
from webmotor_drake.scenario.meshes import load_mesh
from webmotor_drake.scenario.obj_text import obj_text

_LEFT_OUT = (".dae", ".stl")

# The colour of parts without one, from 0 to 1.
_GREY = (0.8, 0.8, 0.8)


def draw_meshes(scene_graph: SceneGraph, folder: Path) -> None:
    """Has COLLADA and STL meshes drawn, with their colours.

    A mesh that cannot be read is left out, with a warning.

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
        parts = load_mesh(file)
    except InputError as error:
        warn(f"not drawn: {error}")
        return None
    materials = copy.with_suffix(".mtl")
    has_colors = any(color for _, color in parts)
    if has_colors:
        materials.write_text(
            "".join(
                "newmtl m{}\nKd {:.4f} {:.4f} {:.4f}\n".format(
                    k, *(color or _GREY)
                )
                for k, (_, color) in enumerate(parts)
            )
        )
    library = materials.name if has_colors else ""
    copy.write_text(
        obj_text(*(corners for corners, _ in parts), library=library)
    )
    return copy, has_colors


def source_of(inspector: SceneGraphInspector, shape: GeometryId) -> SourceId:
    """Returns whose a shape is."""
    sources = inspector.GetAllSourceIds()
    return next(s for s in sources if inspector.BelongsToSource(shape, s))


def _change(
    scene_graph: SceneGraph, shape: GeometryId, mesh: Mesh, has_colors: bool
) -> None:
    """Gives a shape that is drawn a mesh that may have colours of its own."""
    inspector = scene_graph.model_inspector()
    source = source_of(inspector, shape)
    old = inspector.GetPerceptionProperties(shape)
    properties = PerceptionProperties()
    properties.AddProperty("label", "id", old.GetProperty("label", "id"))
    if not has_colors:
        properties = PerceptionProperties(old)
    scene_graph.ChangeShape(source, shape, mesh)
    scene_graph.RemoveRole(source, shape, Role.kPerception)
    scene_graph.AssignRole(source, shape, properties)
