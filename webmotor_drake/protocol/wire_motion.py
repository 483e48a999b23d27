"""A supervisor's requests about poses, velocities, forces, contacts and states."""

import struct
import typing
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from webmotor_drake.host import messages, supervision
from webmotor_drake.host.scene.contact_points import contact_points
from webmotor_drake.host.scene.physics import Physics
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.protocol.reader import Reader
from webmotor_drake.protocol.wire_scene import WireScene

Answer = typing.TypeVar("Answer")

_SET_VELOCITY, _STOP, _ADD_FORCE, _ADD_FORCE_AT, _ADD_TORQUE = (
    66,
    67,
    71,
    72,
    73,
)
_SAVE_STATE, _LOAD_STATE, _MOVE_JOINT = 74, 75, 76
_POSITION, _ORIENTATION, _POSE, _CENTER_OF_MASS = 90, 91, 92, 93
_CONTACT_POINTS, _STATIC_BALANCE, _VELOCITY = 94, 95, 96
_TRACK_POSE, _TRACK_CONTACT_POINTS = 102, 103


class WireMotion:
    """The motion of the scene's nodes for one supervisor.

    Attributes:
        commands: what carries out a request, by its number.
        tracked: nodes whose pose, and whose contact points, each answer tells.

    Args:
        view: the scene as the client knows it.
    """

    def __init__(self, view: WireScene):
        self._view = view
        self.tracked: dict[tuple[int, int, int], None] = {}
        self.commands = {
            _SET_VELOCITY: self._set_velocity,
            _STOP: self._reset_physics,
            _ADD_FORCE: partial(self._push, "add_force", ["force"]),
            _ADD_FORCE_AT: partial(
                self._push, "add_force_with_offset", ["force", "offset"]
            ),
            _ADD_TORQUE: partial(self._push, "add_torque", ["torque"]),
            _SAVE_STATE: self._save_state,
            _LOAD_STATE: self._load_state,
            _MOVE_JOINT: self._set_joint_position,
            _POSITION: self._position,
            _ORIENTATION: self._orientation,
            _POSE: self._pose,
            _CENTER_OF_MASS: partial(
                self._tell_of_solid,
                _CENTER_OF_MASS,
                "center_of_mass",
                lambda node: self._physics.center_of_mass(node),
            ),
            _CONTACT_POINTS: self._contact_points,
            _STATIC_BALANCE: self._static_balance,
            _VELOCITY: partial(
                self._tell_of_solid,
                _VELOCITY,
                "velocity",
                lambda node: self._physics.velocity(node),
            ),
            _TRACK_POSE: self._track_pose,
            _TRACK_CONTACT_POINTS: self._track_contact_points,
        }

    @property
    def _physics(self) -> Physics:
        return self._view.scene.physics

    def _try(
        self,
        number: int,
        name: str,
        request: Callable[[SceneNode], Answer],
    ) -> Answer | None:
        """Returns what a request of a node gives; None, told, if it is refused."""
        call = f"wb_supervisor_node_{name}()"
        node = self._view.wanted(number, call)
        with messages.refusals(call):
            return request(node) if node is not None else None
        return None

    def _matrix(self, number: int, name: str) -> np.ndarray | None:
        """Returns the pose of a node in the world, shape (4, 4)."""
        ask = partial(supervision.pose, self._view.scene)
        return self._try(number, name, ask)

    def _position(self, block: Reader) -> None:
        pose = self._matrix(block.u32(), "get_position")
        if pose is not None:
            self._view.tell(_POSITION, "3d", *pose[:3, 3])

    def _orientation(self, block: Reader) -> None:
        pose = self._matrix(block.u32(), "get_orientation")
        if pose is not None:
            self._view.tell(_ORIENTATION, "9d", *pose[:3, :3].ravel())

    def _pose(self, block: Reader) -> None:
        self._tell_pose(block.u32(), block.u32())

    def _tell_pose(self, from_number: int, number: int) -> None:
        pose = self._matrix(number, "get_pose")
        if pose is not None and from_number:
            base = self._matrix(from_number, "get_pose")
            pose = None if base is None else np.linalg.inv(base) @ pose
        if pose is not None:
            self._view.tell(_POSE, "II16d", from_number, number, *pose.ravel())

    def _tell_of_solid(
        self,
        number: int,
        what: str,
        ask: Callable[[SceneNode], Sequence[float]],
        block: Reader,
    ) -> None:
        """Tells numbers of a Solid."""
        values = self._try(
            block.u32(),
            f"get_{what}",
            lambda node: supervision.of_solid(node, ask),
        )
        if values is not None:
            self._view.tell(number, f"{len(values)}d", *values)

    def _contact_points(self, block: Reader) -> None:
        self._tell_contact_points(block.u32(), block.u8())

    def _tell_contact_points(self, number: int, descendants: int) -> None:
        """Tells them, also of a node without any: the client waits for the answer."""
        node = self._view.node(number)
        points: list[tuple[list[float], int]] = []
        if node is not None and node.is_solid:
            points = contact_points(
                self._physics, node, descendants=bool(descendants)
            )
        told = [struct.pack("<3di", *point, of) for point, of in points]
        head = struct.pack(
            "<BIBi", _CONTACT_POINTS, number, descendants, len(told)
        )
        self._view.fresh.append(head + b"".join(told))

    def _static_balance(self, block: Reader) -> None:
        ask = partial(supervision.static_balance, self._view.scene)
        balanced = self._try(block.u32(), "get_static_balance", ask)
        if balanced is not None:
            self._view.tell(_STATIC_BALANCE, "B", balanced)

    def _set_velocity(self, block: Reader) -> None:
        number, values = block.u32(), block.floats(6)
        scene = self._view.scene
        self._try(
            number,
            "set_velocity",
            lambda node: supervision.set_velocity(scene, node, values),
        )

    def _reset_physics(self, block: Reader) -> None:
        physics = self._physics
        self._try(block.u32(), "reset_physics", lambda n: physics.stop([n]))

    def _push(self, method: str, vectors: Sequence[str], block: Reader) -> None:
        """Pushes a Solid by the vectors that a request has in this order."""
        number = block.u32()
        pushed = {name: block.floats(3) for name in vectors}
        relative, scene = bool(block.u8()), self._view.scene
        self._try(
            number,
            method,
            lambda node: supervision.push(
                scene, node, pushed, relative=relative
            ),
        )

    def _save_state(self, block: Reader) -> None:
        number, name = block.u32(), block.string()
        scene = self._view.scene
        self._try(number, "save_state", lambda n: scene.save_state(n, name))

    def _load_state(self, block: Reader) -> None:
        number, name = block.u32(), block.string()
        scene = self._view.scene
        self._try(
            number,
            "load_state",
            lambda node: supervision.load_state(scene, node, name),
        )

    def _set_joint_position(self, block: Reader) -> None:
        number, position, axis = block.u32(), block.f64(), block.u32()
        scene = self._view.scene
        self._try(
            number,
            "set_joint_position",
            lambda node: supervision.move_joint(scene, node, position, axis),
        )

    def _track_pose(self, block: Reader) -> None:
        from_number, number = block.u32(), block.u32()
        self._track((_POSE, from_number, number), block)

    def _track_contact_points(self, block: Reader) -> None:
        number, descendants = block.u32(), block.u8()
        self._track((_CONTACT_POINTS, number, descendants), block)
        if (_CONTACT_POINTS, number, descendants) not in self.tracked:
            for either in (0, 1):  # its client does not say which
                self.tracked.pop((_CONTACT_POINTS, number, either), None)

    def _track(self, wanted: tuple[int, int, int], block: Reader) -> None:
        if block.u8():
            block.i32()  # clients send 0 whatever was asked for
            self.tracked[wanted] = None
        else:
            self.tracked.pop(wanted, None)

    def tell_tracked(self) -> None:
        """Has the answer to a step tell what is tracked."""
        for kind, first, second in self.tracked:
            if kind == _POSE:
                self._tell_pose(first, second)
            elif self._view.node(first) is not None:
                self._tell_contact_points(first, second)
