"""Logs from ROS bags: topics that tell of joints, as columns of a table.

ROS 1 and ROS 2 (MCAP and SQLite) are read by `rosbags`. A message has the time of its
header, else that of its arrival.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, needing, one_line
from webmotor_drake.fitting.topic_clocks import Message, on_one_clock

# Names of topics that command, where their messages could be measurements as well.
_COMMANDS = re.compile(
    r"command|cmd|desired|goal|target|reference|setpoint", re.I
)
_MEASURED = {"position": "position", "velocity": "velocity", "effort": "effort"}
_COMMANDED = {
    "position": "target",
    "velocity": "target_velocity",
    "effort": "target_effort",
}
# Parts of a controller's state, in the words of ROS 1 and of ROS 2.
_PARTS = {
    "desired": _COMMANDED,
    "reference": _COMMANDED,
    "actual": _MEASURED,
    "feedback": _MEASURED,
}


def is_bag(path: Path) -> bool:
    """Returns whether a path is that of a bag, by its name or its metadata."""
    return path.suffix in (".bag", ".mcap", ".db3") or (
        (path / "metadata.yaml").is_file()
    )


def bag_table(path: Path) -> tuple[dict[str, np.ndarray], list[str]]:
    """Returns columns of a bag that tell of joints, and the times; and remarks.

    Joints are told by JointState, JointTrajectory and controllers' states; numbers of
    other messages have a column "/topic.data[0]" each, for --columns.

    Raises:
        InputError: it cannot be read, or no topic tells of joints.
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
    """Returns the time of a message's header, ns; 0: it has none."""
    stamp = getattr(getattr(message, "header", None), "stamp", None)
    return 0 if stamp is None else stamp.sec * 10**9 + stamp.nanosec


def _values_in(topic: str, message: object) -> Iterator[tuple[str, float]]:
    """Gives the columns and values of a message."""
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
