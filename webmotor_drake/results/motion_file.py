"""Webots' .motion files: targets of several motors over time, as text.

They are read as Webots reads them (motion.c). Commas separate values. The first line
has format, version and the names of the motors. Each further line is a pose: its
time, a name that is ignored, and a value per motor, or `*` if it has none.
"""

import dataclasses as dc
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results import whole_file
from webmotor_drake.results.results import Results

HEADER, VERSION = "#WEBOTS_MOTION", "V1.0"

# Webots reads no more of a line.
MAX_LINE = 4095

# Webots' times are integers of 32 bits, ms.
_LATEST = 2**31 - 1

# Webots' value for "no value".
_NO_VALUE = -9999999.9


@dc.dataclass(frozen=True, eq=False)
class MotionFile:
    """The content of a .motion file.

    Attributes:
        motors: names of the n motors.
        times: times of the poses, ms, shape (K,), increasing; K is at least 1.
        positions: positions of the motors, rad or m, shape (K, n); NaN: none.
    """

    motors: tuple[str, ...]
    times: np.ndarray
    positions: np.ndarray

    @property
    def duration(self) -> int:
        """Time of the last pose, ms."""
        return int(self.times[-1])

    def at(self, time: float) -> np.ndarray:
        """Returns the positions at a time, ms: shape (n,), NaN without one.

        They are interpolated between two poses that both have a value. Before the
        first pose they are the first's, after the last pose the last's.
        """
        last = len(self.times) - 1
        if time <= self.times[0] or time >= self.times[last]:
            return self.positions[0 if time <= self.times[0] else last]
        # A pose's own time belongs to the interval before it.
        b = int(np.searchsorted(self.times, time))
        t_a, t_b = self.times[b - 1], self.times[b]
        a, b = self.positions[b - 1], self.positions[b]
        return a + (time - t_a) * (b - a) / (t_b - t_a)


def load_motion(file: str | os.PathLike[str]) -> MotionFile:
    """Reads a .motion file.

    Reading ends at the first blank line, if there is one.

    Args:
        file: .motion file, as Webots writes it.

    Raises:
        InputError: the file cannot be read, or is no .motion file; names the line.
    """
    path = Path(file)
    try:
        text = whole_file.load_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise InputError("it is not text", where=str(path)) from error
    lines = _tokens(path, text)
    motors = _read_header(path, next(lines, (1, list[str]()))[1])
    times: list[int] = []
    positions: list[list[float]] = []
    for number, tokens in lines:
        try:
            time, values = _read_pose(tokens, motors, times)
        except InputError as error:
            raise error.at(f"{path}:{number}") from None
        times.append(time)
        positions.append(values)
    if not motors or not times:
        raise InputError(
            "at least one motor and one pose are needed", where=str(path)
        )
    return MotionFile(motors, np.array(times), np.array(positions))


