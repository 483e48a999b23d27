"""The times of a log: their unit, their zero, and their order.

Stamps come in seconds, or in ms, us and ns, since the start or since 1970. An epoch's
size says its unit; else the usual step does, as robots are logged at 3 Hz to 3 kHz.
"""

import numpy as np

from webmotor_drake.errors import InputError

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# A log of more samples is refused: each run would take minutes.
MOST = 1_000_000

# Times since 1970 are between these, 1985 and 2096, s.
_EPOCH = 5e8, 4e9
# A unit fits if the usual step is at most so long in it.
_LONGEST_STEP = 0.3
# With fewer samples no unit is guessed.
_FEWEST = 20
# If the first time is beyond this, times are counted from it, s.
_LATE = 1e6
# Rows whose stamps go back by no more than this are sorted, s.
_BACK = 0.05


def seconds(
    stamps: np.ndarray, unit: str, file: str
) -> tuple[np.ndarray, list[str]]:
    """Returns the times in seconds, and remarks on the conversion, one line each.

    Args:
        stamps: times as they are in the file, shape (N,).
        unit: one of `UNITS`; empty: not known.
        file: file name for messages.

    Raises:
        InputError: there are more than `MOST` stamps.
    """
    if len(stamps) > MOST:
        raise InputError(
            f"{len(stamps)} samples; at most {MOST} are allowed: a part of the log,"
            f" or one sample in {-(-len(stamps) // MOST)}, is enough for a fit",
            where=file,
        )
    remarks = []
    if not len(stamps) or not np.isfinite(stamps).all():
        return stamps, remarks  # RobotLog refuses them
    found = unit or _unit_of(stamps)
    if not unit and found != "s":
        remarks.append(
            f"times are taken as {found}, by their size; --columns"
            " '{NAME: time s}' says another unit"
        )
    start = stamps[0] if abs(stamps[0]) * UNITS[found] > _LATE else 0.0
    if start:
        remarks.append(
            f"times are counted from the first, {start:.15g} {found}"
        )
    return (stamps - start) * UNITS[found], remarks


def _unit_of(stamps: np.ndarray) -> str:
    """Returns the unit that times are likely to be in, of `UNITS`."""
    low, high = _EPOCH
    for name, size in UNITS.items():
        if low < stamps[0] * size < high:
            return name
    steps = np.diff(np.unique(stamps))
    if len(steps) < _FEWEST:
        return "s"
    usual = float(np.median(steps))
    for name, size in UNITS.items():
        if usual * size <= _LONGEST_STEP:
            return name
    return "ns"


Signals = dict[tuple[str, str], np.ndarray]


def in_order(
    time: np.ndarray, signals: Signals
) -> tuple[np.ndarray, Signals, list[str]]:
    """Returns times that rise, their signals, and remarks on rows that moved.

    Bags have stamps of arrival: some are the same, some a little out of order. Rows
    of one time become one, in which the last value of each signal counts.

    Args:
        time: times in any order, shape (N,), s.
        signals: signals by name, each of shape (N,).
    """
    back = np.diff(time)
    if not (back <= 0).any() or back.min() < -_BACK:
        return time, signals, []
    rising, place = np.unique(time, return_inverse=True)
    merged = {}
    for name, values in signals.items():
        merged[name] = np.full(len(rising), np.nan)
        order = np.flatnonzero(~np.isnan(values))
        merged[name][place[order]] = values[order]
    remarks = []
    if (back < 0).any():
        remarks.append(
            f"{int((back < 0).sum())} rows are out of order in time, by up to"
            f" {-back.min():.3g} s; they are sorted"
        )
    same = len(time) - len(rising)
    if same:
        remarks.append(
            f"{same} rows have the time of another one and are joined with it"
        )
    return rising, merged, remarks
