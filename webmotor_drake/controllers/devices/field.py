"""Webots' Field: a value of a node."""

import typing
from pathlib import Path

from webmotor_drake.controllers.devices.field_value import FieldValue
from webmotor_drake.host import messages
from webmotor_drake.host.scene.scene_field import FieldType
from webmotor_drake.host.supervision import (
    change_list,
    check_parent,
    import_into,
)

_T = FieldType


class Field(FieldValue):
    """A field of a node, as `Node.getField` gives it.

    A set value acts just before time passes the next time, in the order of the robots;
    getting it before that gives what was set. All else is asked for at once.

    Attributes:
        type: of SF_BOOL to MF_NODE.
    """

    SF_BOOL, SF_INT32, SF_FLOAT, SF_VEC2F, SF_VEC3F = range(1, 6)
    SF_ROTATION, SF_COLOR, SF_STRING, SF_NODE = range(6, 10)
    MF, MF_BOOL, MF_INT32, MF_FLOAT, MF_VEC2F, MF_VEC3F = range(16, 22)
    MF_ROTATION, MF_COLOR, MF_STRING, MF_NODE = range(22, 26)

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
        """Returns the field itself, which reads and sets the actual one."""
        return self

    def enableSFTracking(self, samplingPeriod: int) -> None:
        """Does nothing: fields are read at once, without any message."""

    def disableSFTracking(self) -> None:
        """Does nothing; see `enableSFTracking`."""

    name = property(getName)
    type_name = property(getTypeName)
    count = property(getCount)

    def __getattr__(self, name: str) -> typing.Any:
        """Gives setMFBool, insertMFFloat and so on: most lists don't change here."""
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
            change_list(self._field, index, values, set_it=set_it)

    def importMFNodeFromString(self, position: int, nodeString: str) -> None:
        """Brings a node into the world, at once.

        Args:
            position: its place among the children; -1: the last.
            nodeString: such as ``DEF BALL Ball { translation 0 0 1 }`` with a type
                of the scenario's `spares`, whose translation, rotation and name
                count; or a Solid, Shape, Pose, Transform or Group of boxes,
                spheres, cylinders and capsules; or an instance of a PROTO that
                stands for one, of the world's own or of our replacements.
        """
        call = self._call("importMFNodeFromString")
        if not self._may(call) or not self._is(_T.MF_NODE, call):
            return
        with messages.refusals(call):
            check_parent(self._node)
            self._import(call, position, nodeString)

    def _import(self, call: str, position: int, text: str) -> None:
        count = len(self._node.children)
        if not -(count + 1) <= position <= count:
            messages.error(
                call,
                f"the index {position} is out of bounds; -{count + 1} to"
                f" {count} are in",
            )
            return
        if not self._now(call):
            return
        place = position if position >= 0 else count + position + 1
        import_into(self._scene, call, str(text), self._node, place)

    def importMFNode(self, position: int, filename: str) -> None:
        """Brings the nodes of a .wbo file into the world, as Webots did until R2022b.

        Args:
            position: its place among the children; -1: the last.
            filename: of the file, relative to the current folder; its nodes are as
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
        """Sends queued values, so that the simulator can do more at once."""
        if not self._ask(call):
            return False
        fields, self._client.fields = self._client.fields, {}
        for value, change in fields.values():
            change(value)
        return True

    def importSFNodeFromString(self, nodeString: str) -> None:
        """Does nothing, with an error: only the root takes nodes."""
        call = self._call("importSFNodeFromString")
        if self._may(call):
            messages.error(call, "nodes can be imported into the root only")

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
        call = self._call("removeSF")
        if self._may(call):
            messages.error(call, "only models can be removed")


_LISTS = [
    field_type.webots_name
    for field_type in FieldType
    if field_type.is_multiple and field_type != FieldType.MF_NODE
]
