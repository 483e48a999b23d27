"""State that a Python process has once and each controller needs for itself.

Webots gives each controller a process. Here they share one, but only one of them
runs at any time: shared state is exchanged with the turn.
"""

import builtins
import contextlib
import io
import os
import sys
import threading
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path

from webmotor_drake.controllers.in_process.controller_file import Controller
from webmotor_drake.controllers.in_process.own_process import (
    EndedAtOnce,
    forget_exits,
)
from webmotor_drake.controllers.link import active

# The modules that runs and their files need. Others may be lazy, or watch their names.
_NEEDED = {*sys.stdlib_module_names, "numpy", "webmotor_drake"}

_NOTHING = object()

# A folder that may not be listed can be entered all the same.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY)

# The file descriptors that are kept free for the results and their imports.
_RESERVED = 16


class ProcessState:
    """The process as one controller sees it.

    Each controller has its own sys.argv, sys.path, standard streams, current folder
    and `__main__`, and its own modules from its folder: the `helper.py` of two
    controllers are two modules. Standard input is empty.

    Attributes:
        main: the controller's `__main__`.

    Args:
        controller: controller that will run.
            shared: names of modules that belong to no controller; the same set for all.
        label: beginning of each line that it prints.
    """

    def __init__(
        self, controller: Controller, shared: set[str], label: str = ""
    ):
        self._shared = shared
        self._folder = controller.file.parent
        self._cwd = _CurrentFolder(str(self._folder))
        file = str(controller.file)
        self.main = types.ModuleType("__main__")
        self.main.__dict__.update(__file__=file, __builtins__=builtins)
        self._modules: dict[str, types.ModuleType] = {"__main__": self.main}
        self._label = label
        self._streams = {
            name: _Stream(stream, label)
            for name in ("stdout", "stderr")
            if (stream := getattr(sys, name)) is not None
        }
        self._system = {
            "argv": [file, *controller.arguments],
            "path": [str(self._folder), *sys.path],
            "stdin": io.StringIO(),
            **dict.fromkeys(("stdout", "stderr")),
            **self._streams,
        }

    def told_with_name(self) -> contextlib.AbstractContextManager[object]:
        """Makes messages about the controller begin with its name, as others do."""
        stream: typing.Any = self._streams.get("stderr")
        if stream is None or not self._label:
            return contextlib.nullcontext()
        return contextlib.redirect_stderr(stream)

    def end_lines(self) -> None:
        """Writes the lines that the controller has printed without an end."""
        for stream in self._streams.values():
            stream.end_line()

    def enter(self) -> None:
        """Makes the process this controller's."""
        self._outer_cwd = _CurrentFolder()
        self._outer_main = sys.modules["__main__"]
        self._outer = {name: getattr(sys, name, None) for name in self._system}
        for name, value in self._system.items():
            setattr(sys, name, value)
        self._cwd.enter()
        sys.modules.update(self._modules)
        self._count = len(sys.modules)

    def leave(self) -> None:
        """Makes the process again as it was before `enter`."""
        self._cwd = _CurrentFolder()
        self._system = {name: getattr(sys, name, None) for name in self._system}
        if len(sys.modules) != self._count:
            self._claim_modules()
        for name in self._modules:
            sys.modules.pop(name, None)
        sys.modules["__main__"] = self._outer_main
        for name, value in self._outer.items():
            setattr(sys, name, value)
        self._outer_cwd.enter()

    def _claim_modules(self) -> None:
        """Takes the new modules that come from the controller's folder."""
        new = sys.modules.keys() - self._shared
        for name in new:
            file = getattr(sys.modules[name], "__file__", None)
            if file and self._folder in Path(file).parents:
                self._modules[name] = sys.modules[name]
        self._shared |= new - self._modules.keys()


class _CurrentFolder:
    """A folder to enter, even if it has been renamed or deleted meanwhile.

    Args:
        path: the folder; None: the current one.
    """

    def __init__(self, path: str | None = None):
        self._number = None
        with contextlib.suppress(OSError):
            self._number = os.open(path or ".", _FOLDER)

    def enter(self) -> None:
        """Makes it the current folder again."""
        if self._number is not None:
            with contextlib.suppress(OSError):
                os.fchdir(self._number)

    def __del__(self) -> None:
        if self._number is not None:
            _close(self._number)


