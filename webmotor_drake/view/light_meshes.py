"""Meshes with fewer triangles, for pages that would be too large."""

import math
from pathlib import Path

import numpy as np
from pydrake.geometry import GeometryId, Mesh, Role, SceneGraph

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.meshes import load_triangles
from webmotor_drake.view.drawn_meshes import source_of

# How many triangles all meshes together may have; about 40 bytes each in a page.
_TRIANGLES = 80_000

# Cells along the longest side of a mesh, from fine to coarse.
_CELLS = [round(256 / math.sqrt(2) ** i) for i in range(14)]


def lighten(scene_graph: SceneGraph, folder: Path) -> None:
    """Gives the meshes that are looked at fewer triangles, where they have many.

    A mesh that cannot be read stays as it is; a light one has a single color.

    Args:
        scene_graph: it is changed; its diagram is not built yet.
        folder: gets the meshes, which are read when they are drawn.
    """
    inspector = scene_graph.model_inspector()
    meshes = {
        shape: mesh
        for shape in inspector.GetAllGeometryIds(Role.kIllustration)
        if (mesh := _triangles(inspector.GetShape(shape))) is not None
    }
    total = sum(len(mesh) for mesh in meshes.values())
    for number, (shape, mesh) in enumerate(meshes.items()):
        share = max(int(_TRIANGLES * len(mesh) / total), 100)
        file = folder / f"{number}.obj"
        _write_obj(file, *simplified(mesh, share))
        _change(scene_graph, shape, file)


def _change(scene_graph: SceneGraph, shape: GeometryId, file: Path) -> None:
    inspector = scene_graph.model_inspector()
    old = inspector.GetShape(shape)
    source = source_of(inspector, shape)
    scene_graph.ChangeShape(source, shape, Mesh(str(file), old.scale3()))


def _triangles(shape: object) -> np.ndarray | None:
    """Returns the triangles of a mesh without its scale, (n, 3, 3); None: not one."""
    if not isinstance(shape, Mesh):
        return None
    file, kind = Path(shape.source().path()), shape.extension()
    try:
        return load_triangles(file) if kind in (".dae", ".obj") else None
    except InputError:
        return None


def simplified(
    triangles: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns a mesh of no more than `most` triangles, or as few as can be.

    Vertices in one cell of a grid become one, their mean (Rossignac and Borrel's
    clustering); triangles that lose a corner by that go.

    Args:
        triangles: shape (n, 3, 3), m.
        most: how many are wanted.

    Returns:
        Vertices, shape (v, 3), and the indices of the triangles, shape (m, 3).
    """
    points = triangles.reshape(-1, 3)
    low, size = points.min(axis=0), np.ptp(points, axis=0).max() or 1.0
    vertices, corners = _clustered(points, np.round((points - low) / size, 6))
    for cells in _CELLS:
        if len(corners) <= most:
            break
        cell = np.floor((points - low) / size * cells)
        vertices, corners = _clustered(points, cell)
    return vertices, corners


def _clustered(
    points: np.ndarray, cells: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the mesh in which the points of a cell are one."""
    _, cluster = np.unique(cells, axis=0, return_inverse=True)
    cluster = cluster.reshape(-1)
    number = np.bincount(cluster)
    vertices = np.column_stack(
        [np.bincount(cluster, weights=points[:, i]) / number for i in range(3)]
    )
    corners = cluster.reshape(-1, 3)
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    # Two layers of a thin sheet may have become one.
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    return vertices, corners[np.sort(first)]


def _write_obj(file: Path, vertices: np.ndarray, corners: np.ndarray) -> None:
    lines = ["v {:.5g} {:.5g} {:.5g}".format(*v) for v in vertices.tolist()]
    lines += ["f {} {} {}".format(*c) for c in (corners + 1).tolist()]
    file.write_text("\n".join([*lines, ""]))
