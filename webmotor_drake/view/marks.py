"""Marks over the robots: `--show efforts,limits,targets`."""

from collections.abc import Iterable

from webmotor_drake.errors import InputError, unknown_name

MARKS = ("efforts", "limits", "targets")


def checked_marks(names: Iterable[str]) -> list[str]:
    """Returns the names, each once.

    Raises:
        InputError: there is no such mark.
    """
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in MARKS:
            raise InputError(unknown_name("mark", name, MARKS))
    return names