def _tokens(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yields number and tokens of each line before the first blank one."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line.encode()) > MAX_LINE:
            raise InputError(
                f"the line is longer than {MAX_LINE} characters",
                where=f"{path}:{number}",
            )
        tokens = [token for token in re.split(r"[,\r]", line) if token]
        if not tokens:
            return
        yield number, tokens


def _read_header(path: Path, tokens: list[str]) -> tuple[str, ...]:
    if not tokens:
        raise InputError("the first line is empty", where=str(path))
    for token, wanted in zip(tokens, (HEADER, VERSION), strict=False):
        if token != wanted:
            raise InputError(
                f"{token!r} where {wanted!r} is expected", where=f"{path}:1"
            )
    if len(tokens) < 2:
        raise InputError(f"{VERSION!r} is missing", where=f"{path}:1")
    return tuple(tokens[2:])


def _read_pose(
    tokens: list[str], motors: tuple[str, ...], times: list[int]
) -> tuple[int, list[float]]:
    """Returns time, ms, and positions of a pose."""
    time = _read_time(tokens[0])
    if times and time <= times[-1]:
        raise InputError(
            f"the time {tokens[0]} ({time} ms) is not after the last pose's"
            f" {times[-1]} ms"
        )
    if len(tokens) < 2:
        raise InputError("the pose has no name")
    values = tokens[2:]
    if len(values) != len(motors):
        raise InputError(
            f"{len(values)} values for {len(motors)} motors; * stands for none"
        )
    return time, [_read_value(value) for value in values]


def _read_time(token: str) -> int:
    """Returns [[minutes:]seconds:]milliseconds as ms."""
    if not re.fullmatch(r"([0-9]+:){0,2}[0-9]+", token):
        raise InputError(
            f"{token!r} is not a time; minutes:seconds:milliseconds is"
        )
    parts = [0, 0, *map(int, token.split(":"))]
    time = parts[-3] * 60_000 + parts[-2] * 1000 + parts[-1]
    if time > _LATEST:
        raise InputError(f"a time beyond {_LATEST} ms")
    return time


def _read_value(token: str) -> float:
    """Returns a position, rad or m; NaN for none."""
    if token == "*":
        return math.nan
    try:
        value = float(token)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{token!r} is neither a position nor *")
    return math.nan if value == _NO_VALUE else value


def write_motion(
    results: Results,
    file: str | os.PathLike[str],
    *,
    model: str | None = None,
    step: float | None = None,
) -> None:
    """Writes the positions of a run as a .motion file, whole or not at all.

    Played on the same robot, the file makes the joints follow the run: positions are
    divided by the motors' multipliers, which apply again to commands.

    Args:
        results: the run.
        file: the file to write.
        model: name of the motors' model; needed only where the run has several models.
        step: time between poses, a multiple of 0.001 s; default: the run's
            motor period, rounded to one.

    Raises:
        InputError: there is no such model, the step is not possible, the file
            cannot be written, or Webots could not read it.
    """
    motors = _motors_of(results, model)
    times = _pose_times(results, step)
    known = results.metadata.get("motors", {})
    columns = [
        np.interp(times / 1000, results.time, results[f"{motor}/position"])
        / (known.get(motor, {}).get("multiplier") or 1.0)
        for motor in motors
    ]
    names = [motor.partition("/")[2] for motor in motors]
    lines = [",".join([HEADER, VERSION, *names])]
    for i, time in enumerate(times.tolist()):
        values = [float(column[i]) for column in columns]
        texts = ["*" if math.isnan(v) else repr(v) for v in values]
        minutes, rest = divmod(time, 60_000)
        when = f"{minutes:02}:{rest // 1000:02}:{rest % 1000:03}"
        lines.append(",".join([when, f"Pose{i + 1}", *texts]))
    _check_readable(names, lines)
    whole_file.write_whole(file, "".join(f"{n}\n" for n in lines).encode())


def _motors_of(results: Results, model: str | None) -> list[str]:
    models = list(dict.fromkeys(m.partition("/")[0] for m in results.motors))
    if model is None and len(models) == 1:
        model = models[0]
    if model not in models:
        problem = (
            f"several models; give the name of one: {', '.join(models)}"
            if model is None
            else unknown_name("model", model, models)
        )
        raise InputError(problem)
    return [m for m in results.motors if m.partition("/")[0] == model]


def _pose_times(results: Results, step: float | None) -> np.ndarray:
    end = round(float(results.time[-1]) * 1e6) // 1000
    if step is None:
        period = float(results.time[1]) if len(results.time) > 1 else 0.0
        return np.arange(0, end + 1, max(round(period * 1000), 1))
    if not 0.0005 < step < math.inf:
        raise InputError(f"a step of {step} s; 0.001 s or more is allowed")
    period = round(step * 1000)
    if abs(period - step * 1000) > 1e-6:
        raise InputError(
            f"a step of {step:g} s is not a multiple of 0.001 s, in which .motion"
            f" files count; one such as {period / 1000:g} s is allowed"
        )
    return np.arange(0, end + 1, period)


def _check_readable(names: list[str], lines: list[str]) -> None:
    for name in names:
        if re.search(r"[,\r\n]", name):
            raise InputError(
                f"the name {name!r} cannot be in a .motion file: commas and line"
                " breaks separate its values"
            )
    longest = max(len(line.encode()) for line in lines)
    if longest > MAX_LINE:
        raise InputError(
            f"a line of {longest} characters; Webots reads {MAX_LINE}: too many"
            " motors for one .motion file"
        )
