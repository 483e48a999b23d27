"""A run that was reset: its episodes, one after the other."""

import dataclasses as dc

import numpy as np
from pydrake.systems.framework import Context

from webmotor_drake.simulation.motor_log import MotorLog

# Sums of times are off by less, s.
_ROUNDING = 1e-9


@dc.dataclass
class _Episode:
    """The record from one reset to the next.

    Attributes:
        start: its begin, s from the start of the run.
        time: of the rows, s, as in `Results`.
        signals, positions: as in `Results`.
    """

    start: float
    time: np.ndarray
    signals: dict[str, np.ndarray]
    positions: np.ndarray


class Episodes:
    """The times and records of a run with resets.

    While the simulation's own time starts at 0 again with each reset, that of the
    results goes on.

    Args:
        log: of the episode that runs.
        keeps_all: True if those before it are kept, too.

    Attributes:
        start: time at which the present episode began, s from the start of the run.
    """

    def __init__(self, log: MotorLog, *, keeps_all: bool = True):
        self.start = 0.0
        self._log = log
        self._keeps_all = keeps_all
        self._past: list[_Episode] = []

    @property
    def resets(self) -> list[float]:
        """The times of the resets that are kept, s from the start of the run."""
        starts = [episode.start for episode in self._past]
        return [*starts, self.start][1:] if starts else []

    def close(self, context: Context) -> None:
        """Ends the episode that runs; the next one starts with an empty log.

        Args:
            context: the root Context at its end.
        """
        last = self._log.last_row(context)
        if self._keeps_all:
            self._past.append(self._present(context))
        self.start += last
        self._log.clear(context)

    def own_time(self, time: float) -> float:
        """Returns the simulator's time at a time of the run, s.

        A difference that is a step but for its last bits is that step: otherwise
        what happens at its end would be left out.
        """
        if not self.start:
            return time
        own, step = time - self.start, self._log.period
        near = round(own / step) * step if step else own
        return near if abs(near - own) < _ROUNDING else own

    def _present(self, context: Context) -> _Episode:
        return _Episode(self.start, *self._log.signals(context))

    def joined(
        self, context: Context
    ) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
        """Returns times, signals and positions of the whole run.

        Row 0 of an episode is left out but for the first: there is one already
        at that time, that of the step before the reset.
        """
        first, *others = [*self._past, self._present(context)]
        if not others:
            return first.time, first.signals, first.positions

        def join(parts: list[np.ndarray]) -> np.ndarray:
            return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])

        episodes = [first, *others]
        return (
            join([episode.start + episode.time for episode in episodes]),
            {
                name: join([episode.signals[name] for episode in episodes])
                for name in first.signals
            },
            join([episode.positions for episode in episodes]),
        )
