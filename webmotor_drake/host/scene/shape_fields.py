"""The fields of shapes and their looks, and of bodies' masses."""

import functools
import typing
from collections.abc import Callable, Iterator

import numpy as np
from pydrake import geometry
from pydrake.geometry import GeometryId, Rgba
from pydrake.multibody.tree import RigidBody

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.pose_fields import pose_fields
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import (
    FieldType,
    SceneField,
    all_in,
    constant,
    node_in,
    stored,
)
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.node_types import Node

_T = FieldType
# Where Webots' window looks from; here it is only stored.
_VIEWPOINT = (
    ("fieldOfView", _T.SF_FLOAT, 0.785398),
    ("orientation", _T.SF_ROTATION, [0.0, 0.0, 1.0, 0.0]),
    ("position", _T.SF_VEC3F, [-10.0, 0.0, 0.0]),
    ("description", _T.SF_STRING, ""),
    ("near", _T.SF_FLOAT, 0.05),
    ("far", _T.SF_FLOAT, 0.0),
    ("exposure", _T.SF_FLOAT, 1.0),
    ("follow", _T.SF_STRING, ""),
    ("followType", _T.SF_STRING, "Tracking Shot"),
    ("followSmoothness", _T.SF_FLOAT, 0.5),
    ("ambientOcclusionRadius", _T.SF_FLOAT, 2.0),
    ("bloomThreshold", _T.SF_FLOAT, 21.0),
)


def shape_fields(scene: Scene, node: SceneNode) -> Iterator[SceneField] | None:
    """Returns the fields of a node of these types; None for another type."""
    maker = _MAKERS.get(node.type)
    if maker is None:
        return None
    return maker(scene, node)


