"""Webots' Field: a value of a node."""

import functools
import math
import typing
from collections.abc import Callable
from pathlib import Path

from webmotor_drake.controllers.devices.supervised import Supervised, numbers
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages, supervision
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode

_T = FieldType
Value = typing.TypeVar("Value")

# The fewest numbers that are needed: Webots takes 0 for missing ones.
_LEAST = {_T.SF_VEC3F: 2, _T.SF_COLOR: 2, _T.SF_ROTATION: 3}

# The values of a getter of the wrong type.
_DEFAULTS = {
    _T.SF_BOOL: False,
    _T.SF_INT32: 0,
    _T.SF_FLOAT: 0.0,
    _T.SF_STRING: "",
}


def _single(
    wanted: FieldType, kind: type[Value]
) -> tuple[Callable[["Field"], Value], Callable[["Field", Value], None]]:
    """Returns getter and setter for a type of fields; `kind` is for type checkers."""

    def get(self: "Field") -> typing.Any:
        return self._get(wanted, get.__name__)

    def set(self: "Field", value: Value) -> None:
        self._set(wanted, set.__name__, value)

    get.__name__ = f"get{wanted.webots_name}"
    set.__name__ = f"set{wanted.webots_name}"
    get.__doc__ = "Returns the value of a field of this type."
    set.__doc__ = "Sets the `value` of a field of this type."
    return get, set


def _of_list(
    wanted: FieldType, kind: type[Value]
) -> Callable[["Field", int], Value]:
    """Returns the getter of one value of a list; see `_single`."""

    def get(self: "Field", index: int) -> typing.Any:
        return self._get(wanted, get.__name__, index)

    get.__name__ = f"get{wanted.webots_name}"
    get.__doc__ = (
        "Returns the value at `index`, a `Node` or not; -1 is the last."
    )
    return get


_LISTS = [
    field_type.webots_name
    for field_type in FieldType
    if field_type.is_multiple and field_type != FieldType.MF_NODE
]


