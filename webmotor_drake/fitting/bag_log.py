"""Logs from ROS bags: topics about joints become columns of a table, on one clock.

ROS 1 and ROS 2 (MCAP and SQLite) are read by `rosbags`. A message has the time of its
header, else that of its arrival. If two computers stamp headers, the arrival times, all
of the recorder's clock, give the offset between the stamps. If they do not, as in
merged bags, positions are shifted until they follow their targets.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webmotor_drake.errors import InputError, needing, one_line
from webmotor_drake.fitting.robot_log import COMMANDS, MEASURED

# Names of topics that command, where their messages could be measurements as well.
_COMMANDS = re.compile(
    r"command|cmd|desired|goal|target|reference|setpoint", re.I
)
# From fields of messages to signals.
_MEASURED = dict(zip(MEASURED, MEASURED, strict=True))
_COMMANDED = dict(zip(MEASURED, COMMANDS, strict=True))
# Parts of a controller's state, in the words of ROS 1 and of ROS 2.
_PARTS = {
    "desired": _COMMANDED,
    "reference": _COMMANDED,
    "actual": _MEASURED,
    "feedback": _MEASURED,
}


def is_bag(path: Path) -> bool:
    """Returns whether a path leads to a bag, by its name or its metadata."""
    return path.suffix in (".bag", ".mcap", ".db3") or (
        (path / "metadata.yaml").is_file()
    )


def bag_table(path: Path) -> tuple[dict[str, np.ndarray], list[str]]:
    """Returns a bag's columns about joints and its times, by name, and remarks.

    JointState, JointTrajectory and controllers' states name joints. Each number of
    other messages becomes a column "/topic.data[0]", for --columns.

    Raises:
        InputError: the bag cannot be read, or no topic is about joints.
    """
    with needing("bags need rosbags", "'webmotor-drake[bags]'"):
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    is_part = (
        path.suffix != ".bag" and (path.parent / "metadata.yaml").is_file()
    )
    folder = path.parent if is_part else path
    messages: list[Message] = []
    try:
        store = get_typestore(Stores.LATEST)
        with AnyReader([folder], default_typestore=store) as reader:
            topics = {c.topic: c.msgtype for c in reader.connections}
            for connection, arrived, data in reader.messages():
                message = reader.deserialize(data, connection.msgtype)
                values = dict(_values_in(connection.topic, message))
                if values:
                    stamp = _stamp(message) or arrived
                    own = Message(connection.topic, stamp, arrived, values)
                    messages.append(own)
    except Exception as error:  # many kinds, of many libraries
        raise InputError(
            f"it cannot be read as a bag: {one_line(error) or type(error).__name__}"
            + ("; is it cut off?" if folder.exists() else ""),
            where=str(path),
        ) from None
    if not messages:
        there = ", ".join(f"{t} ({kind})" for t, kind in sorted(topics.items()))
        raise InputError(
            f"no topic tells of joints; those there are: {there or 'none'}",
            where=str(path),
        )
    messages, remarks = on_one_clock(messages)
    messages.sort(key=lambda message: message.stamp)
    names = dict.fromkeys(name for m in messages for name in m.values)
    start = messages[0].stamp  # whole ns, before they become doubles
    table = {"time_s": np.array([m.stamp - start for m in messages]) * 1e-9}
    for name in names:
        column = [m.values.get(name, np.nan) for m in messages]
        table[name] = np.array(column)
    return table, remarks


def _stamp(message: object) -> int:
    """Returns the time of a message's header, ns; 0 without one."""
    stamp = getattr(getattr(message, "header", None), "stamp", None)
    return 0 if stamp is None else stamp.sec * 10**9 + stamp.nanosec


def _values_in(topic: str, message: object) -> Iterator[tuple[str, float]]:
    names = getattr(message, "joint_names", getattr(message, "name", None))
    signals = _COMMANDED if _COMMANDS.search(topic) else _MEASURED
    points = getattr(message, "points", None)
    if isinstance(names, list) and hasattr(message, "position"):
        yield from _of_joints(names, message, signals, "")
    elif isinstance(names, list) and points:
        yield from _of_joints(names, points[0], _COMMANDED, "s")
    elif isinstance(names, list):
        for part, meaning in _PARTS.items():
            if hasattr(message, part):
                yield from _of_joints(
                    names, getattr(message, part), meaning, "s"
                )
    elif isinstance(data := getattr(message, "data", None), np.ndarray | float):
        for i, value in enumerate(np.ravel(data)):
            yield f"{topic}.data[{i}]", float(value)


def _of_joints(
    names: list[str], message: object, signals: dict[str, str], plural: str
) -> Iterator[tuple[str, float]]:
    for field, signal in signals.items():
        field = "velocitie" if plural and field == "velocity" else field
        values = getattr(message, f"{field}{plural}", ())
        for name, value in zip(names, values, strict=False):
            yield f"{name}.{signal}", float(value)


# Offsets between topics below this are travel times of messages, s.
_APART = 0.05
# Lag of positions behind their targets, if both have one clock, s.
_FOLLOWS = -0.02, 0.3
# Below this correlation the lag is unknown, 1.
_ALIKE = 0.6
_FINEST = 2e-3  # s


class Message(NamedTuple):
    """A message about joints.

    Attributes:
        topic: topic of the message.
        stamp: time of its header, ns.
        arrived: time of its arrival, ns.
        values: values by column, such as "knee.position".
    """

    topic: str
    stamp: int
    arrived: int
    values: dict[str, float]


def on_one_clock(
    messages: Sequence[Message],
) -> tuple[list[Message], list[str]]:
    """Returns messages with stamps of one clock, and remarks on offsets.

    Stamps are shifted to the clock of the topic with the most measurements.
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
    """Returns the median of stamp minus arrival, ns."""
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
    # Sums over fewer samples are smaller: near the best lag they become means.
    alike /= np.minimum(n + lags, m) - np.maximum(lags, 0)
    first = max(best - near, 0)
    best = first + int(np.argmax(alike[first : best + near + 1]))
    return u - t + step * float(lags[best])


def _series(
    messages: Sequence[Message], start: int, end: str
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns times (s) and values of each joint's column that ends with `end`."""
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
    """Returns the start, and signals resampled evenly, each of mean 0 and norm 1."""
    start = min(time[0] for time, _ in rows)
    grid = np.arange(start, max(time[-1] for time, _ in rows) + step, step)
    even = np.array([np.interp(grid, time, values) for time, values in rows])
    even -= even.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(even, axis=1, keepdims=True)
    return float(start), even / np.maximum(norms, np.finfo(float).tiny)
