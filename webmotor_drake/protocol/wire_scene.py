"""The scene as the client of a supervisor knows it: nodes and fields by numbers.

The client remembers each node that it was told of, and the length of its lists. So
each answer tells the nodes that have gone and the lists whose length has changed
(supervisor.c, WbSupervisorUtilities.cpp).
"""

import typing
from collections.abc import Callable

from webmotor_drake.host import messages
from webmotor_drake.host.scene.node_fields import fields_of
from webmotor_drake.host.scene.proto_fields import parameters_of, shown_fields
from webmotor_drake.host.scene.scene import Scene, scene_of
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.protocol.framing import Reader, packed
from webmotor_drake.protocol.wire_devices import Exchange

_FIELD_COUNT_CHANGED, _NODE_REMOVED = 20, 97
_OTHERS_TAG = -1
# The level of a node's fields: INSIDE, its own fields, even in an instance of a PROTO;
# 0, the parameters of its PROTO; 1, those of the PROTO that this one derives from ...
INSIDE, SHOWN = -2, -1


class WireScene:
    """The nodes of the scene that a supervisor's client knows, and news of them.

    Attributes:
        stepped: the simulation.
        fresh: messages for the next answer, without their tag.
        tracked: functions that add a pose or field to each answer, by its numbers.
        has_protos: True if the client's requests contain the index of a PROTO, as
            since R2025a; None: not known yet.

    Args:
        exchange: requests and tags of the robot's devices.
    """

    def __init__(self, exchange: Exchange):
        self.exchange, self.stepped = exchange, exchange.host.stepped
        self.fresh: list[bytes] = []
        self.has_protos: bool | None = None
        self.tracked: dict[tuple[int, ...], Callable[[], None]] = {}
        self._known: dict[int, SceneNode] = {}
        self._counts: dict[tuple[int, int, str], int] = {}
        self._known_fields: dict[tuple[int, int], list[SceneField]] = {}

    @property
    def scene(self) -> Scene:
        """The world of the simulation."""
        return scene_of(self.stepped)

    def forget(self) -> None:
        """Forgets the client that has left."""
        self.fresh.clear()
        self.has_protos = None
        self.tracked.clear()
        self._known.clear()
        self._counts.clear()
        self._known_fields.clear()

    def tell(self, number: int, layout: str, *values: typing.Any) -> None:
        """Adds a message to the next answer.

        Args:
            number: number of the message.
            layout: layout of its values, see `framing`.
            values: its values.
        """
        self.fresh.append(packed(f"B{layout}", number, *values))

    def track(
        self,
        what: tuple[int, ...],
        on: int,
        block: Reader,
        tell: Callable[[], None],
    ) -> None:
        """Adds a pose or field to those in each answer, or removes it.

        Args:
            what: numbers that identify it.
            on: 1 to add it; then the request has a period, which is always 0.
            block: the request.
            tell: function that adds its message to an answer.
        """
        self.tracked.pop(what, None)
        if on:
            block.one("i")
            self.tracked[what] = tell

    def node(self, number: int) -> SceneNode | None:
        """Returns the node with an id, if it is in the world."""
        return self.scene.node(number)

    def wanted(self, number: int, call: str) -> SceneNode | None:
        """Returns the node with an id; prints an error if it is not in the world."""
        node = self.node(number)
        if node is None:
            messages.error(call, f"there is no node {number} in the world")
        return node

    def _tag(self, node: SceneNode) -> int:
        """Returns the tag of a device of this robot; -1: it is another node."""
        if node.robot != self.exchange.host.name:
            return _OTHERS_TAG
        return self.exchange.tags.get(node.tag, _OTHERS_TAG)

    def head(self, node: SceneNode) -> bytes:
        """Returns id, type, tag, parent and whether it is an instance of a PROTO."""
        self._known[node.id] = node
        parent = node.parent.id if node.parent is not None else 0
        tag, is_proto = self._tag(node), bool(node.protos)
        return packed("IIiIB", node.id, node.type, tag, parent, is_proto)

    def described(self, node: SceneNode) -> bytes:
        """Returns a node for other look-ups; every node counts as outside of PROTOs."""
        return self.head(node) + b"\0" + self._names(node)

    def in_field(self, node: SceneNode | None) -> bytes:
        """Returns a node as a field's value; None is NULL."""
        if node is None:
            return bytes(4)
        return self.head(node) + self._names(node)

    def _names(self, node: SceneNode) -> bytes:
        return packed("zz", node.type_name, node.definition)

    def fields(self, node: SceneNode, level: int = SHOWN) -> list[SceneField]:
        """Returns the fields of a node, in the order of their numbers.

        Args:
            node: node in the world.
            level: `INSIDE`, `SHOWN` or the number of a PROTO.
        """
        if (node.id, level) not in self._known_fields:
            if level == SHOWN:
                found = shown_fields(self.scene, node)
            elif 0 <= level < len(node.protos):
                found = parameters_of(self.scene, node, level)
            else:
                found = fields_of(self.scene, node)
            self._known_fields[node.id, level] = list(found.values())
        return self._known_fields[node.id, level]

    def field(
        self, node_id: int, index: int, level: int = SHOWN
    ) -> SceneField | None:
        """Returns a field by its numbers, if its node is in the world."""
        node = self.node(node_id)
        fields = self.fields(node, level) if node is not None else []
        return fields[index] if 0 <= index < len(fields) else None

    def count(
        self, node: SceneNode, field: SceneField, level: int = SHOWN
    ) -> int:
        """Returns the number of a field's values, and notes that the client knows it.

        A field with one value has -1, one with a node 1 or 0.
        """
        if field.type == FieldType.SF_NODE:
            return int(field.read() is not None)
        if not field.type.is_multiple:
            return -1
        count = len(field.read())
        self._counts[node.id, level, field.name] = count
        return count

    def tell_changes(self) -> None:
        """Adds the known nodes and lists that have changed to the next answer."""
        for number, node in tuple(self._known.items()):
            if not self.scene.is_here(node):
                del self._known[number]
                for key in [k for k in self._known_fields if k[0] == number]:
                    del self._known_fields[key]
                self.tell(_NODE_REMOVED, "I", number)
        for (number, level, name), told in tuple(self._counts.items()):
            node = self.node(number)
            if node is None:
                del self._counts[number, level, name]
                continue
            fields = self.fields(node, level)
            field = next(f for f in fields if f.name == name)
            count = self.count(node, field, level)
            if count != told:
                self.tell(_FIELD_COUNT_CHANGED, "izi", number, name, count)
