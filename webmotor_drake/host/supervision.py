"""The meaning of a supervisor's requests, for all of its clients.

A request that cannot be fulfilled raises an InputError; the client prints its message.
"""

import math
import typing
from collections.abc import Callable, Iterable

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.contact_points import contact_points, is_balanced
from webmotor_drake.host.scene.node_string import node_string
from webmotor_drake.host.scene.scene import AT_START, Scene
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import JOINTS
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.nodes.node_types import Node

# The largest number that Webots lets pass.
_LARGEST = float(np.finfo(np.float32).max)


def check_numbers(values: Iterable[float]) -> None:
    """Refuses numbers that Webots does not take."""
    for value in values:
        if math.isnan(value) or abs(value) > _LARGEST:
            raise InputError(f"{value} is not allowed; must be a finite number")


def check_value(kind: FieldType, value: typing.Any) -> None:
    """Refuses one value that no field of a type can have."""
    if kind.width:
        check_numbers([value] if kind == FieldType.SF_FLOAT else value)
        if kind == FieldType.SF_ROTATION and not any(value[:3]):
            raise InputError("the axis of a rotation is not 0")


def pose(scene: Scene, node: SceneNode) -> np.ndarray:
    """Returns the pose of a node in the world, shape (4, 4)."""
    X_WN = scene.physics.pose(node)
    if X_WN is None:
        raise InputError("a node of this type does not have one")
    return np.asarray(X_WN.GetAsMatrix4())


def position(scene: Scene, node: SceneNode) -> list[float]:
    """Returns x, y, z of a node in the world, m."""
    return pose(scene, node)[:3, 3].tolist()


def orientation(scene: Scene, node: SceneNode) -> list[float]:
    """Returns the rotation matrix of a node in the world, row by row."""
    return pose(scene, node)[:3, :3].ravel().tolist()


def center_of_mass(scene: Scene, node: SceneNode) -> list[float]:
    """Returns the centre of mass of all bodies in a node, m."""
    return scene.physics.center_of_mass(_solid(node)).tolist()


def velocity(scene: Scene, node: SceneNode) -> list[float]:
    """Returns linear (m/s) and angular velocity (rad/s) of a Solid."""
    return scene.physics.velocity(_solid(node))


def _solid(node: SceneNode) -> SceneNode:
    """Returns a node that is a Solid; refuses others."""
    if not node.is_solid:
        raise InputError("a node of this type does not have one")
    return node


def contacts(
    scene: Scene, node: SceneNode, *, descendants: bool
) -> list[tuple[list[float], int]]:
    """Returns the places where a Solid touches others; see `contact_points`."""
    if not node.is_solid:
        return []
    return contact_points(scene.physics, node, descendants=descendants)


def stop(scene: Scene, node: SceneNode) -> None:
    """Stops a node and its children."""
    scene.physics.stop([node])


def remove(scene: Scene, node: SceneNode) -> None:
    """Moves a node out of the world."""
    scene.stock.remove(node)


def restart_controller(scene: Scene, node: SceneNode) -> None:
    """Ends the controller of a robot at its next step, and starts it again."""
    if node.type != Node.ROBOT:
        raise InputError("the node is not a robot")
    if not scene.stepped.rhythm.restart(node.model):
        raise InputError("it has no controller that was started here")


def static_balance(scene: Scene, node: SceneNode) -> bool:
    """Returns whether the centre of mass of a model is above its contacts."""
    if not node.is_solid or node.parent is not scene.root:
        raise InputError("only a model can be in balance")
    return is_balanced(scene.physics, node)


def set_velocity(scene: Scene, node: SceneNode, values: list[float]) -> None:
    """Sets linear and angular velocity of a free body."""
    check_numbers(values)
    scene.physics.set_velocity(node, values)


