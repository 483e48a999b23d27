"""The terminal that the command line talks to."""

import atexit
import contextlib
import logging
import os
import shutil
import sys
import typing
import warnings
from collections.abc import Generator

from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.cli.loading_time import accepted
from webmotor_drake.errors import MotorWarning, one_line


def open_closed_streams() -> None:
    """Opens the standard streams that the process was started without (2>&-).

    They lead nowhere. Otherwise files that are opened later would get their numbers,
    and with these the output of Drake's own code.
    """
    streams = ("stdin", "r"), ("stdout", "w"), ("stderr", "w")
    for number, (name, mode) in enumerate(streams):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number, this one
            os.set_inheritable(number, True)  # the workers of a sweep need it
        if getattr(sys, name) is None:
            stream = open(number, mode, closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _reopen(name: str, number: int) -> None:
    """Opens a standard stream again that was closed meanwhile.

    A controller's io.TextIOWrapper(sys.stdout.buffer) closes it when it is deleted.
    """
    stream = getattr(sys, name)
    if stream is not None and stream.closed:
        with contextlib.suppress(OSError):
            stream = open(  # noqa: SIM115
                number, "w", closefd=False, errors="backslashreplace"
            )
            setattr(sys, name, stream)


def say(text: str) -> int:
    """Prints to the standard output, which may go to a pipe or a full disk.

    Returns:
        The exit status: `FAILED`, after a line that says why, if it cannot be
        written.
    """
    _reopen("stdout", 1)
    try:
        print(text, flush=True)
    except OSError as error:
        # The rest of the buffer must not fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # `| head` has seen enough
            complain(f"cannot write the standard output: {error.strerror}")
            return FAILED
    return DONE


def window_width() -> int | None:
    """Returns the width of the terminal, characters; None: a pipe or a file."""
    stream = sys.stdout
    if stream is None or stream.closed or not stream.isatty():
        return None
    return shutil.get_terminal_size().columns


def complain(what: object) -> None:
    """Prints a line of the program's own to the standard error."""
    # On a terminal a progress bar may stand in this line.
    if sys.stderr is None:  # closed; Python would print to the standard output
        return
    _reopen("stderr", 2)
    with contextlib.suppress(OSError, ValueError):
        clear = "\r\x1b[K" if sys.stderr.isatty() else ""
        print(f"{clear}webmotor: {what}", file=sys.stderr, flush=True)


def leave(status: int) -> typing.NoReturn:
    """Ends the process at once, whatever its threads do, after the exit functions."""
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


class Notes(logging.Handler):
    """Warnings and Drake's log, buffered until the input is accepted.

    Wrong input is reported in one line, whatever Drake logs before it refuses it.
    """

    def __init__(self):
        super().__init__()
        self._held: list[str] | None = []

    @classmethod
    @contextlib.contextmanager
    def shown(cls, *, quiet: bool) -> "Generator[Notes]":
        """Collects the block's warnings; yields the notes, which show them."""
        notes = cls()
        notes.setLevel(logging.WARNING if quiet else logging.INFO)
        drake = logging.getLogger("drake")
        with warnings.catch_warnings():
            warnings.simplefilter("always", MotorWarning)
            warnings.showwarning = notes.warn
            drake.addHandler(notes)
            propagate, drake.propagate = drake.propagate, False
            try:
                yield notes
            finally:
                drake.removeHandler(notes)
                drake.propagate = propagate

    def warn(self, message: Warning | str, *_: object) -> None:
        """Takes a warning; see `warnings.showwarning`."""
        self.add(f"warning: {message}")

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record of Drake's log."""
        warning = "warning: " if record.levelno >= logging.WARNING else ""
        self.add(warning + record.getMessage().removeprefix(warning))

    def add(self, text: str) -> None:
        """Shows `text`, or buffers it."""
        if self._held is None:
            complain(one_line(text))
        else:
            self._held.append(text)

    def show(self) -> None:
        """Shows the notes held back, and all later ones at once.

        The input is accepted by then, so the command may take any time.
        """
        accepted()
        held, self._held = self._held or [], None
        for text in dict.fromkeys(held):
            self.add(text)
