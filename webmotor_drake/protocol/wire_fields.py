"""A supervisor's requests about fields: look-ups, values, what is tracked."""

import functools
import struct
import typing
from collections.abc import Callable

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.host import messages
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.supervision import (
    change_list,
    check_parent,
    import_into,
    writer,
)
from webmotor_drake.protocol.reader import BadRequestError, Reader, text
from webmotor_drake.protocol.wire_scene import INSIDE, SHOWN, WireScene
from webmotor_drake.protocol.wire_values import check_value, packed, read_value

_T = FieldType
_NO_PROTO = b"\xff\xff\xff\xff"
_GET_FROM_INDEX, _GET_COUNT, _GET_FROM_NAME, _GET_VALUE = 64, 65, 87, 88
_SET_VALUE, _REMOVE_VALUE, _INSERT_VALUE = 62, 63, 89
Change = Callable[[], None]


class WireFields:
    """The fields of the scene's nodes for one supervisor.

    Attributes:
        commands: what carries out a request, by its number.
        tracked: what each answer tells, by node and field.

    Args:
        view: the scene as the client knows it.
        want: queues a change for when time passes.
    """

    def __init__(self, view: WireScene, want: Callable[[Change], None]):
        self._view = view
        self._want = want
        self._sets: list[Change] = []
        self.tracked: dict[tuple[int, int, int], None] = {}
        self.commands = {
            _SET_VALUE: self._set,
            _REMOVE_VALUE: self._remove,
            _GET_FROM_INDEX: self._find_by_index,
            _GET_COUNT: self._count,
            _GET_FROM_NAME: self._find_by_name,
            _GET_VALUE: self._get,
            _INSERT_VALUE: self._insert,
            101: self._track,
        }

    def _proto(self, block: Reader) -> int:
        """Reads the index of a PROTO, which requests have since R2025a."""
        if self._view.has_protos is None:
            self._view.has_protos = block.peek(4) == _NO_PROTO
        return block.i32() if self._view.has_protos else SHOWN

    def _field(
        self, number: int, index: int, field_type: int | None = None
    ) -> SceneField:
        """Returns a field, of the type that a request says."""
        field = self._view.field(number, index)
        if field is None or field_type not in (None, field.type):
            raise BadRequestError(f"there is no field {index} of {number}")
        return field

    def _count(self, block: Reader) -> None:
        number = block.u32()
        level = _level(SHOWN, block.u8())
        node = self._view.node(number)
        count = len(self._view.fields(node, level)) if node else -1
        self._view.tell(_GET_COUNT, "i", count)

    def _find_by_name(self, block: Reader) -> None:
        number = block.u32()
        proto, name = self._proto(block), block.string()
        level = _level(proto, block.u8())
        call = f"wb_supervisor_node_get_field({name!r})"
        node = self._view.wanted(number, call)
        fields = self._view.fields(node, level) if node is not None else []
        names = [field.name for field in fields]
        if fields and name not in names:
            problem = unknown_name("field", name, names)
            self._view.scene.say_once(call, problem)
        index = names.index(name) if name in names else -1
        self._tell_field(_GET_FROM_NAME, node, index, name, level)

    def _find_by_index(self, block: Reader) -> None:
        number = block.u32()
        proto, index = self._proto(block), block.u32()
        level = _level(proto, block.u8())
        node = self._view.node(number)
        fields = self._view.fields(node, level) if node is not None else []
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
            field = self._view.fields(node, level)[index]
            field_type, name = field.type, field.name
            count = self._view.count(node, field, level)
            if level == 0:  # the parameters that the node shows
                actual = (node.id, index)
        is_inside = level == INSIDE
        told = struct.pack(
            "<BiiBi", message, index, field_type, is_inside, count
        )
        if self._view.has_protos:
            told += struct.pack("<ii", *actual)
        self._view.fresh.append(told + text(name))

    def _get(self, block: Reader) -> None:
        number = block.u32()
        proto, index = self._proto(block), block.u32()
        field = self._view.field(number, index, _level(proto, block.u8()))
        place = None
        if field is not None and field.type.is_multiple:
            place = block.u32()
        self._tell_value(number, index, field, place, proto)

    def _tell_value(
        self,
        number: int,
        index: int,
        field: SceneField | None,
        place: int | None,
        proto: int,
    ) -> None:
        """Tells the value of a field, or that its node has gone."""
        value: typing.Any = field.read() if field is not None else None
        if field is None or (place is not None and place >= len(value)):
            self._view.tell(_GET_VALUE, "i", 0)
            return
        told = struct.pack("<BiI", _GET_VALUE, field.type, number)
        if self._view.has_protos:
            told += struct.pack("<i", proto)
        told += struct.pack("<I", index)
        if place is not None:
            value = value[place]
        single = field.type.single
        if single == _T.SF_NODE:
            told += self._view.in_field(value)
        else:
            told += packed(single, value)
        self._view.fresh.append(told)

    def _set(self, block: Reader) -> None:
        number, index = block.u32(), block.u32()
        field_type, place = block.u32(), block.i32()
        if field_type & 0x0F not in range(_T.SF_BOOL, _T.SF_NODE):
            raise BadRequestError(f"a field of type {field_type}")
        single = FieldType(field_type & 0x0F)
        value = read_value(single, block)
        field = self._field(number, index, field_type)
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
            write = writer(field)
            for value in values:
                check_value(field.type.single, value)
            if not field.type.is_multiple and not values:
                raise InputError("it has one value, which stays")
            change = functools.partial(write, *values)
            if field.type.is_multiple:
                change = functools.partial(
                    *(change_list, field, place, values), set_it=set_it
                )
            self._sets.append(functools.partial(_tried, call, change))

    def finish(self) -> None:
        """Ends a block: what was set acts when time passes."""
        for change in self._sets:
            self._want(change)
        self._sets.clear()

    def _apply_now(self) -> None:
        """Applies what was set before a list changes."""
        for change in self._sets:
            change()
        self._sets.clear()

    def _insert(self, block: Reader) -> None:
        number, index, place = block.u32(), block.u32(), block.i32()
        field, node = self._field(number, index), self._view.node(number)
        value = read_value(field.type.single, block)
        if field.type.single != _T.SF_NODE:
            self._queue(field, place, [value], set_it=False)
            self._apply_now()
            return
        self._apply_now()
        new = self._import(node, field, place, value)
        self._view.tell(_INSERT_VALUE, "i", new)

    def _import(
        self, node: SceneNode, field: SceneField, place: int, wanted: str
    ) -> int:
        """Brings nodes into the world; returns the id of the first, or -1."""
        scene, call = self._view.scene, f"Field {field.name!r}: import"
        place = min(max(place, 0), len(node.children))
        with messages.refusals(call):
            check_parent(node, field.name)
            return import_into(scene, call, wanted, node, place).id
        return -1

    def _remove(self, block: Reader) -> None:
        number, index, place = block.u32(), block.u32(), block.i32()
        field = self._field(number, index)
        self._apply_now()
        call = f"Field {field.name!r}: remove"
        if field.type == _T.MF_NODE:
            nodes = field.read()
            if 0 <= place < len(nodes):
                with messages.refusals(call):
                    self._view.scene.stock.remove(nodes[place])
        elif field.type == _T.SF_NODE:
            messages.error(call, "only models can be removed")
        else:
            self._queue(field, place, [], set_it=True)
            self._apply_now()

    def _track(self, block: Reader) -> None:
        number, index = block.i32(), block.i32()
        which = number, index, _level(SHOWN, block.u8())
        if block.u8():
            block.i32()
            self.tracked[which] = None
        else:
            self.tracked.pop(which, None)

    def tell_tracked(self) -> None:
        """Has the answer to a step tell the values that are tracked."""
        for number, index, level in self.tracked:
            field = self._view.field(number, index, level)
            if field is not None and not field.type.is_multiple:
                self._tell_value(number, index, field, None, SHOWN)


def _level(proto: int, inside: int) -> int:
    """Returns which fields a request means, by its PROTO and "search in PROTO"."""
    return INSIDE if proto < 0 and inside else proto


def _tried(call: str, change: Change) -> None:
    """Tries a change; says so if it is refused."""
    with messages.refusals(call):
        change()