def pushes(*names: str) -> Callable[..., None]:
    """Returns a request function that pushes a Solid in the next basic step.

    Args:
        names: names of its vectors in `Physics.push`; `relative` is its last argument.
    """

    def push(scene: Scene, node: SceneNode, *values: typing.Any) -> None:
        *vectors, relative = values
        for vector in vectors:
            check_numbers(vector)
        if not node.is_solid:
            raise InputError("the node is not a solid")
        named = dict(zip(names, vectors, strict=True))
        scene.physics.push(node, relative=bool(relative), **named)

    return push


save_state, load_state = Scene.save_state, Scene.load_state
add_force, add_torque = pushes("force"), pushes("torque")
add_force_with_offset = pushes("force", "offset")


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
    """Returns the function that sets a field."""
    if field.write is None:
        instead = f"; {field.instead}" if field.instead else ""
        problem = f"the field cannot change while the simulation runs{instead}"
        raise InputError(problem)
    return field.write


def place_in(places: int, index: int) -> int:
    """Returns the place of an index; a negative index counts from the end."""
    if not -places <= index < places:
        inside = f"-{places} to {places - 1} are in"
        raise InputError(
            f"the index {index} is out of bounds; "
            + (inside if places else "the field is empty")
        )
    return index % places


def change_list(
    field: SceneField, place: int, values: list[typing.Any], *, set_it: bool
) -> None:
    """Sets a value of a list, inserts one before a place, or removes one.

    Args:
        field: the list.
        place: index of the value; from the end if it is negative.
        values: new value in a list; an empty list removes the old value.
        set_it: True to replace the old value.
    """
    old, write = list(field.read()), writer(field)
    place = place_in(len(old) + (not set_it), place)
    old[place : place + set_it] = values
    write(old)


def check_parent(node: SceneNode, name: str = "children") -> None:
    """Refuses a node into which none can be imported."""
    if node.type != Node.GROUP or node.kind or name != "children":
        raise InputError("nodes can be imported into the root or a Group only")


def import_into(
    scene: Scene, call: str, text: str, node: SceneNode, place: int
) -> SceneNode:
    """Brings nodes into the world; returns the first of them.

    Their imported pose is their state `__init__`. Parts of the text without effect are
    printed once; see `Stock.bring` for the errors.
    """
    check_parent(node)

    def text_of(definition: str) -> str | None:
        used = scene.find(definition)
        return used and node_string(scene, used, base=True)

    before = set(node.children)
    ignored = scene.stock.bring(text, node, place, text_of)
    for child in node.children:
        if child not in before and child.is_solid:
            scene.save_state(child, AT_START)
    if ignored:
        scene.say_once(call, f"without effect here: {ignored}")
    return node.children[place]


# The messages for requests that cannot be fulfilled here.
ONE_SCENARIO = "a run is of one scenario"
NO_SAVING, NO_HIDING = "scenarios are not written", "nodes cannot be hidden"
NO_PICTURE = "there is no window to take pictures of; "
DRAWN_INSTEAD = f"{NO_PICTURE}'webmotor run --html' draws a run"
# Webots' modes of a simulation.
PAUSE, REAL_TIME, FAST = 0, 1, 2


def present_mode(stepped: SteppedSimulation) -> int:
    """Returns the mode of the simulation, real time or fast."""
    simulator = stepped.simulation.simulator
    return REAL_TIME if simulator.get_target_realtime_rate() else FAST


def set_mode(stepped: SteppedSimulation, mode: int) -> str:
    """Sets the mode; returns why that is impossible, or ""."""
    if mode == PAUSE:
        return stepped.pause()
    if mode not in (REAL_TIME, FAST):
        return "the mode must be 0, 1 or 2"
    stepped.set_real_time_rate(1.0 if mode == REAL_TIME else 0.0)
    return ""


def quit_run(stepped: SteppedSimulation, status: int) -> None:
    """Ends the run at the present step, with an exit status."""
    stepped.simulation.exit_status = status
    stepped.end_run()
