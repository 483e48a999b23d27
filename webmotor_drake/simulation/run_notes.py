"""Notes of a run besides its signals: its warnings, and the time it took."""

import contextlib
import time
from collections import Counter
from collections.abc import Iterator

from webmotor_drake.errors import NotedWarnings, counted_warnings


class RunNotes:
    """Counts the warnings of a run and its wall time.

    Attributes:
        warnings: number of times that each warning was issued, by text.
        wall_time: of simulating, s, without loading.
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
        started = time.perf_counter()
        try:
            with self.counted():
                yield
        finally:
            self.wall_time += time.perf_counter() - started


class Noted(NotedWarnings):
    """Counts time and warnings of a block of microseconds; all warnings are shown."""

    def __init__(self, notes: RunNotes):
        super().__init__(notes.warnings)
        self._notes = notes

    def __enter__(self) -> None:
        self._started = time.perf_counter()
        super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._notes.wall_time += time.perf_counter() - self._started
