"""The clocks of a bag's topics: two computers give stamps, one of them records.

The times of arrival are of one clock, and say how far stamps are apart. Where they do
not, as in bags that were put together, positions are laid over their targets.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# Stamps of one clock are beside their arrival by the way of a message, s.
_APART = 0.05
# Positions follow their targets within that time, if the clocks are one, s.
_FOLLOWS = -0.02, 0.3
# Less alike than that, nothing is said, 1.
_ALIKE = 0.6
_FINEST = 2e-3  # s


class Message(NamedTuple):
    """A message that tells of joints.

    Attributes:
        topic: its topic.
        stamp: time of its header, ns.
        arrived: time of its arrival, ns.
        values: by column, such as "knee.position".
    """

    topic: str
    stamp: int
    arrived: int
    values: dict[str, float]


def on_one_clock(
    messages: Sequence[Message],
) -> tuple[list[Message], list[str]]:
    """Returns messages with stamps of one clock, and the offsets, in lines.

    It is the clock of the topic that measures most; others are shifted to it.
    """
    of_topics: dict[str, list[Message]] = {}
    for message in messages:
        of_topics.setdefault(message.topic, []).append(message)

    def measures(topic: str) -> int:
        return sum(
            ".position" in name for m in of_topics[topic] for name in m.values
        )

    main = max(of_topics, key=measures)
    if len(of_topics) == 1 or not measures(main):
        return list(messages), []
    kept, remarks = list(of_topics.pop(main)), []
    own = _behind(kept)
    measured = list(kept)
    for topic, some in of_topics.items():
        shift, by = _behind(some) - own, "times of arrival"
        if abs(shift) * 1e-9 < _APART:
            shift = 0
        lag = _lag([m._replace(stamp=m.stamp - shift) for m in some], measured)
        if lag is not None and not _FOLLOWS[0] <= lag <= _FOLLOWS[1]:
            shift -= round(lag * 1e9)
            by = (
                "cross-correlation of targets and positions, which has the motors'"
                " own delay in it"
            )
        elif shift and lag is not None:
            by += f"; positions then follow their targets by {1e3 * lag:.3g} ms"
        if shift:
            side = "before" if shift > 0 else "behind"
            remarks.append(
                f"the clock of {topic} is {abs(shift) * 1e-9:.4g} s {side} that of"
                f" {main}, and set to it: by {by}"
            )
        kept += [m._replace(stamp=m.stamp - shift) for m in some]
    return kept, remarks


def _behind(messages: Sequence[Message]) -> int:
    """Returns the usual time from arrival to stamp, ns."""
    return int(np.median([m.stamp - m.arrived for m in messages]))


def _lag(
    commands: Sequence[Message], measured: Sequence[Message]
) -> float | None:
    """Returns the time by which positions follow their targets, s; None: unknown."""
    start = min(commands[0].stamp, measured[0].stamp)
    targets = _series(commands, start, ".target")
    positions = _series(measured, start, ".position")
    names = [name for name in targets if name in positions]
    if not names:
        return None
    both = [[of[name] for name in names] for of in (targets, positions)]
    usual = [np.median(np.diff(t)) for rows in both for t, _ in rows]
    step = max(_FINEST, *usual)
    (t, x), (u, y) = (_even(rows, step) for rows in both)
    (_, n), (_, m) = x.shape, y.shape
    product = np.fft.rfft(y, n + m) * np.conj(np.fft.rfft(x, n + m))
    lags = np.arange(1 - n, m)
    alike = np.fft.irfft(product, n + m).mean(axis=0)[lags]
    best, near = int(np.argmax(alike)), round(_FOLLOWS[1] / step)
    if alike[best] < _ALIKE:
        return None
    # Sums over fewer samples are less: beside the best that is made up for.
    alike /= np.minimum(n + lags, m) - np.maximum(lags, 0)
    first = max(best - near, 0)
    best = first + int(np.argmax(alike[first : best + near + 1]))
    return u - t + step * float(lags[best])


def _series(
    messages: Sequence[Message], start: int, end: str
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns times, s, and values of each joint's columns with such an end."""
    found: dict[str, list[tuple[float, float]]] = {}
    for message in messages:
        for name, value in message.values.items():
            if name.endswith(end) and np.isfinite(value):
                moment = (message.stamp - start) * 1e-9
                found.setdefault(name.removesuffix(end), []).append(
                    (moment, value)
                )
    return {
        name: tuple(np.array(sorted(rows)).T)
        for name, rows in found.items()
        if len(rows) > 1
    }


def _even(
    rows: Sequence[tuple[np.ndarray, np.ndarray]], step: float
) -> tuple[float, np.ndarray]:
    """Returns the start, and signals at even times, of mean 0 and norm 1 each."""
    start = min(time[0] for time, _ in rows)
    grid = np.arange(start, max(time[-1] for time, _ in rows) + step, step)
    even = np.array([np.interp(grid, time, values) for time, values in rows])
    even -= even.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(even, axis=1, keepdims=True)
    return float(start), even / np.maximum(norms, np.finfo(float).tiny)
