"""The process that runs templates, and its limits.

A stranger's script can keep either interpreter busy for ever, past all limits inside
it: in finalizers, regular expressions and texts of errors. So one process runs all
scripts. If one takes too much, the process is killed, and a new one runs the next.
"""

import atexit
import contextlib
import dataclasses as dc
import marshal
import os
import signal
import subprocess
import sys
import threading
import typing

from webmotor_drake import limits
from webmotor_drake.worlds import template_worker

# Limits of a script: processor time, s, interpreter memory, bytes, and characters.
_SECONDS, _BYTES, _CHARACTERS = 1.0, 64 * 2**20, 10_000_000
# Limits of all scripts of a world: processor time, s, and characters; and of one
# script: elapsed time, s, long enough for a busy machine.
_ALL_SECONDS, _ALL_CHARACTERS, _PATIENCE = 10.0, 50_000_000, 60.0
_LIFTED = 1_000  # factor on limits with --unlimited


class TemplateError(Exception):
    """The failure of a script, told in one line."""


@dc.dataclass
class Spent:
    """The time that a world's templates took so far, and their texts.

    Attributes:
        seconds: seconds of processor time.
        characters: length of all texts.
        texts: texts by the body, field values and file that made them.
    """

    seconds: float = 0.0
    characters: int = 0
    texts: dict[tuple[str, ...], str] = dc.field(
        default_factory=dict[tuple[str, ...], str]
    )


def run_template(request: dict[str, typing.Any], spent: Spent) -> str:
    """Returns the text that a template makes; see `template_worker.answered`.

    Args:
        request: entries of `answered`, but for the limits.
        spent: sums over the templates of this world so far; added to.

    Raises:
        TemplateError: the script fails, or passes a limit.
        ImportError: there is no interpreter of its language.
    """
    factor = _LIFTED if limits.lifted() else 1
    limited = {
        "seconds": _SECONDS * factor,
        "bytes": _BYTES,
        "characters": _CHARACTERS * factor,
        "too_long": limits.more_than(_CHARACTERS, "characters"),
    }
    with _LOCK:
        worker = _running()
        before = worker.used
        kind, text = worker.ask(request | limited, _PATIENCE * factor)
        spent.seconds += worker.used - before
    if kind == template_worker.MISSING:
        raise ImportError
    if kind != template_worker.TEXT:
        raise TemplateError(text)
    spent.characters += len(text)
    for number, most, what in (
        (spent.seconds, _ALL_SECONDS, "s of processor time"),
        (spent.characters, _ALL_CHARACTERS, "characters"),
    ):
        if problem := limits.too_many(number, int(most), what):
            raise TemplateError(f"it and those before it take {problem}")
    return text


class _Worker:
    """The process that runs templates."""

    def __init__(self):
        self.used = 0.0  # processor time after the last answer, s
        self.owner = os.getpid()  # a forked child must not use the pipes
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-IBS",
                template_worker.__file__,
                "\n".join(path for path in sys.path if path),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )

    @property
    def is_usable(self) -> bool:
        """True if it waits for a request of this process."""
        return self.owner == os.getpid() and self._process.poll() is None

    def ask(
        self, request: dict[str, typing.Any], patience: float
    ) -> tuple[str, str]:
        """Returns kind and text of the answer; ends the process if there is none."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        timer = threading.Timer(max(patience, 0), self._process.kill)
        timer.start()
        try:
            marshal.dump(request, to)
            to.flush()
            kind, used, length = back.readline().decode().split()
            text = back.read(int(length))
            if len(text) < int(length):
                raise EOFError
        except (EOFError, OSError, ValueError):
            self.end()
            raise TemplateError(self._why(request["seconds"])) from None
        except BaseException:  # Ctrl-C: nobody waits for the answer
            self.end()
            raise
        finally:
            timer.cancel()
            timer.join()
        self.used = float(used)
        return kind, text.decode(errors="replace")

    def end(self) -> None:
        """Ends the process."""
        with contextlib.suppress(OSError), self._process:  # closes its pipes
            self._process.kill()

    def _why(self, seconds: float) -> str:
        """Returns the reason why the process ended."""
        if self._process.returncode == -signal.SIGPROF:
            more = limits.more_than(seconds, "s of processor time")
            return f"it takes {more}"
        if self._process.returncode == -signal.SIGKILL:
            return f"it takes {limits.more_than(_PATIENCE, 's')}"
        return "it ends the interpreter"


_LOCK = threading.Lock()
_WORKERS: list[_Worker] = []


def _running() -> _Worker:
    if not _WORKERS:
        atexit.register(_end)
    if not _WORKERS or not _WORKERS[0].is_usable:
        _WORKERS[:] = [_Worker()]
    return _WORKERS[0]


def _end() -> None:
    if _WORKERS and _WORKERS[0].owner == os.getpid():
        _WORKERS.pop().end()
