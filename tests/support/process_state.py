"""State of the process that one test could leave behind for the next."""

import gc
import locale
import os
import random
import signal
import sys
import threading
import typing

import numpy as np
from folders import ROOT

# Threads of libraries that keep workers for the next call.
_KEPT_THREADS = (
    "ExecutorManagerThread",
    "QueueFeederThread",
    "tqdm_monitor",
    "Dask-",
    "IO loop",
)
# Variables that pytest and, as they are imported, libraries set.
_KEPT_VARIABLES = {
    "PYTEST_CURRENT_TEST",
    "KMP_INIT_AT_FORK",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "PYGAME_HIDE_SUPPORT_PROMPT",
}


def processors() -> int:
    """Returns on how many processors this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ProcessState:
    """A record of what the whole process shares, to compare with later.

    Warnings' filters are not among it: pytest puts them back itself.
    """

    def __init__(self):
        self.values = _values()
        self.modules = dict(sys.modules)
        self.threads = set(threading.enumerate())

    def left_behind(self) -> list[str]:
        """Returns one line for each thing that is not as it was."""
        now = _values()
        lines = [
            f"{name}: {_difference(self.values[name], now[name])}"
            for name in now
            if now[name] != self.values[name]
        ]
        if self.modules != sys.modules:
            lines += [
                f"module {name}: exchanged or removed"
                for name, module in self.modules.items()
                if sys.modules.get(name) is not module
            ]
            lines += [
                f"module {name}: a test's own, still in sys.modules"
                for name, module in list(sys.modules.items())
                if name not in self.modules and _is_a_tests_own(module)
            ]
        return lines + [
            f"thread {name}: runs on" for name in self._running_on()
        ]

    def _running_on(self) -> list[str]:
        """Returns the names of new threads that do not end within seconds."""
        new = [
            thread
            for thread in set(threading.enumerate()) - self.threads
            if not thread.name.startswith(_KEPT_THREADS)
        ]
        for thread in new:
            thread.join(20.0)  # one that was told to end takes its time
        return [thread.name for thread in new if thread.is_alive()]

    def put_back(self) -> None:
        """Has the next test start from the recorded state."""
        was = self.values
        np.seterr(**was["numpy's error state"])
        locale.setlocale(locale.LC_ALL, was["locale"])
        os.umask(was["umask"])
        os.chdir(was["folder"])
        for name in (
            os.environ.keys() - was["environment"].keys() - _KEPT_VARIABLES
        ):
            del os.environ[name]
        os.environ.update(was["environment"])
        random.setstate(was["random"])
        np.random.set_state(was["numpy's random"])
        sys.path[:], sys.argv[:] = was["sys.path"], was["sys.argv"]
        for name, module in list(sys.modules.items()):
            if name not in self.modules and _is_a_tests_own(module):
                del sys.modules[name]
        sys.modules.update(self.modules)
        for number, handler in was["signals"].items():
            if signal.getsignal(number) != handler:
                signal.signal(number, handler)


def _values() -> dict[str, typing.Any]:
    umask = os.umask(0o022)
    os.umask(umask)
    kind, keys, *rest = np.random.get_state()
    return {
        "numpy's error state": np.geterr(),
        "locale": locale.setlocale(locale.LC_ALL),
        "umask": umask,
        "folder": os.getcwd(),
        "environment": {
            name: value
            for name, value in os.environ.items()
            if name not in _KEPT_VARIABLES
        },
        "random": random.getstate(),
        "numpy's random": (kind, tuple(keys.tolist()), *rest),
        "sys.path": list(sys.path),
        "sys.argv": list(sys.argv),
        "sys.excepthook": sys.excepthook,
        "threading.excepthook": threading.excepthook,
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "garbage collector": (gc.isenabled(), gc.get_threshold()),
        "signals": {n: signal.getsignal(n) for n in _SIGNALS},
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "processors": processors(),
    }


_SIGNALS = sorted(signal.valid_signals())


def _is_a_tests_own(module: object) -> bool:
    """Returns True if a module is neither installed nor of this project."""
    file = getattr(module, "__file__", None)
    return bool(file) and not file.startswith(_INSTALLED)


_INSTALLED = (
    *{sys.prefix, sys.base_prefix, str(ROOT)},
    *{os.path.realpath(place) for place in sys.path if place},
)


def _difference(before: object, after: object) -> str:
    """Returns what changed; of a mapping the entries that did."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = before.keys() | after.keys()
        before, after = (
            {k: d.get(k) for k in keys if before.get(k) != after.get(k)}
            for d in (before, after)
        )
    return f"{before!r:.200} became {after!r:.200}"
