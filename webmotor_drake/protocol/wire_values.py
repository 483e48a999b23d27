"""Values of fields on the wire."""

import struct
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.scene_field import FieldType
from webmotor_drake.host.supervision import check_numbers
from webmotor_drake.protocol.reader import Reader, text

_T = FieldType


def packed(field_type: FieldType, value: typing.Any) -> bytes:
    """Returns one value of a field that is not a node."""
    if field_type == _T.SF_BOOL:
        return struct.pack("<B", bool(value))
    if field_type == _T.SF_INT32:
        return struct.pack("<i", value)
    if field_type == _T.SF_STRING:
        return text(value)
    values = [value] if field_type == _T.SF_FLOAT else list(value)
    return struct.pack(f"<{field_type.width}d", *values)


def read_value(field_type: FieldType, block: Reader) -> typing.Any:
    """Returns one value of a field; of a node its text."""
    if field_type == _T.SF_BOOL:
        return bool(block.u8())
    if field_type == _T.SF_INT32:
        return block.i32()
    if field_type in (_T.SF_STRING, _T.SF_NODE):
        return block.string()
    values = block.floats(field_type.width)
    return values[0] if field_type == _T.SF_FLOAT else values


def check_value(field_type: FieldType, value: typing.Any) -> None:
    """Refuses a value that no field can have."""
    if field_type.width:
        values = [value] if field_type == _T.SF_FLOAT else value
        check_numbers(values)
        if field_type == _T.SF_ROTATION and not any(values[:3]):
            raise InputError("the axis of a rotation is not 0")
