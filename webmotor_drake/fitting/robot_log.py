"""The log of a robot: its motors' commands and measurements, and parts of it."""

import dataclasses as dc
import itertools
import math

import numpy as np

from webmotor_drake.errors import InputError, listed

COMMANDS = ("target", "target_velocity", "target_effort")
MEASURED = ("position", "velocity", "effort")
SIGNALS = (*COMMANDS, *MEASURED)

# A gap is a step in time longer than so many usual ones.
_GAP = 3.0
_OFTEN = 0.2  # of the rows
_FAR = 4 * math.pi  # two turns: larger positions may be degrees
# Samples on either side, and degree, of the polynomial that gives a state.
_BESIDE, _DEGREE = 4, 2

# The first and the last sample of a part.
Window = tuple[int, int]


@dc.dataclass(frozen=True, eq=False)
class RobotLog:
    """Signals of a robot over time, at even or uneven steps.

    Attributes:
        time: times of the samples, shape (N,), rising, s.
        signals: arrays by name and signal, each of shape (N,), in rad, rad/s and N m
            or m, m/s and N. A name is that of a joint, or "<model>/<motor>". The
            commands are `target`, `target_velocity` and `target_effort`, the
            measurements `position`, `velocity` and `effort`. NaN: no new command, no
            measurement.
        file: file name for messages.
        unread: columns of the file that were not used.
        reading: remarks on how the file was read, one line each.
    """

    time: np.ndarray
    signals: dict[tuple[str, str], np.ndarray]
    file: str = "log"
    unread: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuses times that do not rise, and an empty log."""
        time = np.asarray(self.time, dtype=float)
        if time.ndim != 1 or len(time) < 2:
            raise InputError(
                f"{time.size} sample{'s' * (time.size != 1)}; two or more are needed",
                where=self.file,
            )
        bad = np.flatnonzero(~np.isfinite(time))
        if bad.size:
            raise InputError(
                f"sample {bad[0] + 1}: the time is {time[bad[0]]}; seconds are"
                " needed",
                where=self.file,
            )
        back = np.flatnonzero(np.diff(time) <= 0)
        if back.size:
            i = back[0]
            raise InputError(
                f"sample {i + 2}: time goes from {time[i]:g} s to"
                f" {time[i + 1]:g} s; it has to rise",
                where=self.file,
            )
        object.__setattr__(self, "time", time)

    @property
    def names(self) -> list[str]:
        """The joints or motors, in the order of the columns."""
        return list(dict.fromkeys(name for name, _ in self.signals))

    def get(self, name: str, signal: str) -> np.ndarray | None:
        """Returns a signal, shape (N,), or None if the log does not have it.

        Args:
            name: name of a joint, or "<model>/<motor>".
            signal: one of `SIGNALS`, such as "position".
        """
        return self.signals.get((name, signal))

    def span(self, begin: float | None, end: float | None) -> tuple[int, int]:
        """Returns the first and the last sample between two times.

        Args:
            begin: earlier time, s; None: the log's start.
            end: later time, s; None: the log's end.

        Raises:
            InputError: there are fewer than two samples between them.
        """
        low = -math.inf if begin is None else begin
        high = math.inf if end is None else end
        inside = np.flatnonzero((self.time >= low) & (self.time <= high))
        if len(inside) < 2:
            raise InputError(
                f"{len(inside)} samples from {low:g} to {high:g} s; the log lasts"
                f" from {self.time[0]:g} to {self.time[-1]:g} s",
                where=self.file,
            )
        return int(inside[0]), int(inside[-1])

    def windows(self, span: tuple[int, int], number: int) -> list[Window]:
        """Returns a part cut into windows of equal duration.

        Each window starts with the last sample of the window before.

        Args:
            span: the first and the last sample of the part.
            number: number of windows.

        Raises:
            InputError: there are too few samples.
        """
        begin, end = span
        if not 1 <= number <= end - begin:
            raise InputError(
                f"{number} windows; 1 to {end - begin} are allowed",
                where=self.file,
            )
        ends = np.linspace(self.time[begin], self.time[end], number + 1)
        cuts = np.searchsorted(self.time, ends - 1e-9)
        cuts[0], cuts[-1] = begin, end
        if (np.diff(cuts) < 1).any():
            raise InputError(
                f"{number} windows; some of them would have no sample, in a gap",
                where=self.file,
            )
        return [*itertools.pairwise(cuts.tolist())]

    def state(self, name: str, window: Window) -> tuple[float | None, float]:
        """Returns the position (rad or m) and the velocity (per s) at a start.

        At the log's first sample they are the measured values; a velocity that was not
        measured is 0. Later they are fitted to the samples around, so that noise is
        not taken for motion.

        Args:
            name: name of the joint or motor.
            window: the part that starts there.
        """
        first, last = window
        position, velocity = (self.get(name, s) for s in MEASURED[:2])
        speed = 0.0
        if velocity is not None and np.isfinite(velocity[first]):
            speed = float(velocity[first])
        if position is None:
            return None, speed
        if first > 0:
            around = slice(max(first - _BESIDE, 0), first + _BESIDE + 1)
            time, values = self.time[around], position[around]
            known = np.isfinite(values)
            if known.sum() > _DEGREE:
                fitted = np.polynomial.Polynomial.fit(
                    time[known], values[known], _DEGREE
                )
                if velocity is None:
                    speed = float(fitted.deriv()(self.time[first]))
                return float(fitted(self.time[first])), speed
        inside = position[first : last + 1]
        known = inside[np.isfinite(inside)]
        return (float(known[0]) if known.size else None), speed

    def remarks(self) -> list[str]:
        """Returns remarks on the log, one line each: gaps, NaN, degrees."""
        steps = np.diff(self.time)
        usual = float(np.median(steps))
        gaps = int((steps > _GAP * usual).sum())
        remarks = list(self.reading)
        if self.unread:
            remarks.append(
                f"{listed(self.unread)}: no joint and signal by"
                " their names, not read; --columns (columns of load_log) says what"
                " they are"
            )
        if gaps and not self.alternates:
            remarks.append(
                f"{gaps} gap{'s' * (gaps > 1)} in time, the longest"
                f" {steps.max():g} s, where {usual:g} s is usual"
            )
        missing = {
            f"{name}.{signal}": int((~np.isfinite(values)).sum())
            for (name, signal), values in self.signals.items()
            if signal in MEASURED and not self.alternates
        }
        holes = {column: n for column, n in missing.items() if n}
        if holes:
            worst = max(holes, key=holes.__getitem__)
            remarks.append(
                f"{sum(holes.values())} values are missing in {len(holes)}"
                f" column{'s' * (len(holes) > 1)}, most in {worst}"
                f" ({holes[worst]} of {len(self.time)})"
            )
        for name in self.names:
            target = self.get(name, "target")
            if (
                target is not None
                and np.isinf(target).any()
                and (self.get(name, "target_velocity") is None)
            ):
                remarks.append(
                    f"{name}: infinite targets without target_velocity; the motor turns"
                    " at its largest velocity there"
                )
        degrees = dict.fromkeys(
            name
            for (name, signal), values in self.signals.items()
            if signal in ("target", "position")
            and (np.abs(values[np.isfinite(values)]) > _FAR).any()
        )
        if degrees:
            remarks.append(
                f"{listed(list(degrees))}:"
                " degrees by the look of it; columns are taken as rad unless"
                " they are said to be deg"
            )
        return remarks

    @property
    def alternates(self) -> bool:
        """True if commands and measurements come in rows of their own, as in bags."""
        told, measured = (
            np.any(
                [
                    ~np.isnan(values)
                    for (_, signal), values in self.signals.items()
                    if signal in kinds
                ]
                or [np.zeros(len(self.time), dtype=bool)],
                axis=0,
            )
            for kinds in (COMMANDS, MEASURED)
        )
        return bool(
            min((told & ~measured).mean(), (measured & ~told).mean()) > _OFTEN
        )
