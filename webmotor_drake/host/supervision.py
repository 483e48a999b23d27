"""What a supervisor's requests mean, for all of its clients.

A request that cannot be fulfilled raises an InputError, whose words each client tells.
"""

import math
import typing
from collections.abc import Callable, Iterable

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.contact_points import is_balanced
from webmotor_drake.host.scene.node_import import import_nodes
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import JOINTS
from webmotor_drake.nodes.node_types import Node

# The largest number that Webots lets pass.
_LARGEST = float(np.finfo(np.float32).max)


def check_numbers(values: Iterable[float]) -> None:
    """Refuses numbers that Webots does not take."""
    for value in values:
        if math.isnan(value) or abs(value) > _LARGEST:
            raise InputError(f"{value} is not allowed; must be a finite number")


def pose(scene: Scene, node: SceneNode) -> np.ndarray:
    """Returns the pose of a node in the world, shape (4, 4)."""
    X_WN = scene.physics.pose(node)
    if X_WN is None:
        raise InputError("a node of this type does not have one")
    return np.asarray(X_WN.GetAsMatrix4())


def of_solid(
    node: SceneNode, ask: Callable[[SceneNode], typing.Any]
) -> list[float]:
    """Returns numbers that only a Solid has."""
    answer = ask(node) if node.is_solid else None
    if answer is None:
        raise InputError("a node of this type does not have one")
    return np.ravel(answer).tolist()


def static_balance(scene: Scene, node: SceneNode) -> bool:
    """Returns whether the centre of mass of a model is above its contacts."""
    if not node.is_solid or node.parent is not scene.root:
        raise InputError("only a model can be in balance")
    return is_balanced(scene.physics, node)


def set_velocity(scene: Scene, node: SceneNode, values: list[float]) -> None:
    """Sets linear and angular velocity of a free body."""
    check_numbers(values)
    scene.physics.set_velocity(node, values)


def push(
    scene: Scene,
    node: SceneNode,
    vectors: dict[str, list[float]],
    *,
    relative: bool,
) -> None:
    """Pushes a Solid in the next basic step; see `Physics.push`."""
    for vector in vectors.values():
        check_numbers(vector)
    if not node.is_solid:
        raise InputError("the node is not a solid")
    arrays = {name: np.array(vector) for name, vector in vectors.items()}
    scene.physics.push(node, relative=relative, **arrays)


def load_state(scene: Scene, node: SceneNode, name: str) -> None:
    """Goes back to positions that were saved, at rest."""
    if not scene.load_state(node, name):
        raise InputError("no state was saved by this name")


def move_joint(
    scene: Scene, node: SceneNode, position: float, axis: int
) -> None:
    """Moves an axis of a joint, 1 for the first, within its stops."""
    check_numbers([position])
    if node.type not in JOINTS.values() or node.joint is None:
        raise InputError("the node is not a joint")
    axes = node.joint.num_positions()
    if not 1 <= axis <= axes:
        raise InputError(f"the joint has {axes} axes")
    scene.move_joint(node, axis - 1, position)


def writer(field: SceneField) -> Callable[[typing.Any], None]:
    """Returns what sets a field."""
    if field.write is None:
        instead = f"; {field.instead}" if field.instead else ""
        problem = f"the field cannot change while the simulation runs{instead}"
        raise InputError(problem)
    return field.write


def change_list(
    field: SceneField, place: int, values: list[typing.Any], *, set_it: bool
) -> None:
    """Sets a value of a list, inserts one before a place, or removes one.

    Args:
        field: the list.
        place: index of the value; from the end if it is negative.
        values: the new one; none removes it.
        set_it: whether the old one goes.
    """
    old, write = list(field.read()), writer(field)
    places = len(old) + (not set_it)
    if not -places <= place < places:
        raise InputError(f"the index {place} is out of bounds")
    place %= places
    old[place : place + set_it] = values
    write(old)


def check_parent(node: SceneNode, name: str = "children") -> None:
    """Refuses a node into which none can be imported."""
    if node.type != Node.GROUP or node.kind or name != "children":
        raise InputError("nodes can be imported into the root or a Group only")


def import_into(
    scene: Scene, call: str, text: str, node: SceneNode, place: int
) -> SceneNode:
    """Brings nodes into the world; returns the first of them."""
    check_parent(node)
    import_nodes(scene, call, text, node, place)
    return node.children[place]
