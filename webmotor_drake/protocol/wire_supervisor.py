"""A supervisor on the wire: its requests and their answers (supervisor.c).

Python controllers use the same scene and the same functions of `host/supervision`.
"""

import functools
import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake.errors import unknown_name
from webmotor_drake.host import messages, supervision
from webmotor_drake.host.scene.node_string import node_string
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.protocol.framing import Reader, packed
from webmotor_drake.protocol.wire_devices import Exchange
from webmotor_drake.protocol.wire_fields import WireFields

_POSE, _CONTACT_POINTS = 92, 94


class _Asked(typing.NamedTuple):
    """A request about a node: its name in C, and the layouts of request and answer."""

    name: str
    layout: str
    do: Callable[..., typing.Any]
    answer: str = ""


_ASKED = {
    66: _Asked("set_velocity", "6d", supervision.set_velocity),
    67: _Asked("reset_physics", "", supervision.stop),
    68: _Asked("restart_controller", "", supervision.restart_controller),
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


_PROTO, _FROM_ID, _FROM_DEF, _FROM_TAG = 78, 83, 84, 85
_EXPORT_STRING, _SAVED, _MODE_CHANGED = 77, 82, 10
_ANIMATION_BEGUN, _ANIMATION_SAVED, _HEADSET_USED = 16, 17, 98
_MOVIE_STATUS, _MOVIE_FAILED = 18, 3

# Requests that are refused: their layout, name in C, the reason, and number and
# value of the answer, if there is one.
_CAMERAS = f"{supervision.NO_PICTURE}a Camera has wb_camera_save_image()"
_REFUSED: dict[int, tuple[str, str, str, tuple[int, ...]]] = {
    50: ("Bz", "export_image", _CAMERAS, ()),
    51: ("z", "world_load", supervision.ONE_SCENARIO, ()),
    58: (
        "12xz",
        "movie_start_recording",
        supervision.DRAWN_INSTEAD,
        (_MOVIE_STATUS, _MOVIE_FAILED),
    ),
    60: (
        "z",
        "animation_start_recording",
        supervision.DRAWN_INSTEAD,
        (_ANIMATION_BEGUN, 0),
    ),
    69: ("9x", "node_set_visibility", supervision.NO_HIDING, ()),
}
# Requests without effect: stop a movie, move the viewpoint, find the selection, and
# locate a headset.
_IDLE = {59: "", 70: "4x", 86: "", 99: "", 100: ""}


class WireSupervisor(WireFields):
    """The requests of a robot that may see and change all of the world.

    Attributes:
        requests: all requests, in the form of `WireFields.requests`.

    Args:
        exchange: requests and tags of the robot's devices.
    """

    def __init__(self, exchange: Exchange):
        super().__init__(exchange)
        self._mode = supervision.present_mode(self.stepped)
        self.requests |= {
            **{
                number: (f"I{asked.layout}", self._teller(number, asked))
                for number, asked in _ASKED.items()
            },
            _POSE: ("II", self._tell_pose),
            _CONTACT_POINTS: ("IB", self._tell_contact_points),
            102: ("IIB*", self._track_pose),
            103: ("IBB*", self._track_contact_points),
            **{number: self._refused(*it) for number, it in _REFUSED.items()},
            **{n: (layout, lambda *_: None) for n, layout in _IDLE.items()},
            52: ("", self._reload),
            53: (
                "H28xzz",
                lambda n, text, _: self.scene.labels.update({n: text}),
            ),
            54: (
                "i",
                lambda status: supervision.quit_run(self.stepped, status),
            ),
            55: ("", lambda: setattr(self.stepped.changes, "reset", True)),
            56: ("i", self._change_mode),
            57: ("", lambda: supervision.stop(self.scene, self.scene.root)),
            61: ("", lambda: self.tell(_ANIMATION_SAVED, "B", 0)),
            _EXPORT_STRING: ("I", self._export_string),
            _PROTO: ("Ii", self._tell_proto),
            _SAVED: ("B*", self._save_world),
            _FROM_ID: ("I", lambda n: self._tell_node(_FROM_ID, self.node(n))),
            _FROM_DEF: ("zi", self._from_def),
            _FROM_TAG: ("i", self._from_tag),
            _HEADSET_USED: ("", lambda: self.tell(_HEADSET_USED, "B", 0)),
        }

    def configuration(self) -> bytes:
        """Returns the message that makes a robot a supervisor, without its tag."""
        self.forget()
        self._mode = supervision.present_mode(self.stepped)
        node = self.scene.tree.model(self.exchange.host.name)
        parent = node.parent.id if node.parent is not None else 0
        head = 0, node.id, parent, bool(node.protos), 0
        return packed("BIIBBzz", *head, node.type_name, node.definition)

    def answer(self, *, is_step: bool) -> list[bytes]:
        """Returns the messages that the client has not got yet, without their tag."""
        if is_step:
            for tell in self.tracked.values():
                tell()
        self.tell_changes()
        mode = supervision.present_mode(self.stepped)
        if mode != self._mode:
            self._mode = mode
            self.tell(_MODE_CHANGED, "i", mode)
        told = list(self.fresh)
        self.fresh.clear()
        return told

    def leave(self) -> None:
        """Forgets the client that has left."""
        self.finish()
        self.forget()

    def _tell_node(self, message: int, node: SceneNode | None) -> None:
        if node is not None:
            self.fresh.append(bytes([message]) + self.described(node))

    def _from_tag(self, wire_tag: int) -> None:
        exchange = self.exchange
        tags = {wire: tag for tag, wire in exchange.tags.items()}
        if wire_tag in tags:
            node = self.scene.device(exchange.host.name, tags[wire_tag])
            self._tell_node(_FROM_TAG, node)

    def _from_def(self, definition: str, proto: int) -> None:
        scene = self.scene
        if proto < 0:
            node = scene.find(definition)
        else:
            base = self.node(proto)
            node = scene.find_in(base, definition) if base else None
        if node is None:
            if proto < 0:
                known = scene.definitions()
                problem = unknown_name("DEF or model", definition, known)
                call = f"wb_supervisor_node_get_from_def({definition!r})"
                scene.say_once(call, problem)
            self.tell(_FROM_DEF, "IIiIBz", 0, 0, -1, 0, 0, "")
            return
        told = self.head(node) + packed("z", node.type_name)
        self.fresh.append(bytes([_FROM_DEF]) + told)
        if node.definition != definition.rpartition(".")[2]:
            self._tell_node(_FROM_ID, node)  # the client takes it for its DEF

    def _tell_proto(self, number: int, level: int) -> None:
        """Tells the client a node's PROTO, or the one that a PROTO derives from."""
        self.has_protos = True  # older clients do not ask
        node, level = self.node(number), level + 1
        protos = node.protos if node is not None else []
        told: tuple[int | str, ...] = (-1, 0, 0, "")
        if node is not None and 0 <= level < len(protos):
            derived = level + 1 < len(protos)
            count = len(self.fields(node, level))
            told = level, derived, count, protos[level].name
        self.tell(_PROTO, "iBiz", *told)

    def _export_string(self, number: int) -> None:
        node = self.node(number)
        told = node_string(self.scene, node) if node is not None else ""
        self.tell(_EXPORT_STRING, "z", told)

    def _change_mode(self, wanted: int) -> None:
        self._mode = wanted  # the client expects it; the answer corrects it
        if problem := supervision.set_mode(self.stepped, wanted):
            messages.error("wb_supervisor_simulation_set_mode()", problem)

    def _reload(self) -> None:
        if not self.stepped.over and (problem := self.stepped.rhythm.reload()):
            messages.error("wb_supervisor_world_reload()", problem)

    def _save_world(self, named: int, block: Reader) -> None:
        if named:
            block.one("z")
        messages.error("wb_supervisor_world_save()", supervision.NO_SAVING)
        self.tell(_SAVED, "B", 0)

    def _teller(self, number: int, asked: _Asked) -> Callable[..., None]:
        def carry_out(node: int, *values: typing.Any) -> None:
            found = self._try(asked, node, *values)
            if found is not None and asked.answer:
                self.tell(number, asked.answer, *np.ravel(found).tolist())

        return carry_out

    def _try(
        self, asked: _Asked, number: int, *values: typing.Any
    ) -> typing.Any:
        """Returns the answer to a request; None, with an error, if it is refused."""
        call = f"wb_supervisor_node_{asked.name}()"
        node = self.wanted(number, call)
        with messages.refusals(call):
            if node is not None:
                return asked.do(self.scene, node, *values)
        return None

    def _tell_pose(self, from_number: int, number: int) -> None:
        pose = self._try(_POSE_ASKED, number)
        if pose is not None and from_number:
            base = self._try(_POSE_ASKED, from_number)
            pose = None if base is None else np.linalg.inv(base) @ pose
        if pose is not None:
            self.tell(_POSE, "II16d", from_number, number, *pose.ravel())

    def _tell_contact_points(self, number: int, descendants: int) -> None:
        """Adds the contact points, even if none: the client waits for the answer."""
        node, points = self.node(number), []
        if node is not None:
            points = supervision.contacts(
                self.scene, node, descendants=bool(descendants)
            )
        told = [packed("3di", *point, of) for point, of in points]
        head = _CONTACT_POINTS, number, descendants, len(told)
        self.fresh.append(packed("BIBi", *head) + b"".join(told))

    def _track_pose(
        self, from_number: int, number: int, on: int, block: Reader
    ) -> None:
        tell = functools.partial(self._tell_pose, from_number, number)
        self.track((_POSE, from_number, number), on, block, tell)

    def _track_contact_points(
        self, number: int, descendants: int, on: int, block: Reader
    ) -> None:
        def tell() -> None:
            if self.node(number) is not None:
                self._tell_contact_points(number, descendants)

        # At a stop the client does not say which of both it means.
        for which in (descendants,) if on else (0, 1):
            key = _CONTACT_POINTS, number, which
            self.track(key, on, block, tell)

    def _refused(
        self, layout: str, name: str, problem: str, answer: tuple[int, ...]
    ) -> tuple[str, Callable[..., None]]:
        def carry_out(*values: typing.Any) -> None:
            messages.error(f"wb_supervisor_{name}()", problem)
            if answer:
                self.tell(answer[0], "B", answer[1])

        return layout, carry_out
