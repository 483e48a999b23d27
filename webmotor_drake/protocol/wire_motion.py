"""A supervisor's requests about poses, velocities, forces, contacts and states."""

import struct
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from webmotor_drake.host import messages
from webmotor_drake.host.scene.contact_points import (
    contact_points,
    is_balanced,
)
from webmotor_drake.host.scene.physics import Physics
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import JOINTS
from webmotor_drake.protocol.reader import Reader
from webmotor_drake.protocol.wire_scene import WireScene
from webmotor_drake.protocol.wire_values import are_fit

_POSITION, _ORIENTATION, _POSE = 90, 91, 92
_CONTACT_POINTS, _STATIC_BALANCE = 94, 95


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
            66: self._set_velocity,
            67: self._reset_physics,
            71: partial(self._push, "add_force", ["force"]),
            72: partial(
                self._push, "add_force_with_offset", ["force", "offset"]
            ),
            73: partial(self._push, "add_torque", ["torque"]),
            74: self._save_state,
            75: self._load_state,
            76: self._set_joint_position,
            _POSITION: self._position,
            _ORIENTATION: self._orientation,
            _POSE: self._pose,
            93: partial(
                self._tell_of_solid,
                93,
                "center_of_mass",
                lambda node: self._physics.center_of_mass(node),
            ),
            _CONTACT_POINTS: self._contact_points,
            _STATIC_BALANCE: self._static_balance,
            96: partial(
                self._tell_of_solid,
                96,
                "velocity",
                lambda node: self._physics.velocity(node),
            ),
            102: self._track_pose,
            103: self._track_contact_points,
        }

    @property
    def _physics(self) -> Physics:
        return self._view.scene.physics

    def _node(self, block: Reader, call: str) -> SceneNode | None:
        """Reads a node that has to be in the world; if it is not, says so."""
        return self._view.wanted(block.u32(), call)

    def _solid(self, block: Reader, call: str) -> SceneNode | None:
        """Reads a Solid; says so if the node is not one."""
        node = self._node(block, call)
        if node is not None and not node.is_solid:
            _has_none(node, call)
            return None
        return node

    def _matrix(self, number: int, call: str) -> np.ndarray | None:
        """Returns the pose of a node in the world, shape (4, 4)."""
        node = self._view.node(number)
        X_WN = self._physics.pose(node) if node is not None else None
        if X_WN is not None:
            return np.asarray(X_WN.GetAsMatrix4())
        if node is not None:
            _has_none(node, call)
        return None

    def _position(self, block: Reader) -> None:
        pose = self._matrix(block.u32(), "wb_supervisor_node_get_position()")
        if pose is not None:
            self._view.tell(_POSITION, "3d", *pose[:3, 3])

    def _orientation(self, block: Reader) -> None:
        pose = self._matrix(block.u32(), "wb_supervisor_node_get_orientation()")
        if pose is not None:
            self._view.tell(_ORIENTATION, "9d", *pose[:3, :3].ravel())

    def _pose(self, block: Reader) -> None:
        self._tell_pose(block.u32(), block.u32())

    def _tell_pose(self, from_number: int, number: int) -> None:
        call = "wb_supervisor_node_get_pose()"
        pose = self._matrix(number, call)
        if pose is not None and from_number:
            base = self._matrix(from_number, call)
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
        node = self._solid(block, f"wb_supervisor_node_get_{what}()")
        if node is not None:
            values = ask(node)
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
        call = "wb_supervisor_node_get_static_balance()"
        node = self._solid(block, call)
        if node is None:
            return
        if node.parent is not self._view.scene.root:
            messages.error(call, "only a model can be in balance")
            return
        balanced = is_balanced(self._physics, node)
        self._view.tell(_STATIC_BALANCE, "B", balanced)

    def _set_velocity(self, block: Reader) -> None:
        call = "wb_supervisor_node_set_velocity()"
        node, values = self._node(block, call), block.floats(6)
        physics = self._physics
        if node is not None:
            _try(call, values, lambda: physics.set_velocity(node, values))

    def _reset_physics(self, block: Reader) -> None:
        node = self._node(block, "wb_supervisor_node_reset_physics()")
        if node is not None:
            self._physics.stop([node])

    def _push(self, method: str, vectors: Sequence[str], block: Reader) -> None:
        """Pushes a Solid by the vectors that a request has in this order."""
        call = f"wb_supervisor_node_{method}()"
        node = self._solid(block, call)
        pushed = {name: np.array(block.floats(3)) for name in vectors}
        relative = bool(block.u8())
        if node is not None:
            physics = self._physics
            _try(
                call,
                np.concatenate([*pushed.values()]).tolist(),
                lambda: physics.push(node, relative=relative, **pushed),
            )

    def _save_state(self, block: Reader) -> None:
        node = self._node(block, "wb_supervisor_node_save_state()")
        name = block.string()
        if node is not None:
            self._view.scene.save_state(node, name)

    def _load_state(self, block: Reader) -> None:
        call = "wb_supervisor_node_load_state()"
        node, name = self._node(block, call), block.string()
        if node is not None and not self._view.scene.load_state(node, name):
            messages.error(call, f"no state was saved by the name {name!r}")

    def _set_joint_position(self, block: Reader) -> None:
        call = "wb_supervisor_node_set_joint_position()"
        node, position, axis = self._node(block, call), block.f64(), block.u32()
        if node is None:
            return
        if node.type not in JOINTS.values() or node.joint is None:
            messages.error(call, "the node is not a joint")
        elif not 1 <= axis <= node.joint.num_positions():
            axes = node.joint.num_positions()
            messages.error(call, f"the joint has {axes} axes")
        else:
            scene = self._view.scene
            _try(
                call,
                [position],
                lambda: scene.move_joint(node, axis - 1, position),
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


def _has_none(node: SceneNode, call: str) -> None:
    messages.error(
        call, f"a {node.type_name} does not have one ({node.name or node.id})"
    )


def _try(call: str, values: list[float], change: Callable[[], object]) -> None:
    """Tries a change; says so if it is refused."""
    if not are_fit(values):
        messages.error(call, "numbers must be finite")
        return
    with messages.refusals(call):
        change()