class _Stream:
    """A standard stream that a controller can close without closing ours.

    With a label each line begins with it, and is written only once it has ended: lines
    of several controllers do not mix.
    """

    def __init__(self, stream: typing.TextIO, label: str):
        self._stream, self._label = stream, label
        self._closed, self._begun = False, ""

    def __getattr__(self, name: str) -> object:
        if self._closed:
            raise ValueError("I/O operation on closed file.")
        return getattr(self._stream, name)

    @property
    def closed(self) -> bool:
        """True if the stream is closed, by the controller or otherwise."""
        return self._closed or self._stream.closed

    def close(self) -> None:
        """Refuses all writes from now on."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()
        self._closed = True

    def write(self, text: str) -> int:
        """Writes `text`; with a label only complete lines, and keeps the rest."""
        if self._closed:
            raise ValueError("I/O operation on closed file.")
        if not self._label:
            return self._stream.write(text)
        if not isinstance(text, str):
            kind = type(text).__name__
            raise TypeError(f"write() argument must be str, not {kind}")
        *lines, self._begun = (self._begun + text).split("\n")
        if lines:
            self._stream.write(
                "".join(f"{self._label}{line}\n" for line in lines)
            )
        return len(text)

    def writelines(self, lines: typing.Iterable[str]) -> None:
        """Writes one text after the other."""
        for line in lines:
            self.write(line)

    def end_line(self) -> None:
        """Writes the line that was begun, if there is one, and ends it."""
        if self._begun:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(f"{self._label}{self._begun}\n")
        self._begun = ""


@contextlib.contextmanager
def survives() -> Iterator[typing.Callable[[], None]]:
    """Keeps the process usable, whatever controllers do to it in the block.

    ``os._exit`` ends only the controller that calls it, as in Webots, and not the run.
    After the block, builtins, modules and their names that were deleted or replaced
    are back, the recursion limit is as before, and file descriptors are free.

    Yields:
        Function that restores builtins and modules at once, when a controller ends.
    """
    names, modules = vars(builtins).copy(), sys.modules.copy()
    limit, set_limit = sys.getrecursionlimit(), sys.setrecursionlimit
    getpid, exit_process = os.getpid, os._exit
    process = getpid()
    # A controller may use up all other file descriptors.
    reserve = contextlib.ExitStack()
    with contextlib.suppress(OSError):
        for _ in range(_RESERVED):
            number = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            reserve.callback(_close, number)

    def exit_controller(status: int) -> None:
        client = active.owner(threading.current_thread())
        if getpid() != process or (client is None and not over):
            exit_process(status)  # a child, or no controller
        if client is not None:
            forget_exits(client)
            raise EndedAtOnce(status)
        # Else a thread has outlived its run: the process keeps its own exit status.

    over = False

    def mend() -> None:
        if over:  # a controller that could not be stopped ends after the run
            return
        # All threads share one `builtins`. None is used here before all are back.
        builtins.__dict__.update(names)
        sys.modules.update(modules)
        set_limit(limit)
        restore_names()

    # Python's own ends the process without an exception that could be caught.
    os._exit = exit_controller
    restore_names = _restorer()
    try:
        yield mend
    finally:
        mend()
        over = True
        os._exit = exit_process
        reserve.close()


def _close(number: int) -> None:
    with contextlib.suppress(OSError):  # a controller has closed it
        os.close(number)


def _restorer() -> typing.Callable[[], None]:
    """Returns a function that restores the names that modules have now.

    A controller may replace or delete any name: ``json.dumps = None``. In a process of
    its own that would end with it, but here the results are written afterwards. It
    restores deleted names, replaced functions, classes and modules, and values that
    have got another type; other values may change as a module works.
    """
    kept = [
        (vars(module), vars(module).copy())
        for name, module in sys.modules.copy().items()
        if name.partition(".")[0] in _NEEDED and name != "__main__"
    ]

    def restore() -> None:
        for now, before in kept:
            if _is_same(now, before):
                continue
            for name, value in before.items():
                found = now.get(name, _NOTHING)
                if found is not value and _is_broken(value, found):
                    now[name] = value

    return restore


def _is_same(now: dict[str, object], before: dict[str, object]) -> bool:
    """Returns whether nothing has changed, by a quick comparison in C."""
    try:
        return now == before
    except Exception:  # arrays in place of other values
        return False


def _is_broken(value: object, found: object) -> bool:
    if callable(value) or isinstance(value, types.ModuleType | Mapping):
        return True
    gone = found is _NOTHING
    return gone or (value is not None and type(found) is not type(value))
