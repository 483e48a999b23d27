"""The fields of shapes and their looks, and of bodies' masses."""

import functools
import typing
from collections.abc import Callable

import numpy as np
from pydrake import geometry
from pydrake.geometry import GeometryId, Rgba
from pydrake.multibody.tree import RigidBody

from webmotor_drake.contact.corners import mesh_file
from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.pose_fields import pose_fields
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import Live, constant
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.world_info import world_info_fields
from webmotor_drake.nodes.node_types import Node


def shape_fields(scene: Scene, node: SceneNode) -> dict[str, Live] | None:
    """Returns the fields of a node of these types; None for another type."""
    maker = _MAKERS.get(node.type)
    if maker is None or (node.type in _DRAWN and node.geometry is None):
        return None
    return maker(scene, node)


def _colour(scene: Scene, node: SceneNode, name: str) -> dict[str, Live]:
    """Returns colour and transparency, which are one value in Drake."""
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

    return {
        name: (colour, lambda value: paint(value, shapes.rgba(drawn).a())),
        "transparency": (
            lambda: 1 - shapes.rgba(drawn).a(),
            lambda value: paint(colour(), 1 - value),
        ),
    }


def _sizes(scene: Scene, node: SceneNode, **names: str) -> dict[str, Live]:
    """Returns the sizes of a round shape, which is replaced at each change.

    Args:
        scene: the node's.
        node: node of the shape.
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

    return {
        webots: (functools.partial(read, name), functools.partial(resize, name))
        for webots, name in names.items()
    }


def positive(value: float) -> float:
    """Returns a size; raises InputError for one that no shape has."""
    if not 0 < value < np.inf:
        raise InputError(f"a size of {value:g} m; above 0 is needed")
    return value


def _box(scene: Scene, node: SceneNode) -> dict[str, Live]:
    shapes, drawn = scene.shapes, typing.cast(GeometryId, node.geometry)

    def resize(size: list[float]) -> None:
        shapes.reshape(drawn, geometry.Box(*map(positive, size)))

    return {"size": (lambda: shapes.shape(drawn).size().tolist(), resize)}


def _mesh(scene: Scene, node: SceneNode) -> dict[str, Live]:
    shape = scene.shapes.shape(typing.cast(GeometryId, node.geometry))
    url = []
    if isinstance(shape, geometry.Mesh | geometry.Convex):
        url = [mesh_file(shape)]
    return {"url": constant(url)}


def _physics(scene: Scene, node: SceneNode) -> dict[str, Live]:
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

    def center() -> list[list[float]]:
        return [body.CalcCenterOfMassInBodyFrame(physics.context).tolist()]

    return {
        "density": constant(-1.0),
        "mass": (
            lambda: body.get_mass(physics.context),
            lambda value: physics.set_mass(body, value),
        ),
        "centerOfMass": (center, None),
        "inertiaMatrix": (inertia, None),
    }


_long = functools.partial(_sizes, height="length", radius="radius")
# Those that are live only if Drake has their shape.
_DRAWN = (
    *(Node.PBR_APPEARANCE, Node.MATERIAL, Node.BOX, Node.SPHERE, Node.CYLINDER),
    *(Node.CAPSULE, Node.MESH),
)
_MAKERS: dict[int, Callable[[Scene, SceneNode], dict[str, Live]]] = {
    Node.WORLD_INFO: lambda scene, node: world_info_fields(scene),
    Node.PBR_APPEARANCE: functools.partial(_colour, name="baseColor"),
    Node.MATERIAL: functools.partial(_colour, name="diffuseColor"),
    Node.BOX: _box,
    Node.SPHERE: functools.partial(_sizes, radius="radius"),
    Node.CYLINDER: _long,
    Node.CAPSULE: _long,
    Node.MESH: _mesh,
    Node.POSE: pose_fields,
    Node.TRANSFORM: pose_fields,
    Node.PHYSICS: lambda scene, node: (
        {} if node.body is None else _physics(scene, node)
    ),
}
