"""The fields of poses, shapes and their looks, bodies' masses, and WorldInfo.

A new gravity acts from the next step on; a reset restores the gravity of the start.
"""

import functools
import typing
from collections.abc import Callable

import numpy as np
from pydrake import geometry
from pydrake.geometry import Rgba
from pydrake.math import RigidTransform

from webmotor_drake.contact.corners import mesh_file
from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import Live, constant
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.scenario.scenario import robots_of
from webmotor_drake.worlds.poses import axis_angle, pose as pose_by, turn

# A rotation is the file's if no element of its matrix differs by more.
_SAME = 1e-9


def _world_info(scene: Scene, node: SceneNode) -> dict[str, Live]:
    scenario, plant = scene.scenario, scene.physics.plant
    robots = list(robots_of(scenario).values())
    devices = [d for robot in robots for d in robot.devices.values()]
    gravity = plant.gravity_field().gravity_vector
    x, y, z = scenario.gravity
    by_gravity = "NUE" if y and not (x or z) else "ENU"
    axes = _first(devices, "axes", by_gravity)
    title = scenario.source.name if scenario.source is not None else ""
    return {
        "gravity": (
            lambda: float(np.linalg.norm(gravity())),
            lambda value: _change_gravity(scene, value, axes),
        ),
        "title": constant(title),
        "CFM": constant(robots[0].cfm),
        "basicTimeStep": constant(scene.stepped.basic_time_step),
        "coordinateSystem": constant(axes),
        "gpsCoordinateSystem": constant(
            _first(devices, "coordinate_system", "local")
        ),
        "gpsReference": constant(_first(devices, "reference", [0.0] * 3)),
        "randomSeed": constant(scenario.random_seed),
    }


def _change_gravity(scene: Scene, value: float, axes: str) -> None:
    if not 0 <= value < np.inf:
        raise InputError(f"{value:g} m/s^2 is not allowed; must be at least 0")
    given = np.array(scene.scenario.gravity)
    down = -np.eye(3)[axes.index("U")]
    if given.any():
        down = given / float(np.linalg.norm(given))
    physics, plant = scene.physics, scene.physics.plant
    context = physics.context
    plant.mutable_gravity_field().set_gravity_vector(value * down)
    # Gravity is no part of the Context: setting the positions invalidates the results
    # with the old gravity.
    plant.SetPositions(context, plant.GetPositions(context))
    physics.tell_motors()


def _first(
    devices: list[typing.Any], field: str, otherwise: typing.Any
) -> typing.Any:
    found = (getattr(d, field) for d in devices if hasattr(d, field))
    return next(found, otherwise)


def pose_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    """Returns the pose of a node in its parent; a model's can be set."""
    physics = scene.physics

    def pose() -> RigidTransform:
        return physics.pose_in_parent(node)

    def turned() -> list[float]:
        R_PN, file = pose().rotation(), node.file
        if file is not None and "rotation" in file.fields:
            given = file.numbers("rotation", [0.0, 0.0, 1.0, 0.0])
            R_PF = turn(given[:3], given[3])
            if R_PF.InvertAndCompose(R_PN).IsNearlyIdentity(_SAME):
                return given  # not the opposite axis
        return axis_angle(R_PN)

    def move(X_PN: RigidTransform) -> None:
        if scene.holds(node):
            scene.move_all(node, X_PN)
        else:
            physics.set_pose_in_parent(node, X_PN)

    def translate(value: list[float]) -> None:
        move(RigidTransform(pose().rotation(), value))

    def rotate(value: list[float]) -> None:
        move(pose_by(pose().translation(), value))

    # A part of a model can be asked to move, too: the error says why it cannot.
    return {
        "translation": (lambda: pose().translation().tolist(), translate),
        "rotation": (turned, rotate),
    }


def shape_fields(scene: Scene, node: SceneNode) -> dict[str, Live] | None:
    """Returns the fields of a node of a type in `_MAKERS`; None for other types."""
    maker = _MAKERS.get(node.type)
    if maker is None or (node.type in _DRAWN and node.geometry is None):
        return None
    return maker(scene, node)


def _colour(scene: Scene, node: SceneNode, name: str) -> dict[str, Live]:
    """Returns colour and transparency, which are one value in Drake."""
    shapes = scene.shapes
    drawn = node.geometry

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
    """Returns the sizes of a round shape; `names` has Drake's names by Webots'."""
    shapes = scene.shapes
    drawn = node.geometry

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
    shapes, drawn = scene.shapes, node.geometry

    def resize(size: list[float]) -> None:
        shapes.reshape(drawn, geometry.Box(*map(positive, size)))

    return {"size": (lambda: shapes.shape(drawn).size().tolist(), resize)}


def _mesh(scene: Scene, node: SceneNode) -> dict[str, Live]:
    shape = scene.shapes.shape(node.geometry)
    is_file = isinstance(shape, geometry.Mesh | geometry.Convex)
    return {"url": constant([mesh_file(shape)] if is_file else [])}


def _physics(scene: Scene, node: SceneNode) -> dict[str, Live]:
    body = node.body
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
# Types whose fields are live only if Drake has their shape.
_DRAWN = (
    *(Node.PBR_APPEARANCE, Node.MATERIAL, Node.BOX, Node.SPHERE, Node.CYLINDER),
    *(Node.CAPSULE, Node.MESH),
)
_MAKERS: dict[int, Callable[[Scene, SceneNode], dict[str, Live]]] = {
    Node.WORLD_INFO: _world_info,
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
