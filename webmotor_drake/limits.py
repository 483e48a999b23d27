"""Limits on what is read of files, which may be a stranger's."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_LIFTED: ContextVar[bool] = ContextVar("lifted", default=False)


@contextlib.contextmanager
def unlimited(lifted: bool = True) -> Iterator[None]:
    """Lifts the limits on the size of files for the duration of the block.

    Example:
        ::

            with wm.unlimited():
                scenario = wm.load_scenario("whole_city.wbt")

    Args:
        lifted: False leaves them.
    """
    before = _LIFTED.set(lifted or _LIFTED.get())
    try:
        yield
    finally:
        _LIFTED.reset(before)


def too_many(count: float, most: int, what: str) -> str:
    """Returns the problem of a file that passes a limit; "" if it does not.

    Args:
        count: of what is in the file.
        most: the limit.
        what: the things that are counted, such as "nodes".
    """
    if count <= most or _LIFTED.get():
        return ""
    return f"more than {most:,} {what} (--unlimited lifts this limit)"
