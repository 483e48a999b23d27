"""Limits on reading files, which may be a stranger's."""

import contextlib
import zipfile
from collections.abc import Generator
from contextvars import ContextVar

# Memory that loading a file may take besides Drake's own, GB, on the command line.
MEMORY = 4
_MOST_UNPACKED = 1_000_000_000

# True while a file is loaded under this limit.
MEMORY_IS_LIMITED: ContextVar[bool] = ContextVar("limited", default=False)
_LIFTED: ContextVar[bool] = ContextVar("lifted", default=False)


@contextlib.contextmanager
def unlimited(wanted: bool = True) -> Generator[None]:
    """Lifts the limits on the size of files for the duration of the block.

    Example:
        ::

            with wm.unlimited():
                scenario = wm.load_scenario("package:pendulum", name="Lift")

    Args:
        wanted: False leaves them.
    """
    before = _LIFTED.set(wanted or lifted())
    try:
        yield
    finally:
        _LIFTED.reset(before)


def lifted() -> bool:
    """Returns True inside of a block of `unlimited`."""
    return _LIFTED.get()


def too_many(count: float, most: int, what: str) -> str:
    """Returns the problem of a file that passes a limit; "" if it does not.

    Args:
        count: number of these things in the file.
        most: the limit.
        what: the things that are counted, such as "nodes".
    """
    return "" if count <= most or lifted() else more_than(most, what)


def too_large(archive: zipfile.ZipFile) -> str:
    """Returns the problem of an archive that is too large unpacked; see `too_many`.

    A few megabytes of zeros are gigabytes once they are read.
    """
    size = sum(member.file_size for member in archive.infolist())
    return too_many(size, _MOST_UNPACKED, "bytes, unpacked")


def more_than(most: float, what: str) -> str:
    """Returns the words for a number beyond a limit; see `too_many`."""
    return f"more than {most:,} {what} (--unlimited lifts this limit)"


def out_of_memory() -> str:
    """Returns the words for a file that asks for more memory than it can get."""
    if not MEMORY_IS_LIMITED.get():
        return "out of memory"
    return f"out of memory: it takes {more_than(MEMORY, 'GB to load')}"
