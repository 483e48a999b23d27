"""The value of Webots' Field: how it is got, and set with the next step."""

import functools
import math
import typing
from collections.abc import Callable

from webmotor_drake.controllers.devices.supervised import Supervised, numbers
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.supervision import check_value, writer

_T = FieldType
Value = typing.TypeVar("Value")

# How many are enough: Webots has 0 for those that are missing.
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
) -> tuple[
    Callable[["FieldValue"], Value], Callable[["FieldValue", Value], None]
]:
    """Returns the getter and the setter of a type of fields.

    Args:
        wanted: the type.
        kind: Python's type of its values, for editors and type checkers.
    """

    def get(self: "FieldValue") -> typing.Any:
        return self._get(wanted, get.__name__)

    def set(self: "FieldValue", value: Value) -> None:
        self._set(wanted, set.__name__, value)

    get.__name__ = f"get{wanted.webots_name}"
    set.__name__ = f"set{wanted.webots_name}"
    get.__doc__ = "Returns the value of a field of this type."
    set.__doc__ = "Sets the `value` of a field of this type."
    return get, set


def _of_list(
    wanted: FieldType, kind: type[Value]
) -> Callable[["FieldValue", int], Value]:
    """Returns the getter of one value of a list; see `_single`."""

    def get(self: "FieldValue", index: int) -> typing.Any:
        return self._get(wanted, get.__name__, index)

    get.__name__ = f"get{wanted.webots_name}"
    get.__doc__ = (
        "Returns the value at `index`, a `Node` or not; -1 is the last."
    )
    return get


class FieldValue(Supervised):
    """Webots' getters and setters of a field, one of each per type.

    A value that was set waits in `Client.fields`; see `Field`.

    Attributes:
        type: of Field.SF_BOOL to Field.MF_NODE.

    Args:
        client: the supervisor's side.
        node: that of the field.
        field: the scene's field.
        make_node: makes the `Node` of a node in the scene.
    """

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

    def _call(self, method: str) -> str:
        return f"Field {self._field.name!r}: {method}"

    @property
    def value(self) -> typing.Any:
        """The value of a field with one; None for a list."""
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
    # Axis x, y, z, of any length but 0 where it is set, and angle, rad.
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
        """Returns whether a call fits the field's type; if not, says so."""
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
        """Returns the value; with an error that of another type's default."""
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
            place = self._place(call, index, len(value))
            if place is None:
                return None if single == _T.SF_NODE else default
            value = value[place]
        if isinstance(value, SceneNode):
            return self._make_node(value)
        return list(value) if isinstance(value, list | tuple) else value

    def _place(self, call: str, index: int, count: int) -> int | None:
        """Returns where the value `index` of a list is; None, with an error."""
        if -count <= index < count:
            return index % count
        messages.error(
            call,
            f"the index {index} is out of bounds; -{count} to {count - 1} are in"
            if count
            else "the field is empty",
        )
        return None

    def _set(self, wanted: FieldType, method: str, value: typing.Any) -> None:
        call = self._call(f"{method}({value!r})")
        if not self._may(call) or not self._is(wanted, call):
            return
        checked = self._checked(wanted, call, value)
        if checked is None:
            return
        with messages.refusals(call):
            writer(self._field)
            change = functools.partial(self._write, call)
            self._client.fields[self._key(None)] = checked, change

    def _checked(
        self, wanted: FieldType, call: str, value: typing.Any
    ) -> typing.Any:
        """Returns a value as the field takes it; None, with an error."""
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
                check_value(wanted, value)
                return value
        return None

    def _write(self, call: str, value: typing.Any) -> None:
        with messages.refusals(call):
            writer(self._field)(value)
