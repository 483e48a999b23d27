"""Every message that a user can cause, built here from values.

An error is one line, as a compiler gives it:
``arm.scenario.yaml:12:11: Lift.model_drivers.arm.motors.elbow: what is wrong``.
"""

import contextlib
import difflib
import inspect
import re
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\b(?:inf|nan)\b")

# The most characters of a line, and the mark for those that are left out.
_LONGEST, _LEFT_OUT = 2_000, " ... "


class WebmotorError(Exception):
    """Base of all errors of this package; its text is one line."""

    def _render_traceback_(self) -> list[str]:
        """Returns the lines that notebooks show instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class InputError(WebmotorError):
    """The user's input is wrong (exit status 2 on the command line).

    Attributes:
        problem: mistake and what is allowed, one line.
        path: keys (str) and list indices (int) that lead to the culprit.
        where: ``file:line:column``, empty for input that has no file.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: Sequence[str | int] = (),
        where: str = "",
    ):
        self.problem = problem
        self.path = tuple(path)
        self.where = where
        # Such as "motors.elbow.commands[0]".
        keys = (f"[{k}]" if isinstance(k, int) else f".{k}" for k in path)
        parts = (where, "".join(keys).removeprefix("."), problem)
        text = ": ".join(one_line(part) for part in parts if part)
        super().__init__(one_line(text))

    def below(self, *prefix: str | int) -> "InputError":
        """Returns the same error with further keys before its path.

        Args:
            prefix: names and indices that lead to the start of its path.
        """
        return InputError(
            self.problem, path=(*prefix, *self.path), where=self.where
        )

    def at(self, where: str) -> "InputError":
        """Returns the same error with its place in a file.

        Args:
            where: file, line and column, as in "arm.scenario.yaml:12:11".
        """
        return InputError(self.problem, path=self.path, where=where)


class SimulationError(WebmotorError):
    """A simulation failed midway (exit status 1 on the command line).

    Attributes:
        complete: True if the text says all, so that nothing has to be added.
        results: Results until then, where they are known.
    """

    complete = False
    results: Any = None


@contextlib.contextmanager
def below(
    *path: str | int,
    located: Callable[[InputError], InputError] = lambda error: error,
) -> Generator[None]:
    """Puts `path` before the paths of the InputErrors of the block.

    An error of another file has its place there already, and stays as it is.

    Args:
        path: names and indices that lead to where the errors' paths start.
        located: function that then adds the place of an error.
    """
    try:
        yield
    except InputError as error:
        if error.where:
            raise
        raise located(error.below(*path)) from error.__cause__


@contextlib.contextmanager
def needing(what: str, install: str) -> Generator[None]:
    """Reports a library that the block cannot import as an InputError.

    Args:
        what: the problem, as in "to_dataframe needs pandas".
        install: the argument of "pip install" that brings the library.
    """
    try:
        yield
    except ImportError as error:
        raise InputError(f"{what}: pip install {install}") from error


class MotorWarning(UserWarning):
    """Webots would warn here and go on; so do we."""


def unwarned() -> warnings.catch_warnings:
    """Returns a context without MotorWarnings, as others issue or report them."""
    return warnings.catch_warnings(action="ignore", category=MotorWarning)


# Kinds of warnings that were issued while Python shows each text once.
_shown: set[str] = set()
# Counts of the warnings of `warn`, by text; warnings that differ only in numbers count
# under the first text. All are shown as usual.
NOTES: ContextVar[tuple[Counter[str], ...]] = ContextVar("notes", default=())


def warn(message: str) -> None:
    """Issues `message` as a MotorWarning.

    By default Python shows each text once. Then texts that differ only in numbers count
    as one.
    """
    for counts in NOTES.get():
        first = {_kind(text): text for text in counts}
        counts[first.get(_kind(message), message)] += 1
    if _each_is_shown_once():
        if _kind(message) in _shown:
            return
        _shown.add(_kind(message))
    warnings.warn(message, MotorWarning, stacklevel=_level_of_the_user())


def _level_of_the_user() -> int:
    """Returns the number of frames from the warning up to the user's own code."""
    frame, level = inspect.currentframe(), 0
    while frame is not None:
        room = frame.f_globals.get("__name__", "").partition(".")[0]
        if room not in ("webmotor_drake", "numpy", "contextlib"):
            return level
        frame, level = frame.f_back, level + 1
    return 1


def _each_is_shown_once() -> bool:
    """Returns whether Python's filters show each MotorWarning once."""
    for action, message, category, module, _ in warnings.filters:
        everywhere = message is None and module is None
        if everywhere and issubclass(MotorWarning, category):
            return action in ("default", "module", "once")
    return True


def _kind(text: str) -> str:
    """Returns the text without the numbers that change from time to time.

    The part before the first ": " names the subject, and is kept.
    """
    whom, colon, what = text.partition(": ")
    return whom + colon + _NUMBER.sub("#", what)


@contextlib.contextmanager
def counted_warnings(counts: Counter[str]) -> Generator[None]:
    """Counts the MotorWarnings of the block and issues each kind once, after it.

    Warnings that differ only in numbers are of a kind; the first text stands for it.

    Args:
        counts: counts of earlier warnings, by text; those of the block are added.
    """
    before = counts.copy()
    first = {_kind(text): text for text in counts}
    varied: set[str] = set()
    try:
        with warnings.catch_warnings():
            show_others = warnings.showwarning

            def count(
                message: Warning | str, category: type[Warning], *place: Any
            ) -> None:
                if not issubclass(category, MotorWarning):
                    show_others(message, category, *place)
                    return
                text = str(message)
                known = first.setdefault(_kind(text), text)
                counts[known] += 1
                if text != known:
                    varied.add(known)

            warnings.showwarning = count
            warnings.simplefilter("always", MotorWarning)
            yield
    finally:
        for text, number in (counts - before).items():
            if text not in before:
                numbers = ", with other numbers" * (text in varied)
                times = f" ({number} times{numbers})" if number > 1 else ""
                warnings.warn(
                    f"{text}{times}",
                    MotorWarning,
                    stacklevel=_level_of_the_user(),
                )


def one_line(text: object) -> str:
    """Returns `text` without line breaks or control characters; see `shortened`."""
    text = " ".join(shortened(str(text)).split())
    return "".join(c if c.isprintable() else " " for c in text)


def shortened(text: str) -> str:
    """Returns a text; of one too long to be read the middle is left out."""
    half = _LONGEST // 2 - len(_LEFT_OUT)
    if len(text) <= _LONGEST:
        return text
    return f"{text[:half]}{_LEFT_OUT}{text[-half:]}"


def unknown_name(kind: str, name: str, available: Iterable[str]) -> str:
    """Returns the message for a `name` that is not among `available`.

    The nearest name comes first, then all that exist (at most 20).
    """
    available = list(available)
    known = listed(available, 20) or "none"
    return f"unknown {kind} {name!r}{guess(name, available)} (known: {known})"


def guess(name: str, available: Iterable[str]) -> str:
    """Returns "; did you mean NAME?" with the nearest name; "" if none is near."""
    nearest = difflib.get_close_matches(str(name), list(available), n=1)
    return f"; did you mean {nearest[0]}?" if nearest else ""


def listed(names: Sequence[str], most: int = 5) -> str:
    """Returns names with commas between them; of many the first, and a count."""
    more = len(names) - most
    return ", ".join(names[:most]) + f" and {more} more" * (more > 0)
