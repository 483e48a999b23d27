"""Textures: the image on a Shape, and the place of each corner on it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, warn
from webmotor_drake.results.whole_file import load_bytes
from webmotor_drake.scenario.pictures import safe_png
from webmotor_drake.worlds.meshes import first_url, textured_faces
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.shapes import Shape

# The faces of a box from -1 to 1: its corner at the picture's lower left, and the ways
# to the right and up.
_FACES = (
    ((1, -1, -1), (0, 2, 0), (0, 0, 2)),
    ((-1, 1, -1), (0, -2, 0), (0, 0, 2)),
    ((1, 1, -1), (-2, 0, 0), (0, 0, 2)),
    ((-1, -1, -1), (2, 0, 0), (0, 0, 2)),
    ((-1, -1, 1), (2, 0, 0), (0, 2, 0)),
    ((-1, 1, -1), (2, 0, 0), (0, -2, 0)),
)
_PLANE = (((-1, -1, 0), (2, 0, 0), (0, 2, 0)),)


def textured(
    node: Node, shape: Shape, scale: np.ndarray
) -> tuple[Shape, Sequence[float]] | None:
    """Returns the mesh of a Shape with a texture, and its colour; None without one.

    Planes, boxes and IndexedFaceSets with texture coordinates show their texture. Other
    shapes, and shapes whose image is missing, keep their plain colour, which is
    reported.

    Args:
        node: the Shape.
        shape: its geometry.
        scale: scale of the frame that it is in, along x, y and z.
    """
    looks, geometry = node.node("appearance"), node.node("geometry")
    if looks is None or geometry is None:
        return None
    pbr = looks.type == "PBRAppearance"
    image = looks.node("baseColorMap" if pbr else "texture")
    if image is None or image.type != "ImageTexture":
        return None
    if (file := _file(image)) is None:
        return None
    if (drawn := _drawn(geometry, shape, scale)) is None:
        text = f"not drawn on a {geometry.type}: it has a plain colour"
        image.place.add("info", "ImageTexture", text)
        return None
    try:
        png = safe_png(file, load_bytes(file))
    except InputError as error:
        warn(f"{error.problem}; its colour is drawn instead")
        return None
    color = looks.numbers("baseColor", (1, 1, 1)) if pbr else (1.0,) * 3
    triangles, places = drawn
    places = _transformed(places, looks.node("textureTransform"))
    return Shape("mesh", triangles=triangles, png=png, places=places), color


def _file(image: Node) -> Path | None:
    """Returns the file of an ImageTexture; None, reported, if it is not there."""
    field = image.fields.get("url")
    if field is None or not field.texts():
        return None
    file, problem = first_url(field)
    if not problem:
        return file
    field.place.add("info", "ImageTexture", f"not drawn: {problem}")
    return None


def _drawn(
    geometry: Node, shape: Shape, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns triangles and the image places of their corners; None: not drawn."""
    if shape.kind == "box":
        faces = np.array(_FACES, dtype=float)
        if geometry.place.source.has_old_axes:  # y is up
            faces = faces[..., [0, 2, 1]] * [1, 1, -1]
        return _squares(faces * np.array(shape.size) / 2)
    if shape.kind == "plane":
        return _squares(np.array(_PLANE) * np.array([*shape.size, 0.0]) / 2)
    if geometry.type == "IndexedFaceSet":
        triangles, places = textured_faces(geometry)
        if triangles is not None and places is not None:
            return triangles * scale, places
    return None


def _squares(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns triangles and image places of faces: a corner, right, up; (n, 3, 3)."""
    first, right, up = faces[:, 0], faces[:, 1], faces[:, 2]
    corners = np.stack([first, first + right, first + right + up, first + up])
    on = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    triangles = corners[halves].transpose(2, 0, 1, 3).reshape(-1, 3, 3)
    return triangles, np.tile(on[halves], (len(faces), 1, 1))


def _transformed(places: np.ndarray, node: Node | None) -> np.ndarray:
    """Returns texture coordinates after a TextureTransform (VRML97)."""
    if node is None or node.type != "TextureTransform":
        return places
    center = np.array(node.numbers("center", (0, 0)))
    angle = node.number("rotation", 0.0)
    turned = np.array(
        [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    )
    about = places + np.array(node.numbers("translation", (0, 0))) + center
    scaled = (about @ turned.T) * np.array(node.numbers("scale", (1, 1)))
    return scaled - center