class Field(Supervised):
    """A field of a node, as `Node.getField` gives it.

    A value that is set acts just before time passes the next time, in the order of the
    robots; a getter before that returns it already. All other calls act at once.

    Attributes:
        type: one of SF_BOOL to MF_NODE.

    Args:
        client: the supervisor's side.
        node: node that has the field.
        field: the scene's field.
        make_node: function that makes the `Node` of a node in the scene.
    """

    SF_BOOL, SF_INT32, SF_FLOAT, SF_VEC2F, SF_VEC3F = range(1, 6)
    SF_ROTATION, SF_COLOR, SF_STRING, SF_NODE = range(6, 10)
    MF, MF_BOOL, MF_INT32, MF_FLOAT, MF_VEC2F, MF_VEC3F = range(16, 22)
    MF_ROTATION, MF_COLOR, MF_STRING, MF_NODE = range(22, 26)

    def __init__(
        self,
        client: Client,
        node: SceneNode,
        field: SceneField,
        make_node: Callable[[SceneNode], typing.Any],
    ):
        super().__init__(client)
        self._node, self._field = node, field
        self._make_node = make_node
        self.type = int(field.type)

    def __repr__(self) -> str:
        return f"Field({self._field.name!r} of {self._node.name!r})"

    def getName(self) -> str:
        """Returns the field's name."""
        return self._field.name

    def getType(self) -> int:
        """Returns the field's type."""
        return self.type

    def getTypeName(self) -> str:
        """Returns the name of the type, such as "SFVec3f"."""
        return self._field.type.webots_name

    def getCount(self) -> int:
        """Returns the number of values of a list; -1 for a single value."""
        if not self._field.type.is_multiple:
            return -1
        return (
            len(self._field.read()) if self._ask(self._call("getCount")) else -1
        )

    def getActualField(self) -> "Field":
        """Returns this field, which already reads and sets the actual field."""
        return self

    enableSFTracking = disableSFTracking = Supervised._track
    name = property(getName)
    type_name = property(getTypeName)
    count = property(getCount)

    def __getattr__(self, name: str) -> typing.Any:
        """Returns setMFBool, insertMFFloat and so on; most lists cannot change here."""
        verb, _, kind = name.partition("MF")
        if verb not in ("set", "insert") or f"MF{kind}" not in _LISTS:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )

        def change(index: int, value: typing.Any) -> None:
            call = self._call(name)
            wanted = FieldType[f"MF_{kind.upper()}"]
            if not self._may(call) or not self._is(wanted, call):
                return
            checked = self._checked(wanted.single, call, value)
            if checked is not None:
                self._change_list(call, index, [checked], set_it=verb == "set")

        return change

    def _change_list(
        self, call: str, index: int, values: list[typing.Any], *, set_it: bool
    ) -> None:
        """Sets a value of a list, inserts one, or removes one, at once."""
        with messages.refusals(call):
            supervision.change_list(self._field, index, values, set_it=set_it)

    def importMFNodeFromString(self, position: int, nodeString: str) -> None:
        """Brings a node into the world, at once.

        Args:
            position: its place among the children; -1: the last.
            nodeString: such as ``DEF BALL Ball { translation 0 0 1 }`` with a type
                of the scenario's `spares`, whose translation, rotation and name
                count; or a Solid, Shape, Pose, Transform or Group of boxes,
                spheres, cylinders and capsules; or an instance of a PROTO (the
                world's own, or our replacement) that stands for such a node.
        """
        call = self._call("importMFNodeFromString")
        if not self._may(call) or not self._is(_T.MF_NODE, call):
            return
        with messages.refusals(call):
            supervision.check_parent(self._node)
            place = supervision.place_in(len(self._node.children) + 1, position)
            if self._now(call):
                text = str(nodeString)
                supervision.import_into(
                    self._scene, call, text, self._node, place
                )

    def importMFNode(self, position: int, filename: str) -> None:
        """Brings the nodes of a .wbo file into the world, as Webots did until R2022b.

        Args:
            position: its place among the children; -1: the last.
            filename: name of the file, relative to the current folder; its nodes are as
                for `importMFNodeFromString`.
        """
        try:
            text = Path(filename).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            messages.error(
                self._call("importMFNode"),
                f"{filename} cannot be read: {error}",
            )
            return
        self.importMFNodeFromString(position, text)

    def _now(self, call: str) -> bool:
        """Sets queued values at once, before another change is made at once."""
        if not self._ask(call):
            return False
        fields, self._client.fields = self._client.fields, {}
        for value, change in fields.values():
            change(value)
        return True

    def importSFNodeFromString(self, nodeString: str) -> None:
        """Does nothing, with an error: only the root takes nodes."""
        call = self._call("importSFNodeFromString")
        self._refuse(call, "nodes can be imported into the root only")

    def removeMF(self, index: int) -> None:
        """Moves one of the root's nodes out of the world; see `Node.remove`."""
        call = self._call("removeMF")
        if self._field.type != _T.MF_NODE and self._field.write is not None:
            if self._may(call):
                self._change_list(call, index, [], set_it=True)
            return
        node = self._get(_T.MF_NODE, "removeMF", index)
        if node is not None and self._now(call):
            node.remove()

    def removeSF(self) -> None:
        """Does nothing, with an error: the nodes in a joint stay there."""
        self._refuse(self._call("removeSF"), "only models can be removed")

    def _call(self, method: str) -> str:
        return f"Field {self._field.name!r}: {method}"

    @property
    def value(self) -> typing.Any:
        """The value of a field with a single value; None for a list."""
        if self._field.type.is_multiple:
            return None
        return self._get(self._field.type, "value")

    @value.setter
    def value(self, value: typing.Any) -> None:
        self._set(self._field.type, "value", value)

    getSFBool, setSFBool = _single(_T.SF_BOOL, bool)
    getSFInt32, setSFInt32 = _single(_T.SF_INT32, int)
    getSFFloat, setSFFloat = _single(_T.SF_FLOAT, float)
    getSFVec2f, setSFVec2f = _single(_T.SF_VEC2F, list[float])
    getSFVec3f, setSFVec3f = _single(_T.SF_VEC3F, list[float])
    # Axis x, y, z and angle, rad; a set axis may have any length but 0.
    getSFRotation, setSFRotation = _single(_T.SF_ROTATION, list[float])
    getSFColor, setSFColor = _single(_T.SF_COLOR, list[float])
    getSFString, setSFString = _single(_T.SF_STRING, str)
    getMFBool = _of_list(_T.MF_BOOL, bool)
    getMFInt32 = _of_list(_T.MF_INT32, int)
    getMFFloat = _of_list(_T.MF_FLOAT, float)
    getMFVec2f = _of_list(_T.MF_VEC2F, list[float])
    getMFVec3f = _of_list(_T.MF_VEC3F, list[float])
    getMFRotation = _of_list(_T.MF_ROTATION, list[float])
    getMFColor = _of_list(_T.MF_COLOR, list[float])
    getMFString = _of_list(_T.MF_STRING, str)
    getMFNode = _of_list(_T.MF_NODE, typing.Any)

    def getSFNode(self) -> typing.Any:
        """Returns the `Node` in a field of this type; None if it is empty."""
        return self._get(_T.SF_NODE, "getSFNode")

    def _is(self, wanted: FieldType, call: str) -> bool:
        """Returns whether a call fits the field's type; prints an error if not."""
        if self._field.type != wanted:
            messages.error(
                call, f"the field is of type {self._field.type.webots_name}"
            )
        return self._field.type == wanted

    def _key(self, index: int | None) -> tuple[int, str, int | None]:
        return self._node.id, self._field.name, index

    def _get(
        self, wanted: FieldType, method: str, index: int | None = None
    ) -> typing.Any:
        """Returns the value; the default, with an error, if the type is another."""
        call = self._call(method)
        single = wanted.single if wanted.is_multiple else wanted
        default = _DEFAULTS.get(single)
        if default is None and single.width > 1:
            default = [math.nan] * single.width
        if not self._may(call) or not self._is(wanted, call):
            return default
        key = self._key(index)
        if key in self._client.fields:
            return self._client.fields[key][0]
        if not self._ask(call):
            return default
        value = self._field.read()
        if index is not None:
            values, value = value, default
            with messages.refusals(call):
                value = values[supervision.place_in(len(values), index)]
        if isinstance(value, SceneNode):
            return self._make_node(value)
        return list(value) if isinstance(value, list | tuple) else value

    def _set(self, wanted: FieldType, method: str, value: typing.Any) -> None:
        call = self._call(f"{method}({value!r})")
        if not self._may(call) or not self._is(wanted, call):
            return
        checked = self._checked(wanted, call, value)
        if checked is None:
            return
        with messages.refusals(call):
            supervision.writer(self._field)
            change = functools.partial(self._write, call)
            self._client.fields[self._key(None)] = checked, change

    def _checked(
        self, wanted: FieldType, call: str, value: typing.Any
    ) -> typing.Any:
        """Returns a value in the field's form; None, with an error, if impossible."""
        if wanted.width > 1:
            least = _LEAST.get(wanted)
            value = numbers(call, value, wanted.width, least=least)
        elif wanted == _T.SF_FLOAT:
            value = messages.number(call, value)
        else:
            kinds = {_T.SF_STRING: str, _T.SF_BOOL: bool}
            value = kinds.get(wanted, int)(value)
        if value is not None:
            with messages.refusals(call):
                supervision.check_value(wanted, value)
                return value
        return None

    def _write(self, call: str, value: typing.Any) -> None:
        with messages.refusals(call):
            supervision.writer(self._field)(value)
