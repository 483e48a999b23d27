"""Names of shapes' corners, which tell corners from the shapes of models."""

import contextlib
from collections.abc import Iterable

from pydrake.geometry import GeometryId, Role, SceneGraphInspector

_NAME = "webmotor_drake corner of "


def corner_name(shape: GeometryId, number: int) -> str:
    """Returns the name of a corner of a shape."""
    return f"{_NAME}{shape.get_value()} {number}"


def is_corner(inspector: SceneGraphInspector, geometry: GeometryId) -> bool:
    """Returns whether a shape is the corner of another one."""
    return _NAME in inspector.GetName(geometry)


def own_shapes(
    inspector: SceneGraphInspector, shapes: Iterable[GeometryId]
) -> list[GeometryId]:
    """Returns the given shapes without the corners among them."""
    return [shape for shape in shapes if not is_corner(inspector, shape)]


def shape_of(inspector: SceneGraphInspector, geometry: GeometryId) -> int:
    """Returns the number of a shape; of a corner, the number of its shape."""
    _, corner, rest = inspector.GetName(geometry).partition(_NAME)
    return int(rest.split()[0]) if corner else geometry.get_value()


def corners_of(
    inspector: SceneGraphInspector, geometry: GeometryId
) -> list[GeometryId]:
    """Returns the corners of a shape that collide."""
    frame, found = inspector.GetFrameId(geometry), list[GeometryId]()
    model, scope, _ = inspector.GetName(geometry).rpartition("::")
    # By their names: bodies have hundreds.
    with contextlib.suppress(RuntimeError):
        while True:
            name = f"{model}{scope}{corner_name(geometry, len(found))}"
            found.append(
                inspector.GetGeometryIdByName(frame, Role.kProximity, name)
            )
    return found
