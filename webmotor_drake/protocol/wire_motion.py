"""A supervisor's requests of a node: poses, velocities, forces, contacts, states."""

import functools
import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake.host import messages, supervision
from webmotor_drake.protocol.reader import Reader, packed
from webmotor_drake.protocol.wire_scene import WireScene

_POSE, _CONTACT_POINTS = 92, 94


class _Asked(typing.NamedTuple):
    """A request of a node.

    Attributes:
        name: its name in C, behind "wb_supervisor_node_".
        layout: layout of the fields behind the node's number.
        do: function that carries it out, see `supervision`.
        answer: layout of the answer; "": none is told.
    """

    name: str
    layout: str
    do: Callable[..., typing.Any]
    answer: str = ""


_ASKED = {
    66: _Asked("set_velocity", "6d", supervision.set_velocity),
    67: _Asked("reset_physics", "", supervision.stop),
    71: _Asked("add_force", "3dB", supervision.add_force),
    72: _Asked(
        "add_force_with_offset", "3d3dB", supervision.add_force_with_offset
    ),
    73: _Asked("add_torque", "3dB", supervision.add_torque),
    74: _Asked("save_state", "z", supervision.save_state),
    75: _Asked("load_state", "z", supervision.load_state),
    76: _Asked("set_joint_position", "dI", supervision.move_joint),
    90: _Asked("get_position", "", supervision.position, "3d"),
    91: _Asked("get_orientation", "", supervision.orientation, "9d"),
    93: _Asked("get_center_of_mass", "", supervision.center_of_mass, "3d"),
    95: _Asked("get_static_balance", "", supervision.static_balance, "B"),
    96: _Asked("get_velocity", "", supervision.velocity, "6d"),
    97: _Asked("remove", "", supervision.remove),
}
_POSE_ASKED = _Asked("get_pose", "", supervision.pose)


class WireMotion:
    """The motion of the scene's nodes for one supervisor.

    Attributes:
        requests: layout of each request's fields, and the function that carries it
            out, by its number.

    Args:
        view: the scene as the client knows it.
    """

    def __init__(self, view: WireScene):
        self._view = view
        self.requests: dict[int, tuple[str, Callable[..., None]]] = {
            number: (f"I{asked.layout}", self._teller(number, asked))
            for number, asked in _ASKED.items()
        }
        self.requests |= {
            _POSE: ("II", self._tell_pose),
            _CONTACT_POINTS: ("IB", self._tell_contact_points),
            102: ("IIB*", self._track_pose),
            103: ("IBB*", self._track_contact_points),
        }

    def _teller(self, number: int, asked: _Asked) -> Callable[..., None]:
        """Returns the function that carries out a request, and tells its answer."""

        def carry_out(node: int, *values: typing.Any) -> None:
            found = self._try(asked, node, *values)
            if found is not None and asked.answer:
                self._view.tell(number, asked.answer, *np.ravel(found).tolist())

        return carry_out

    def _try(
        self, asked: _Asked, number: int, *values: typing.Any
    ) -> typing.Any:
        """Returns the answer to a request; None, told, if it is refused."""
        call = f"wb_supervisor_node_{asked.name}()"
        node = self._view.wanted(number, call)
        with messages.refusals(call):
            if node is not None:
                return asked.do(self._view.scene, node, *values)
        return None

    def _tell_pose(self, from_number: int, number: int) -> None:
        pose = self._try(_POSE_ASKED, number)
        if pose is not None and from_number:
            base = self._try(_POSE_ASKED, from_number)
            pose = None if base is None else np.linalg.inv(base) @ pose
        if pose is not None:
            self._view.tell(_POSE, "II16d", from_number, number, *pose.ravel())

    def _tell_contact_points(self, number: int, descendants: int) -> None:
        """Tells them, also of a node without any: the client waits for the answer."""
        node, points = self._view.node(number), []
        if node is not None:
            points = supervision.contacts(
                self._view.scene, node, descendants=bool(descendants)
            )
        told = [packed("3di", *point, of) for point, of in points]
        head = _CONTACT_POINTS, number, descendants, len(told)
        self._view.fresh.append(packed("BIBi", *head) + b"".join(told))

    def _track_pose(
        self, from_number: int, number: int, on: int, block: Reader
    ) -> None:
        tell = functools.partial(self._tell_pose, from_number, number)
        self._view.track((_POSE, from_number, number), on, block, tell)

    def _track_contact_points(
        self, number: int, descendants: int, on: int, block: Reader
    ) -> None:
        def tell() -> None:
            if self._view.node(number) is not None:
                self._tell_contact_points(number, descendants)

        # Its client does not say which it does not want any more.
        for which in (descendants,) if on else (0, 1):
            key = _CONTACT_POINTS, number, which
            self._view.track(key, on, block, tell)
