"""The record of a run in memory: signals over time, and metadata."""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.nodes.check import check_type

# The signals of a body, and how many numbers each has per row.
BODY_SIGNALS = {"position": 3, "quaternion": 4}


class Units(NamedTuple):
    """Units of a motor's signals, as text."""

    position: str
    velocity: str
    effort: str


ROTATIONAL = Units("rad", "rad/s", "N·m")
LINEAR = Units("m", "m/s", "N")


@dataclass(frozen=True, eq=False)
class RunRecord:
    """The signals of a run of K motor periods; see `Results` for the fields."""

    time: np.ndarray
    signals: dict[str, np.ndarray]
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    positions: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Refuses arrays that do not match and names that cannot be kept."""
        time = _column("time", self.time)
        if not np.isfinite(time).all() or (time[1:] < time[:-1]).any():
            raise InputError("not finite times that rise", path=("time",))
        signals: dict[str, np.ndarray] = {}
        for name, values in self.signals.items():
            check_name(name)
            signals[name] = _column(name, values, _width(name, self.signals))
            if len(signals[name]) != len(time):
                rows = f"{len(signals[name])} rows beside {time.size} of time"
                raise InputError(rows, path=("signals", name))
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "signals", signals)
        if self.positions is not None:
            positions = _positions(self.positions, len(time))
            object.__setattr__(self, "positions", positions)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns the signal ``<model>/<motor>/<signal>``; see `signals`."""
        try:
            return self.signals[name]
        except KeyError:
            problem = unknown_name("signal", name, self.signals)
            raise InputError(problem) from None

    def __iter__(self) -> Iterator[str]:
        """Gives the names of the signals."""
        return iter(self.signals)

    def __contains__(self, name: object) -> bool:
        """Returns whether there is a signal `name`."""
        return name in self.signals

    def keys(self) -> list[str]:
        """Returns the names of the signals; `dict(results)` has them all."""
        return list(self.signals)

    _ipython_key_completions_ = keys

    @property
    def motors(self) -> list[str]:
        """Every ``<model>/<motor>``, in the order of the signals."""
        others = {*self.bodies, *self.joints}
        owners = dict.fromkeys(n.rpartition("/")[0] for n in self.signals)
        return [owner for owner in owners if owner not in others]

    @property
    def joints(self) -> list[str]:
        """Every ``<model>/<joint>`` that a driver names and no motor drives.

        Their signals are the position (rad or m) and the velocity.
        """
        return list(self.metadata.get("joints", {}))

    @property
    def bodies(self) -> list[str]:
        """Every ``<model>/<body>`` whose pose was recorded."""
        poses = (n for n in self.signals if n.endswith("/quaternion"))
        return [name.rpartition("/")[0] for name in poses]

    @property
    def signal_names(self) -> list[str]:
        """The last parts of motors' signals, in the order of the signals."""
        motors = set(self.motors)
        parts = (name.rpartition("/") for name in self.signals)
        return list(dict.fromkeys(s for m, _, s in parts if m in motors))

    def motor_metadata(self, motor: str) -> dict[str, Any]:
        """Returns ``metadata["motors"]["<model>/<motor>"]``.

        Raises:
            InputError: the metadata does not know the motor.
        """
        motors = self.metadata.get("motors", {})
        if motor not in motors:
            problem = unknown_name("motor", motor, motors)
            raise InputError(problem, path=("metadata", "motors"))
        return motors[motor]

    def units(self, motor: str) -> Units:
        """Returns the units of the signals of ``<model>/<motor>``."""
        linear = self.motor_metadata(motor).get("unit") == "m"
        return LINEAR if linear else ROTATIONAL

    def limits(self, motor: str, kind: str) -> list[float]:
        """Returns the finite limits among min_`kind` and max_`kind`, rad or m.

        Equal limits mean no limits, as in Webots.

        Args:
            motor: full name of the motor, ``<model>/<motor>``.
            kind: "position" for the soft limits, "stop" for the mechanical.
        """
        info = self.motor_metadata(motor)
        ends = [info.get(f"{side}_{kind}") for side in ("min", "max")]
        ends = [math.inf if end is None else end for end in ends]
        return [e for e in ends if math.isfinite(e) and ends[0] != ends[1]]