def _viewpoint(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    for name, field_type, value in _VIEWPOINT:
        yield stored(scene.viewpoint, name, field_type, value)


def _shape(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield node_in(node, "appearance")
    yield node_in(node, "geometry")
    yield constant("castShadows", _T.SF_BOOL, True)
    yield constant("isPickable", _T.SF_BOOL, True)


def _colour(scene: Scene, node: SceneNode, name: str) -> Iterator[SceneField]:
    """Yields colour and transparency, which are one value in Drake."""
    shapes = scene.shapes
    drawn = typing.cast(GeometryId, node.geometry)

    def colour() -> list[float]:
        rgba = shapes.rgba(drawn)
        return [rgba.r(), rgba.g(), rgba.b()]

    def paint(rgb: list[float], alpha: float) -> None:
        numbers = [*rgb, alpha]
        if not all(0 <= number <= 1 for number in numbers):
            raise InputError(f"{numbers} is not a colour; must be from 0 to 1")
        shapes.paint(drawn, Rgba(*numbers))

    yield SceneField(
        name,
        _T.SF_COLOR,
        colour,
        lambda value: paint(value, shapes.rgba(drawn).a()),
    )
    yield SceneField(
        "transparency",
        _T.SF_FLOAT,
        lambda: 1 - shapes.rgba(drawn).a(),
        lambda value: paint(colour(), 1 - value),
    )


def _pbr_appearance(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield from _colour(scene, node, "baseColor")
    yield constant("roughness", _T.SF_FLOAT, 1.0)
    yield constant("metalness", _T.SF_FLOAT, 0.0)
    yield constant("emissiveColor", _T.SF_COLOR, [0.0, 0.0, 0.0])
    yield constant("name", _T.SF_STRING, "PBRAppearance")


def _appearance(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield node_in(node, "material")
    yield constant("name", _T.SF_STRING, "appearance")


def _material(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield from _colour(scene, node, "diffuseColor")
    yield constant("ambientIntensity", _T.SF_FLOAT, 0.2)
    yield constant("emissiveColor", _T.SF_COLOR, [0.0, 0.0, 0.0])
    yield constant("shininess", _T.SF_FLOAT, 0.2)
    yield constant("specularColor", _T.SF_COLOR, [0.0, 0.0, 0.0])


def _sizes(scene: Scene, node: SceneNode, **names: str) -> Iterator[SceneField]:
    """Yields the sizes of a round shape, which is replaced at each change.

    Args:
        scene: the node's.
        node: of the shape.
        names: Drake's by Webots' ones.
    """
    shapes = scene.shapes
    drawn = typing.cast(GeometryId, node.geometry)

    def read(name: str) -> float:
        return getattr(shapes.shape(drawn), name)()

    def resize(name: str, value: float) -> None:
        sizes = {other: read(other) for other in names.values()}
        sizes[name] = positive(value)
        shapes.reshape(drawn, type(shapes.shape(drawn))(**sizes))

    for webots, name in names.items():
        yield SceneField(
            webots,
            _T.SF_FLOAT,
            functools.partial(read, name),
            functools.partial(resize, name),
        )


def positive(value: float) -> float:
    """Returns a size; raises InputError for one that no shape has."""
    if not 0 < value < np.inf:
        raise InputError(f"a size of {value:g} m; above 0 is needed")
    return value


def _box(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    shapes, drawn = scene.shapes, typing.cast(GeometryId, node.geometry)

    def resize(size: list[float]) -> None:
        shapes.reshape(drawn, geometry.Box(*map(positive, size)))

    yield SceneField(
        "size",
        _T.SF_VEC3F,
        lambda: shapes.shape(drawn).size().tolist(),
        resize,
    )


def _sphere(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield from _sizes(scene, node, radius="radius")
    yield constant("subdivision", _T.SF_INT32, 1)
    yield constant("ico", _T.SF_BOOL, True)


def _cylinder_or_capsule(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield from _sizes(scene, node, height="length", radius="radius")
    for name in ("bottom", "side", "top"):
        yield constant(name, _T.SF_BOOL, True)


def _plane(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield constant("size", _T.SF_VEC2F, [1.0, 1.0])  # it has no end


def _mesh(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    shape = scene.shapes.shape(typing.cast(GeometryId, node.geometry))
    url = []
    if isinstance(shape, geometry.Mesh | geometry.Convex):
        url = [str(shape.source().path())]
    yield constant("url", _T.MF_STRING, url)


def _pose(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    yield from pose_fields(scene, node)
    yield all_in(node, "children")


def _physics(scene: Scene, node: SceneNode) -> Iterator[SceneField]:
    body = typing.cast(RigidBody, node.body)
    physics = scene.physics

    def inertia() -> list[list[float]]:
        context = physics.context
        M = body.CalcSpatialInertiaInBodyFrame(context)
        about = M.Shift(M.get_com()).CalcRotationalInertia()
        I = about.CopyToFullMatrix3()  # noqa: E741 as in the books
        return [
            [I[0, 0], I[1, 1], I[2, 2]],
            [I[0, 1], I[0, 2], I[1, 2]],
        ]

    yield constant("density", _T.SF_FLOAT, -1.0)
    yield SceneField(
        "mass",
        _T.SF_FLOAT,
        lambda: body.get_mass(physics.context),
        lambda value: physics.set_mass(body, value),
    )
    yield SceneField(
        "centerOfMass",
        _T.MF_VEC3F,
        lambda: [body.CalcCenterOfMassInBodyFrame(physics.context).tolist()],
    )
    yield SceneField("inertiaMatrix", _T.MF_VEC3F, inertia)
    yield constant("damping", _T.SF_NODE, None)


_MAKERS: dict[int, Callable[[Scene, SceneNode], Iterator[SceneField]]] = {
    Node.WORLD_INFO: lambda scene, node: scene.info.fields(),
    Node.VIEWPOINT: _viewpoint,
    Node.SHAPE: _shape,
    Node.PBR_APPEARANCE: _pbr_appearance,
    Node.APPEARANCE: _appearance,
    Node.MATERIAL: _material,
    Node.BOX: _box,
    Node.SPHERE: _sphere,
    Node.CYLINDER: _cylinder_or_capsule,
    Node.CAPSULE: _cylinder_or_capsule,
    Node.PLANE: _plane,
    Node.MESH: _mesh,
    Node.GROUP: lambda scene, node: iter([all_in(node, "children")]),
    Node.POSE: _pose,
    Node.TRANSFORM: _pose,
    Node.PHYSICS: _physics,
}
