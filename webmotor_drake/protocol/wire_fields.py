"""A supervisor's requests about fields: look-ups, values, tracked fields."""

import functools
import typing
from collections.abc import Callable

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.host import messages, supervision
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.protocol.framing import BadRequestError, Reader, packed
from webmotor_drake.protocol.wire_devices import Exchange
from webmotor_drake.protocol.wire_scene import INSIDE, SHOWN, WireScene

_T = FieldType
_NO_PROTO = b"\xff\xff\xff\xff"
_GET_FROM_INDEX, _GET_COUNT, _GET_FROM_NAME, _GET_VALUE = 64, 65, 87, 88
_SET_VALUE, _REMOVE_VALUE, _INSERT_VALUE = 62, 63, 89
Change = Callable[[], None]


class WireFields(WireScene):
    """The fields of the scene's nodes for one supervisor.

    Attributes:
        requests: layout of each request's fields, and the function that carries it
            out, by its number.

    Args:
        exchange: requests and tags of the robot's devices.
    """

    def __init__(self, exchange: Exchange):
        super().__init__(exchange)
        self._sets: list[Change] = []
        self.requests: dict[int, tuple[str, Callable[..., object]]] = {
            _SET_VALUE: ("IIIi*", self._set),
            _REMOVE_VALUE: ("IIi", self._remove),
            _GET_FROM_INDEX: ("I*", self._find_by_index),
            _GET_COUNT: ("IB", self._count),
            _GET_FROM_NAME: ("I*", self._find_by_name),
            _GET_VALUE: ("I*", self._get),
            _INSERT_VALUE: ("IIi*", self._insert),
            101: ("iiBB*", self._track),
        }

    def _proto(self, block: Reader) -> int:
        """Reads the index of a PROTO, which requests contain since R2025a."""
        if self.has_protos is None:
            self.has_protos = block.peek(4) == _NO_PROTO
        return block.one("i") if self.has_protos else SHOWN

    def _field(
        self, number: int, index: int, field_type: int | None = None
    ) -> SceneField:
        """Returns a field; refuses another type than the request names."""
        field = self.field(number, index)
        if field is None or field_type not in (None, field.type):
            raise BadRequestError(f"there is no field {index} of {number}")
        return field

    def _count(self, number: int, inside: int) -> None:
        level = _level(SHOWN, inside)
        node = self.node(number)
        count = len(self.fields(node, level)) if node else -1
        self.tell(_GET_COUNT, "i", count)

    def _find_by_name(self, number: int, block: Reader) -> None:
        proto, (name, inside) = self._proto(block), block.values("zB")
        level = _level(proto, inside)
        call = f"wb_supervisor_node_get_field({name!r})"
        node = self.wanted(number, call)
        fields = self.fields(node, level) if node is not None else []
        names = [field.name for field in fields]
        if fields and name not in names:
            problem = unknown_name("field", name, names)
            self.scene.say_once(call, problem)
        index = names.index(name) if name in names else -1
        self._tell_field(_GET_FROM_NAME, node, index, name, level)

    def _find_by_index(self, number: int, block: Reader) -> None:
        proto, (index, inside) = self._proto(block), block.values("IB")
        level = _level(proto, inside)
        node = self.node(number)
        fields = self.fields(node, level) if node is not None else []
        found = index if index < len(fields) else -1
        self._tell_field(_GET_FROM_INDEX, node, found, "", level)

    def _tell_field(
        self,
        message: int,
        node: SceneNode | None,
        index: int,
        name: str,
        level: int,
    ) -> None:
        field_type, count, actual = _T.NO_FIELD, -1, (-1, -1)
        if node is not None and index >= 0:
            field = self.fields(node, level)[index]
            field_type, name = field.type, field.name
            count = self.count(node, field, level)
            if level == 0:  # the PROTO's parameters
                actual = (node.id, index)
        head = index, field_type, level == INSIDE, count
        if self.has_protos:
            self.tell(message, "iiBiiiz", *head, *actual, name)
        else:
            self.tell(message, "iiBiz", *head, name)

    def _get(self, number: int, block: Reader) -> None:
        proto, (index, inside) = self._proto(block), block.values("IB")
        field = self.field(number, index, _level(proto, inside))
        place = None
        if field is not None and field.type.is_multiple:
            place = block.one("I")
        self._tell_value(number, index, field, place, proto)

    def _tell_value(
        self,
        number: int,
        index: int,
        field: SceneField | None,
        place: int | None,
        proto: int,
    ) -> None:
        """Adds a field's value to the next answer, or that its node has gone."""
        value: typing.Any = field.read() if field is not None else None
        if field is None or (place is not None and place >= len(value)):
            self.tell(_GET_VALUE, "i", 0)
            return
        told = packed("BiI", _GET_VALUE, field.type, number)
        if self.has_protos:
            told += packed("i", proto)
        told += packed("I", index)
        if place is not None:
            value = value[place]
        single = field.type.single
        if single == _T.SF_NODE:
            told += self.in_field(value)
        else:
            values = value if single.width > 1 else [value]
            told += packed(_layout(single), *values)
        self.fresh.append(told)

    def _set(
        self, number: int, index: int, kind: int, place: int, block: Reader
    ) -> None:
        if kind & 0x0F not in range(_T.SF_BOOL, _T.SF_NODE):
            raise BadRequestError(f"a field of type {kind}")
        value = _read_value(FieldType(kind & 0x0F), block)
        field = self._field(number, index, kind)
        self._queue(field, place, [value], set_it=True)

    def _queue(
        self,
        field: SceneField,
        place: int,
        values: list[typing.Any],
        *,
        set_it: bool,
    ) -> None:
        """Queues a new value, or a change of a list."""
        call = f"Field {field.name!r}"
        with messages.refusals(call):
            write = supervision.writer(field)
            for value in values:
                supervision.check_value(field.type.single, value)
            if not field.type.is_multiple and not values:
                raise InputError("it has one value, which stays")
            change = functools.partial(write, *values)
            if field.type.is_multiple:
                change = functools.partial(
                    supervision.change_list, field, place, values, set_it=set_it
                )
            self._sets.append(functools.partial(_tried, call, change))

    def finish(self) -> None:
        """Ends a block of requests: its values are set when time passes."""
        order, waiting = self.exchange.host.order, self.stepped.changes.waiting
        waiting += [(order, change) for change in self._sets]
        self._sets.clear()

    def _apply_now(self) -> None:
        """Applies the values before a list changes."""
        for change in self._sets:
            change()
        self._sets.clear()

    def _insert(
        self, number: int, index: int, place: int, block: Reader
    ) -> None:
        field, node = self._field(number, index), self.node(number)
        value = _read_value(field.type.single, block)
        if field.type.single != _T.SF_NODE:
            self._queue(field, place, [value], set_it=False)
            self._apply_now()
            return
        self._apply_now()
        new = self._import(node, field, place, value)
        self.tell(_INSERT_VALUE, "i", new)

    def _import(
        self, node: SceneNode, field: SceneField, place: int, wanted: str
    ) -> int:
        """Brings nodes into the world; returns the id of the first, or -1."""
        scene, call = self.scene, f"Field {field.name!r}: import"
        place = min(max(place, 0), len(node.children))
        with messages.refusals(call):
            supervision.check_parent(node, field.name)
            return supervision.import_into(scene, call, wanted, node, place).id
        return -1

    def _remove(self, number: int, index: int, place: int) -> None:
        field = self._field(number, index)
        self._apply_now()
        call = f"Field {field.name!r}: remove"
        if field.type == _T.MF_NODE:
            nodes = field.read()
            if 0 <= place < len(nodes):
                with messages.refusals(call):
                    self.scene.stock.remove(nodes[place])
        elif field.type == _T.SF_NODE:
            messages.error(call, "only models can be removed")
        else:
            self._queue(field, place, [], set_it=True)
            self._apply_now()

    def _track(
        self, number: int, index: int, inside: int, on: int, block: Reader
    ) -> None:
        level = _level(SHOWN, inside)

        def tell() -> None:
            field = self.field(number, index, level)
            if field is not None and not field.type.is_multiple:
                self._tell_value(number, index, field, None, SHOWN)

        self.track((_GET_VALUE, number, index, level), on, block, tell)


def _layout(kind: FieldType) -> str:
    """Returns the layout of one value of a field; a node has that of its text."""
    layouts = {_T.SF_BOOL: "B", _T.SF_INT32: "i", _T.SF_FLOAT: "d"}
    return layouts.get(kind) or (f"{kind.width}d" if kind.width else "z")


def _read_value(kind: FieldType, block: Reader) -> typing.Any:
    value = block.one(_layout(kind))
    return bool(value) if kind == _T.SF_BOOL else value


def _level(proto: int, inside: int) -> int:
    """Returns the level of a request's fields, by its PROTO and "search in PROTO"."""
    return INSIDE if proto < 0 and inside else proto


def _tried(call: str, change: Change) -> None:
    """Makes a change; prints an error if it is refused."""
    with messages.refusals(call):
        change()
