"""What one field of a device may hold."""

import math
from collections.abc import Sequence

from webmotor_drake.errors import InputError, below, unknown_name

# The largest whole number of Webots' files.
MAX_INT = 2**31 - 1


def check_length(field: str, values: Sequence[object], words: str) -> None:
    """Refuses a list with more or fewer values than it has `words`."""
    number = words.count(" and ") + words.count(", ") + 1
    if len(values) != number:
        raise InputError(
            f"{len(values)} numbers; {number} are needed: {words}",
            path=(field,),
        )


def check_resolution(value: float, field: str = "resolution") -> None:
    """Refuses a step that is none."""
    if value <= 0 and value != -1:
        raise InputError(
            f"{value} is not allowed; -1 (none) or a number above 0 is",
            path=(field,),
        )


def check_choice(kind: str, value: str, known: Sequence[str]) -> None:
    """Refuses a word that is none of those known."""
    if value not in known:
        raise InputError(unknown_name(kind, value, known), path=(kind,))


def check_range(
    field: str | int, value: float, low: float, high: float, unit: str = ""
) -> None:
    """Refuses a number outside of low to high."""
    if not low <= value <= high:
        unit = unit and f" {unit}"
        raise InputError(
            f"{value:g}{unit} is not allowed; {low:g} to {high:g}{unit} is",
            path=(field,),
        )


def check_count(field: str, value: int, low: int, high: int) -> None:
    """Refuses a whole number outside of low to high."""
    if not low <= value <= high:
        raise InputError(
            f"{value} is not allowed; a whole number from {low} to {high} is",
            path=(field,),
        )


def check_color(field: str | int, color: Sequence[float]) -> None:
    """Refuses what is no red, green and blue."""
    with below(field):
        if len(color) != 3:
            raise InputError(
                f"{len(color)} numbers; three are needed: red, green, blue"
            )
        for i, part in enumerate(color):
            check_range(i, part, 0, 1)


def check_lookup_table(table: Sequence[Sequence[float]]) -> None:
    """Refuses rows that are no triples, or inputs that don't increase."""
    before = -math.inf
    for i, row in enumerate(table):
        with below("lookup_table", i):
            if len(row) != 3:
                raise InputError(
                    f"{len(row)} numbers; three are needed: input, output, noise"
                )
            for number in row:
                if not math.isfinite(number):
                    raise InputError(
                        f"{number} is not allowed; a finite number is"
                    )
            if row[0] <= before:
                raise InputError(
                    f"the input {row[0]:g} is not above the {before:g} of the"
                    " row before; inputs have to increase"
                )
            before = row[0]
