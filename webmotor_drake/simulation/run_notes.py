"""Notes of a run besides its signals: its warnings, and the time it took."""

import contextlib
import time
from collections import Counter
from collections.abc import Iterator

from webmotor_drake.errors import NotedWarnings, counted_warnings


class RunNotes(NotedWarnings):
    """Counts the warnings of a run and its wall time.

    It is a context manager itself, for blocks of microseconds: all warnings of such
    a block are shown as they come.

    Attributes:
        warnings: number of times that each warning was issued, by text.
        spent: wall time of the blocks that are over, s.
        started: start of the block that runs, by `perf_counter`; None: none does.
    """

    def __init__(self):
        self.warnings: Counter[str] = Counter()
        super().__init__(self.warnings)
        self.spent = 0.0
        self.started: float | None = None

    @property
    def wall_time(self) -> float:
        """The wall time of simulating until now, s, without loading."""
        if self.started is None:
            return self.spent
        return self.spent + time.perf_counter() - self.started

    def __enter__(self) -> None:
        self.started = time.perf_counter()
        super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.spent, self.started = self.wall_time, None

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
