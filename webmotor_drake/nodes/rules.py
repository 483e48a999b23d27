"""Rules for the values of a field: as a check, in words, and as JSON Schema."""

import dataclasses as dc
import math
import typing
from collections.abc import Callable, Iterable, Sequence

from webmotor_drake.errors import InputError, below, unknown_name

# The largest whole number of Webots' files.
MAX_INT = 2**31 - 1

Value = typing.Any
Schema = dict[str, typing.Any]


@dc.dataclass(frozen=True)
class Rule:
    """The values that a field allows, beyond its type.

    Attributes:
        words: the allowed values, as in "2 is not allowed; must be from 0 to 1".
        check: function that raises InputError for a value, given with its unit, that
            is not allowed. Numbers are finite.
        schema: rule in JSON Schema, as far as that can express it.
    """

    words: str
    check: Callable[[Value, str], None]
    schema: Schema


def _number(
    words: str, allows: Callable[[Value], bool], **schema: Value
) -> Rule:

    def check(value: Value, unit: str) -> None:
        if not allows(value):
            # The unit is left out if it depends on the joint, as "rad or m".
            known = unit not in ("", "1") and " or " not in unit
            unit = f" {unit}" if known else ""
            raise InputError(
                f"{value:.10g}{unit} is not allowed; must be {words}"
            )

    return Rule(words, check, schema)


def within(low: float, high: float) -> Rule:
    """Allows low to high."""
    return _number(
        f"from {low:g} to {high:g}",
        lambda value: low <= value <= high,
        minimum=low,
        maximum=high,
    )


def between(low: float, high: float) -> Rule:
    """Allows numbers above low and below high."""
    return _number(
        f"above {low:g} and below {high:g}",
        lambda value: low < value < high,
        exclusiveMinimum=low,
        exclusiveMaximum=high,
    )


def or_special(rule: Rule, special: float, meaning: str) -> Rule:
    """Allows one more number, which stands for something else.

    Args:
        rule: rule for all other numbers.
        special: the number.
        meaning: its meaning.
    """
    words = f"{special:g} ({meaning}) or {rule.words}"

    def check(value: Value, unit: str) -> None:
        if value != special:
            try:
                rule.check(value, unit)
            except InputError as error:
                problem = error.problem.replace(rule.words, words)
                raise InputError(problem) from None

    return Rule(words, check, {"anyOf": [{"const": special}, rule.schema]})


AT_LEAST_0 = _number("at least 0", lambda v: v >= 0, minimum=0)
POSITIVE = _number("above 0", lambda v: v > 0, exclusiveMinimum=0)
SHARE = within(0, 1)
# An efficiency: a share above 0.
SOME = _number(
    "above 0 and at most 1", lambda v: 0 < v <= 1, exclusiveMinimum=0, maximum=1
)
# A step to which values are rounded, or a range.
POSITIVE_OR_NONE = or_special(POSITIVE, -1, "none")


def whole(low: int, high: int = MAX_INT) -> Rule:
    """Allows whole numbers from low to high."""
    words = f"a whole number from {low}"
    words += " on" if high == MAX_INT else f" to {high}"
    return _number(words, lambda v: low <= v <= high, minimum=low, maximum=high)


def one_of(*words: str, kind: str = "type") -> Rule:
    """Allows some words.

    Args:
        words: allowed values.
        kind: their name in messages.
    """

    def check(value: Value, unit: str) -> None:
        if value not in words:
            raise InputError(unknown_name(kind, value, words))

    return Rule(", ".join(words), check, {"enum": list(words)})


def needed(problem: str) -> Rule:
    """Allows any text but the empty one."""

    def check(value: Value, unit: str) -> None:
        if not value:
            raise InputError(problem)

    return Rule("needed", check, {"minLength": 1})


def numbers(words: str, each: Rule | None = None, zero: bool = True) -> Rule:
    """Allows as many numbers as there are words.

    Args:
        words: names of the numbers, such as "x, y, z".
        each: the rule of each number.
        zero: True if the first three may all be 0.
    """
    count = words.count(" and ") + words.count(", ") + 1

    def check(value: Value, unit: str) -> None:
        if len(value) != count:
            raise InputError(
                f"{len(value)} numbers; {count} are needed: {words}"
            )
        for i, number in enumerate(value if each else ()):
            with below(i):
                typing.cast(Rule, each).check(number, unit)
        if not zero and not any(value[:3]):
            raise InputError("x, y and z are all 0; a direction is needed")

    items = each.schema if each else {}
    return Rule(
        words, check, {"minItems": count, "maxItems": count, "items": items}
    )


def keys_of(value: Value) -> Iterable[str | int]:
    """Returns the keys of a mapping, or the indices of a list."""
    return value if hasattr(value, "keys") else range(len(value))


COLOR = numbers("red, green, blue", SHARE)
POINT = numbers("x, y, z")
DIRECTION = numbers("x, y, z", zero=False)
ROTATION = numbers("axis x, y, z and angle", zero=False)


def each(rule: Rule, least: int = 0, most: int = MAX_INT) -> Rule:
    """Allows a list, or a mapping, of values that a rule allows.

    Args:
        rule: rule of each value.
        least: smallest number of values.
        most: largest number of values.
    """

    def check(value: Value, unit: str) -> None:
        if not least <= len(value) <= most:
            raise InputError(
                f"{len(value)} numbers; {least} to {most} are allowed"
            )
        for key in keys_of(value):
            with below(key):
                rule.check(value[key], unit)

    schema = {"items": rule.schema, "additionalProperties": rule.schema}
    if most != MAX_INT:
        schema |= {"minItems": least, "maxItems": most}
    return Rule(f"each: {rule.words}", check, schema)


_ROW = numbers("input, output, noise")


def _check_table(table: Sequence[Sequence[float]], unit: str) -> None:
    """Refuses rows that are not triples, or inputs that don't increase."""
    before = -math.inf
    for i, row in enumerate(table):
        with below(i):
            _ROW.check(row, unit)
            if row[0] <= before:
                raise InputError(
                    f"the input {row[0]:g} is not above the {before:g} of the"
                    " row before; inputs have to increase"
                )
        before = row[0]


LOOKUP_TABLE = Rule(
    "rows of input, output, noise; inputs increase",
    _check_table,
    {"items": _ROW.schema},
)
