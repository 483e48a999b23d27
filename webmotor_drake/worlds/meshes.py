"""Triangles of Webots' meshes: IndexedFaceSets, and files of Mesh and CadShape."""

from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.results.project_files import check_asset
from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.meshes import load_triangles
from webmotor_drake.worlds.nodes import Field, Node


def textured_faces(node: Node) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Returns the triangles of an IndexedFaceSet, anticlockwise from outside.

    Faces of more than three corners become fans.

    Returns:
        The triangles, shape (n, 3, 3), m, or None; and the texture coordinates of their
        corners, shape (n, 3, 2), or None if there are none that fit.

    Raises:
        InputError: an index names no point; with its place.
    """
    coord, indices = node.node("coord"), node.fields.get("coordIndex")
    if coord is None or indices is None or "point" not in coord.fields:
        return None, None
    points = np.array(coord.fields["point"].rows(3)).reshape(-1, 3)
    index = np.array([*indices.numbers(), -1.0]).astype(int)
    if index.size and (index.max() >= len(points) or index.min() < -1):
        raise indices.error(
            f"an index of no point; there are {len(points)}, from 0 on"
        )
    order = _fans(np.where(index == -1, -1, np.arange(len(index))))
    if not node.truth("ccw", True):
        order = order[:, ::-1]
    triangles = points[index[order]]
    sides = np.cross(
        triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    )
    real = np.linalg.norm(sides, axis=1) > 0
    if not real.any():
        return None, None
    return triangles[real], _texture_places(node, index, order[real])


def _texture_places(
    node: Node, index: np.ndarray, order: np.ndarray
) -> np.ndarray | None:
    """Returns the texture coordinates of triangles; None without any that fit."""
    coord, given = node.node("texCoord"), node.fields.get("texCoordIndex")
    if coord is None or "point" not in coord.fields:
        return None
    places = np.array(coord.fields["point"].rows(2)).reshape(-1, 2)
    if given is not None and given.items:
        index = np.array([*given.numbers(), -1.0]).astype(int)
    if order.max() >= len(index):
        return None
    chosen = index[order]
    if chosen.min() < 0 or chosen.max() >= len(places):
        return None
    return places[chosen]


def _fans(index: np.ndarray) -> np.ndarray:
    """Splits faces, whose indices end with -1, into triangles; shape (n, 3)."""
    ends = np.flatnonzero(index == -1)
    starts = np.concatenate([[0], ends[:-1] + 1])
    sizes = ends - starts
    triples = []
    for size in np.unique(sizes[sizes >= 3]).tolist():
        faces = index[starts[sizes == size][:, None] + np.arange(size)]
        triples += [faces[:, [0, k, k + 1]] for k in range(1, size - 1)]
    if not triples:
        return np.empty((0, 3), dtype=int)
    return np.concatenate(triples)


def mesh_of(node: Node) -> tuple[str, np.ndarray]:
    """Returns the file of a Mesh or CadShape, and its triangles.

    Returns:
        The absolute path, and the triangles, shape (n, 3, 3), m.

    Raises:
        InputError: there is no such file, or no mesh in it; with a place.
    """
    field = node.fields.get("url")
    if field is None or not field.texts():
        raise node.error("no url")
    file, problem = first_url(field)
    if problem:
        raise field.error(problem)
    try:
        return str(file), load_triangles(file)
    except InputError as error:
        raise field.error(error.problem) from None


def first_url(field: Field) -> tuple[Path, str]:
    """Returns the absolute path of a field's first url, and its problem; "": none."""
    url = field.texts()[0].replace("\\", "/")
    folder = field.place.source.folder.absolute()
    file = folder / url
    if "://" in url:
        return file, f"{url}: nothing is downloaded"
    try:
        check_asset(file, folder / "a.wbt")
    except InputError as error:
        return file, error.problem
    return file, "" if is_file(file) else f"{url}: no such file"