def roll_pitch_yaw(quaternions: np.ndarray) -> np.ndarray:
    """Returns roll, pitch and yaw, rad, as Drake's RollPitchYaw has them.

    The body is turned about the world's x by roll, then y by pitch, then z by yaw.
    Roll and yaw don't jump by a whole turn from row to row.

    Args:
        quaternions: unit quaternions w, x, y, z, shape (K, 4).

    Returns:
        Angles roll, pitch and yaw, shape (K, 3).
    """
    w, x, y, z = quaternions.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    angles = np.column_stack([roll, pitch, yaw])
    known = np.isfinite(angles).all(axis=1)
    angles[known] = np.unwrap(angles[known], axis=0)
    return angles


def _width(name: str, names: Collection[str]) -> int | None:
    """Returns the numbers per row of a signal; None: a plain number."""
    owner, _, signal = name.rpartition("/")
    if f"{owner}/quaternion" not in names:
        return None
    return BODY_SIGNALS.get(signal)


def _column(name: str, values: Any, width: int | None = None) -> np.ndarray:
    """Returns `values` as float64, shape (K+1,) or (K+1, width), K >= 0."""
    column = _numbers(name, values)
    row = () if width is None else (width,)
    if column.shape[1:] != row or not column.ndim or not column.size:
        expected = "(K+1,)" if width is None else f"(K+1, {width})"
        problem = f"expected shape {expected}, found {column.shape}"
        raise InputError(problem, path=(name,))
    return column


def _numbers(name: str, values: Any) -> np.ndarray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("not a list of numbers", path=(name,)) from None


def _positions(values: Any, rows: int) -> np.ndarray:
    positions = _numbers("positions", values)
    if positions.ndim != 2 or len(positions) != rows:
        problem = f"shape {positions.shape} beside {rows} of time"
        raise InputError(problem, path=("positions",))
    return positions


def check_name(name: str) -> None:
    """Refuses names that are not model/motor/signal, or that zip mangles.

    Raises:
        InputError: no signal can be called `name`.
    """
    parts = name.split("/")
    storable = not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in name)
    # A name with ".." would unpack out of the archive's folder.
    if len(parts) < 3 or {"", ".", ".."} & set(parts) or not storable:
        raise InputError(
            f"signal name {name!r} is not <model>/<motor>/<signal>"
        )


_Texts, _Mapping = list[str], dict[str, object]
# The fields that are read again, at the top and per motor, joint and sound. All may
# be null.
_RUN: dict[str, Any] = {
    **dict.fromkeys(("scenario", "scenario_file", "scenario_name"), str),
    **dict.fromkeys(("scenario_text", "scenario_overlay"), str),
    "scenario_folder": str,
    **dict.fromkeys(("simulation_time", "wall_time"), float),
    "real_time_factor": float,
    "package_xmls": _Texts,
    "positions": _Texts,
    "resets": list[float],
    "warnings": _Mapping,
    "versions": _Mapping,
    "motors": dict[str, _Mapping],
    "joints": dict[str, _Mapping],
    "sounds": dict[str, _Mapping],
}
_PART: dict[str, Any] = {
    **dict.fromkeys(("joint", "unit", "drive", "sound", "file", "text"), str),
    **dict.fromkeys(("start", "end", "volume", "pitch"), float),
    **dict.fromkeys(("min_position", "max_position", "max_velocity"), float),
    **dict.fromkeys(("min_stop", "max_stop", "max_effort"), float),
    "gains": list[float],
}


def checked_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Returns metadata that was read from a file, if it can be used.

    A null in place of a mapping or a list counts as missing.

    Raises:
        InputError: a value has a wrong type; names its path in the metadata.
    """
    _check(metadata, _RUN)
    for kind in ("motors", "joints", "sounds"):
        parts: dict[str, dict[str, object]] = metadata.get(kind) or {}
        for name, about in parts.items():
            with below(kind, name):
                _check(about, _PART)
    absent = [
        key
        for key, kind in _RUN.items()
        if kind not in (str, float) and metadata.get(key, ...) is None
    ]
    return {k: value for k, value in metadata.items() if k not in absent}


def _check(values: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    for key, kind in kinds.items():
        value = values.get(key)
        with below(key):
            if value is not None:
                check_type(value, kind)
            for text in (value or ()) if kind == _Texts else (value,):
                if isinstance(text, str) and "\0" in text:
                    raise InputError(f"{text!r} holds a NUL")
