"""The terminal that the command line talks to, and its Ctrl-C."""

import contextlib
import logging
import os
import signal
import sys
import warnings
from collections.abc import Iterator

from webmotor_drake.errors import InputError, MotorWarning, one_line


def say(text: str) -> None:
    """Prints to the standard output, which may go to a pipe or a full disk."""
    try:
        print(text, flush=True)
    except OSError as error:
        # What is left in the buffer must not fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # `| head` has seen enough
            raise InputError(
                f"cannot write the standard output: {error.strerror}"
            ) from error


def complain(what: object) -> None:
    """Prints a line of the program's own to the standard error."""
    # On a terminal a progress bar may stand in this line.
    clear = "\r\x1b[K" if sys.stderr and sys.stderr.isatty() else ""
    with contextlib.suppress(OSError):
        print(f"{clear}webmotor: {what}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Puts off Ctrl-C to the end of the block."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # a background job, or somebody else's business
        return
    pressed = []
    signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt


class Notes(logging.Handler):
    """Warnings and what Drake logs, buffered until the input is accepted.

    Wrong input is told in one line, whatever Drake logs before it refuses it.
    """

    def __init__(self):
        super().__init__()
        self._held: list[str] | None = []

    @classmethod
    @contextlib.contextmanager
    def shown(cls, *, quiet: bool) -> "Iterator[Notes]":
        """Collects what the block warns of; gives what shows it."""
        notes = cls()
        notes.setLevel(logging.WARNING if quiet else logging.INFO)
        drake = logging.getLogger("drake")
        with warnings.catch_warnings():
            warnings.simplefilter("always", MotorWarning)
            warnings.showwarning = lambda message, *_: notes.add(
                f"warning: {message}"
            )
            drake.addHandler(notes)
            propagate, drake.propagate = drake.propagate, False
            try:
                yield notes
            finally:
                drake.removeHandler(notes)
                drake.propagate = propagate

    def emit(self, record: logging.LogRecord) -> None:
        """Takes what Drake logs."""
        warning = "warning: " if record.levelno >= logging.WARNING else ""
        self.add(warning + record.getMessage().removeprefix(warning))

    def add(self, text: str) -> None:
        """Shows `text`, or buffers it."""
        if self._held is None:
            complain(one_line(text))
        else:
            self._held.append(text)

    def show(self) -> None:
        """Shows what was held back, and all that comes from now on."""
        held, self._held = self._held or [], None
        for text in held:
            self.add(text)
