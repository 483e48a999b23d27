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
        spent: wall time of the blocks that are over, s.
        started: start of the block that runs, by `perf_counter`; None: none does.
    """

    def __init__(self):
        self.warnings: Counter[str] = Counter()
        self.spent = 0.0
        self.started: float | None = None

    @property
    def wall_time(self) -> float:
        """The wall time of simulating until now, s, without loading."""
        if self.started is None:
            return self.spent
        return self.spent + time.perf_counter() - self.started

    def counted(self) -> contextlib.AbstractContextManager[None]:
        """Counts the warnings of a block; each is issued once."""
        return counted_warnings(self.warnings)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Counts time and warnings of a block; each warning is issued once."""
        self.started = time.perf_counter()
        try:
            with self.counted():
                yield
        finally:
            self.spent, self.started = self.wall_time, None


class Noted(NotedWarnings):
    """Counts time and warnings of a block of microseconds; all warnings are shown."""

    def __init__(self, notes: RunNotes):
        super().__init__(notes.warnings)
        self._notes = notes

    def __enter__(self) -> None:
        self._notes.started = time.perf_counter()
        super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._notes.spent, self._notes.started = self._notes.wall_time, None
