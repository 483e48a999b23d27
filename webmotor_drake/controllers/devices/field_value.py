"""The value of Webots' Field: how it is got, and set with the next step."""

import functools
import math
import typing

from webmotor_drake.controllers.devices.supervised import (
    Supervised,
    numbers,
)
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.supervision import check_numbers, writer

_T = FieldType

# The count of numbers in a value.
# How many are enough: Webots has 0 for those that are missing.
_LEAST = {_T.SF_VEC3F: 2, _T.SF_COLOR: 2, _T.SF_ROTATION: 3}

# The values of a getter of the wrong type.
_DEFAULTS = {
    _T.SF_BOOL: False,
    _T.SF_INT32: 0,
    _T.SF_FLOAT: 0.0,
    _T.SF_STRING: "",
}


class FieldValue(Supervised):
    """Webots' getters and setters of a field, one of each per type.

    A value that was set waits in `Client.fields`; see `Field`.

    Attributes:
        type: of Field.SF_BOOL to Field.MF_NODE.

    Args:
        client: the supervisor's side.
        node: whose field it is.
        field: what it reads and writes.
        make_node: makes the `Node` of a node in the scene.
    """

    def __init__(
        self,
        client: Client,
        node: SceneNode,
        field: SceneField,
        make_node: typing.Callable[[SceneNode], typing.Any],
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

    def getSFBool(self) -> bool:
        """Returns the value of a field of this type."""
        return self._get(_T.SF_BOOL, "getSFBool")

    def getSFInt32(self) -> int:
        """Returns the value of a field of this type."""
        return self._get(_T.SF_INT32, "getSFInt32")

    def getSFFloat(self) -> float:
        """Returns the value of a field of this type."""
        return self._get(_T.SF_FLOAT, "getSFFloat")

    def getSFVec2f(self) -> list[float]:
        """Returns the value of a field of this type."""
        return self._get(_T.SF_VEC2F, "getSFVec2f")

    def getSFVec3f(self) -> list[float]:
        """Returns the value of a field of this type."""
        return self._get(_T.SF_VEC3F, "getSFVec3f")

    def getSFRotation(self) -> list[float]:
        """Returns axis x, y, z and angle, rad."""
        return self._get(_T.SF_ROTATION, "getSFRotation")

    def getSFColor(self) -> list[float]:
        """Returns the value of a field of this type."""
        return self._get(_T.SF_COLOR, "getSFColor")

    def getSFString(self) -> str:
        """Returns the value of a field of this type."""
        return self._get(_T.SF_STRING, "getSFString")

    def getSFNode(self) -> typing.Any:
        """Returns the `Node` in a field of this type; None if it is empty."""
        return self._get(_T.SF_NODE, "getSFNode")

    def getMFBool(self, index: int) -> bool:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_BOOL, "getMFBool", index)

    def getMFInt32(self, index: int) -> int:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_INT32, "getMFInt32", index)

    def getMFFloat(self, index: int) -> float:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_FLOAT, "getMFFloat", index)

    def getMFVec2f(self, index: int) -> list[float]:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_VEC2F, "getMFVec2f", index)

    def getMFVec3f(self, index: int) -> list[float]:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_VEC3F, "getMFVec3f", index)

    def getMFRotation(self, index: int) -> list[float]:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_ROTATION, "getMFRotation", index)

    def getMFColor(self, index: int) -> list[float]:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_COLOR, "getMFColor", index)

    def getMFString(self, index: int) -> str:
        """Returns one of the values; -1 is the last."""
        return self._get(_T.MF_STRING, "getMFString", index)

    def getMFNode(self, index: int) -> typing.Any:
        """Returns one of the nodes, a `Node`; -1 is the last."""
        return self._get(_T.MF_NODE, "getMFNode", index)

    def setSFBool(self, value: bool) -> None:
        """Sets the value of a field of this type."""
        self._set(_T.SF_BOOL, "setSFBool", value)

    def setSFInt32(self, value: int) -> None:
        """Sets the value of a field of this type."""
        self._set(_T.SF_INT32, "setSFInt32", value)

    def setSFFloat(self, value: float) -> None:
        """Sets the value of a field of this type."""
        self._set(_T.SF_FLOAT, "setSFFloat", value)

    def setSFVec2f(self, value: list[float]) -> None:
        """Sets the value of a field of this type."""
        self._set(_T.SF_VEC2F, "setSFVec2f", value)

    def setSFVec3f(self, value: list[float]) -> None:
        """Sets the value of a field of this type."""
        self._set(_T.SF_VEC3F, "setSFVec3f", value)

    def setSFRotation(self, value: list[float]) -> None:
        """Sets axis x, y, z, of any length but 0, and angle, rad."""
        self._set(_T.SF_ROTATION, "setSFRotation", value)

    def setSFColor(self, value: list[float]) -> None:
        """Sets the value of a field of this type."""
        self._set(_T.SF_COLOR, "setSFColor", value)

    def setSFString(self, value: str) -> None:
        """Sets the value of a field of this type."""
        self._set(_T.SF_STRING, "setSFString", value)

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
            values = numbers(
                call, value, wanted.width, least=_LEAST.get(wanted)
            )
            if values and wanted == _T.SF_ROTATION and not any(values[:3]):
                messages.error(call, "the axis of a rotation is not 0")
                return None
            return values
        if wanted == _T.SF_FLOAT:
            number = messages.number(call, value)
            with messages.refusals(call):
                check_numbers([number])
                return number
            return None
        if wanted == _T.SF_STRING:
            return str(value)
        return bool(value) if wanted == _T.SF_BOOL else int(value)

    def _write(self, call: str, value: typing.Any) -> None:
        with messages.refusals(call):
            writer(self._field)(value)
