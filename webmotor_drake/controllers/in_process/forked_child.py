"""A process that a controller has forked.

Of its threads it has the one that forked: nobody is there to give it a turn.
"""

import contextlib
import os
import sys
import typing


class Forks:
    """The forks of Python's between the process that began and this one.

    Counted, as to ask for the process's number takes a call of the system, which each
    step of a controller would do twice.

    Attributes:
        count: number of forks.
    """

    count = 0


def _count_fork() -> None:
    Forks.count += 1


os.register_at_fork(after_in_child=_count_fork)

CHILD = (
    "a forked child cannot step; the simulation is its parent's. It ends like"
    " at the end of the scenario"
)


def end_child(code: object) -> typing.NoReturn:
    """Ends the process, as Python does where its file ends or calls `sys.exit`.

    Args:
        code: argument of `sys.exit`.
    """
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    # `sys.exit` would end it as our process ends: what waits there is the parent's.
    os._exit((code or 0) % 256)
