"""The values of fields as texts in Webots' format, and their types."""

import typing

from webmotor_drake.worlds.nodes import Field, Node

# The count of numbers in a value.
_WIDTHS = {"Vec2f": 2, "Vec3f": 3, "Color": 3, "Rotation": 4}
_BY_WIDTH = {1: "Float", 2: "Vec2f", 3: "Vec3f", 4: "Rotation"}


def value_text(field: Field) -> str:
    """Returns a field's value as a file has it; "" if it holds nodes or NULL."""
    if any(item is None or isinstance(item, Node) for item in field.items):
        return ""
    text = " ".join(_written(item) for item in field.items)
    return f"[ {text} ]" if field.bracketed else text


def _written(item: typing.Any) -> str:
    if isinstance(item, bool):
        return "TRUE" if item else "FALSE"
    if isinstance(item, str):
        return quoted(item)
    return repr(item).removesuffix(".0")


def quoted(text: str) -> str:
    """Returns a text as a file has it."""
    inside = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'


def typed_value(field: Field, kind: str) -> typing.Any:
    """Returns the value of a field.

    Args:
        field: the field; of nodes there is no value.
        kind: its type, such as "MFVec3f".

    Returns:
        A bool, int, float or str, a list of numbers, or a list of those.

    Raises:
        InputError: the field is not of that type; with its place.
    """
    single, many = kind[2:], kind.startswith("M")
    width = _WIDTHS.get(single)
    if width is not None:
        values: list[typing.Any] = field.rows(width)
    elif single == "String":
        values = [*field.texts()]
    elif single == "Bool":
        values = [*field.items]
        if not all(isinstance(value, bool) for value in values):
            raise field.error("expected TRUE or FALSE")
    elif single == "Int32":
        values = [_whole(number, field) for number in field.numbers()]
    else:
        values = [*field.numbers()]
    if not many and len(values) != 1:
        raise field.error(f"{value_text(field)} is not of type {kind}")
    return values if many else values[0]


def _whole(number: float, field: Field) -> int:
    if number != int(number):
        raise field.error(f"{number:g} is not a whole number")
    return int(number)


def guessed_type(field: Field) -> str:
    """Returns the type that a value looks like: nobody has declared it."""
    many, first = field.bracketed, next(iter(field.items), 0.0)
    if first is None or isinstance(first, Node):
        single = "Node"
    elif isinstance(first, bool):
        single = "Bool"
    elif isinstance(first, str):
        single = "String"
    elif not many and len(field.items) in _BY_WIDTH:
        single = _BY_WIDTH[len(field.items)]
        if single == "Vec3f" and field.name.lower().endswith("color"):
            single = "Color"
    else:
        many, single = True, "Float"
    return f"{'M' if many else 'S'}F{single}"
