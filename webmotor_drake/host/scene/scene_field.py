"""A field of a node: its type, and how it is read and set."""

import dataclasses as dc
import enum
import typing
from collections.abc import Callable


class FieldType(enum.IntEnum):
    """Webots' numbers of field types (webots/supervisor.h)."""

    NO_FIELD, SF_BOOL, SF_INT32, SF_FLOAT, SF_VEC2F, SF_VEC3F = range(6)
    SF_ROTATION, SF_COLOR, SF_STRING, SF_NODE = range(6, 10)
    MF, MF_BOOL, MF_INT32, MF_FLOAT, MF_VEC2F, MF_VEC3F = range(16, 22)
    MF_ROTATION, MF_COLOR, MF_STRING, MF_NODE = range(22, 26)

    @property
    def is_multiple(self) -> bool:
        """True if fields of the type are lists of values."""
        return self > FieldType.MF

    @property
    def single(self) -> "FieldType":
        """The type of one value in a list of this type."""
        return FieldType(self & 0x0F)

    @property
    def width(self) -> int:
        """The count of numbers in a value of a type that is not multiple."""
        return _WIDTHS.get(self, 0)

    @property
    def webots_name(self) -> str:
        """The name that getTypeName gives, such as "SFVec3f"."""
        kind, _, value = self.name.partition("_")
        return kind + value.capitalize()


# The types by Webots' names.
TYPES = {kind.webots_name: kind for kind in FieldType}

_WIDTHS = {
    FieldType.SF_FLOAT: 1,
    FieldType.SF_VEC2F: 2,
    FieldType.SF_VEC3F: 3,
    FieldType.SF_ROTATION: 4,
    FieldType.SF_COLOR: 3,
}


@dc.dataclass(frozen=True)
class SceneField:
    """A field of a node.

    Attributes:
        name: Webots' name.
        type: type of its value.
        read: function that returns its value, or the list of its values.
        write: function that sets its value just before time passes; None: it cannot
            change while the simulation runs.
        instead: hint at another way if it cannot change.
        default: Webots' default; None: it is not known, or NULL.
    """

    name: str
    type: FieldType
    read: Callable[[], typing.Any]
    write: Callable[[typing.Any], None] | None = None
    instead: str = ""
    default: typing.Any = None


# How the simulation reads a field, and how it sets it; None: it cannot change.
Live = tuple[Callable[[], typing.Any], Callable[[typing.Any], None] | None]


def constant(value: typing.Any) -> Live:
    """Returns a field whose value never changes."""
    return lambda: value, None
