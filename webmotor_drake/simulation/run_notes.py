"""Notes of a run besides its signals: its warnings, and the time it took."""

import contextlib
from collections import Counter
from collections.abc import Iterator

from webmotor_drake.compiled import clock, make_ready
from webmotor_drake.errors import NotedWarnings, counted_warnings


class RunNotes:
    """Counts the warnings of a run and its wall time.

    Attributes:
        warnings: how often each warning was issued so far, by text.
        wall_time: of simulating, s, without loading and compiling.
    """

    def __init__(self):
        self.warnings: Counter[str] = Counter()
        self.wall_time = 0.0

    def counted(self) -> contextlib.AbstractContextManager[None]:
        """Counts the warnings of a block; each is issued once."""
        return counted_warnings(self.warnings)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Counts time and warnings of a block; each warning is issued once."""
        make_ready()
        started = clock()
        try:
            with self.counted():
                yield
        finally:
            self.wall_time += clock() - started


class Noted(NotedWarnings):
    """Counts time and warnings of a block of microseconds; all warnings are shown."""

    def __init__(self, notes: RunNotes):
        super().__init__(notes.warnings)
        self._notes = notes

    def __enter__(self) -> None:
        make_ready()
        self._started = clock()
        super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._notes.wall_time += clock() - self._started
