"""A list of keys that are held down, with their times: `--keys FILE`.

::

    # time in s, and the keys that are down from then on
    0.5   UP
    1.0   UP LEFT
    2.0   SHIFT+A
    2.5   none
"""

import bisect
import math
import os
import re
from collections.abc import Callable
from pathlib import Path

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.yaml_document import load_text

# Webots' Keyboard numbers of keys that are not characters.
NAMED = {
    "END": 312,
    "HOME": 313,
    "LEFT": 314,
    "UP": 315,
    "RIGHT": 316,
    "DOWN": 317,
    "PAGEUP": 366,
    "PAGEDOWN": 367,
    "NUMPAD_HOME": 375,
    "NUMPAD_LEFT": 376,
    "NUMPAD_UP": 377,
    "NUMPAD_RIGHT": 378,
    "NUMPAD_DOWN": 379,
    "NUMPAD_END": 382,
    "SPACE": 32,
}
MODIFIERS = {"SHIFT": 0x10000, "CONTROL": 0x20000, "ALT": 0x40000}
_NONE = "NONE"
_COMMENT = re.compile(r"(?:^\s*#|(?<=\s)#(?!\S)).*")


def load_keys(file: str | os.PathLike[str]) -> Callable[[float], list[int]]:
    """Returns a function from a time, s, to the keys that a file holds down then.

    Keys are numbers, as Webots' Keyboard has them.

    Each line has a time, s, and the keys that are down from then on: a character, or
    a name of `NAMED`, after modifiers and "+" if there are any; or nothing. Text
    after "# " is a comment.

    Raises:
        InputError: it cannot be read; the text says file, line and column.
    """
    text = load_text(Path(file), str(file))
    times: list[float] = []
    keys: list[list[int]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        place, said = f"{file}:{number}", _COMMENT.sub("", line)
        words = [
            (word[0], f"{place}:{word.start() + 1}")
            for word in re.finditer(r"\S+", said)
        ]
        if not words:
            continue
        times.append(_time(*words.pop(0), times))
        if not words:
            raise InputError(
                "keys are missing; 'none' releases all",
                where=f"{place}:{len(line) + 1}",
            )
        released = [word.upper() for word, _ in words] == [_NONE]
        keys.append([] if released else [_key(*word) for word in words])
    if not times:
        raise InputError("there are no keys", where=str(file))
    keys.insert(0, [])
    return lambda time: keys[bisect.bisect_right(times, time + 1e-9)]


def _time(word: str, where: str, times: list[float]) -> float:
    try:
        time = float(word)
    except ValueError:
        time = math.nan
    if not 0 <= time < math.inf:
        raise InputError(
            f"{word!r} is not a time; a line begins with one, at least 0 s",
            where=where,
        )
    if times and time <= times[-1]:
        raise InputError(
            f"{time:g} s is not after {times[-1]:g} s of the line before",
            where=where,
        )
    return time


def _key(word: str, where: str) -> int:
    """Returns the number of a key such as SHIFT+UP."""
    *modifiers, name = word[:-1].split("+")
    name += word[-1]  # which may be + itself
    total = 0
    for modifier in modifiers:
        if modifier.upper() not in MODIFIERS:
            raise InputError(
                unknown_name("modifier", modifier, MODIFIERS), where=where
            )
        total |= MODIFIERS[modifier.upper()]
    if len(name) == 1 and " " < name <= "~":
        return total + ord(name.upper())
    if name.upper() not in NAMED:
        known = [*NAMED, "none", "A", "1"]
        raise InputError(unknown_name("key", name, known), where=where)
    return total + NAMED[name.upper()]
