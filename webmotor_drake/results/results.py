"""The record of a run: signals over time, and what the run was.

A saved run is a folder with two files: ``run.npz`` holds the arrays (no
pickles; any reader of NumPy archives opens it) and ``run.json`` the metadata, which
tells by a digest which ``run.npz`` it belongs to.
"""

import hashlib
import io
import json
import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results import whole_file

ARRAYS_FILE = "run.npz"
METADATA_FILE = "run.json"

# The signals of a body, and how many numbers each has per row.
BODY_SIGNALS = {"position": 3, "quaternion": 4}

# Where run.json has the digest of its run.npz.
_DIGEST = "arrays_sha256"


class Units(NamedTuple):
    """Units of a motor's signals, as text."""

    position: str
    velocity: str
    effort: str


ROTATIONAL = Units("rad", "rad/s", "N·m")
LINEAR = Units("m", "m/s", "N")


@dataclass(frozen=True, eq=False)
class Results:
    """The signals of a run of K motor periods.

    Row 0 is the state before the first step; row k, of a signal that belongs
    to a step, tells of the step that ended at ``time[k]``.

    Attributes:
        time: shape (K+1,), s.
        signals: by name ``<model>/<motor>/<signal>``, each shape (K+1,) and
            float64; SI units, rad or m as the joint has it. Of bodies,
            ``<model>/<body>/position``, shape (K+1, 3), m, and
            ``<model>/<body>/quaternion``, shape (K+1, 4), w x y z.
        metadata: what JSON can say: scenario text, versions, motors,
            warnings, wall time and so on.
        positions: of the whole plant, shape (K+1, n), so that the run can be
            shown again; what each column is says `metadata["positions"]`. None:
            not recorded.
    """

    time: np.ndarray
    signals: dict[str, np.ndarray]
    metadata: dict[str, Any] = field(default_factory=dict)
    positions: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Refuses arrays that do not match and names that cannot be kept."""
        time = _column("time", self.time)
        signals = {}
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

    def __contains__(self, name: object) -> bool:
        """Returns whether there is a signal `name`."""
        return name in self.signals

    @property
    def motors(self) -> list[str]:
        """Every ``<model>/<motor>``, in the order of the signals."""
        bodies = set(self.bodies)
        owners = dict.fromkeys(n.rpartition("/")[0] for n in self.signals)
        return [owner for owner in owners if owner not in bodies]

    @property
    def bodies(self) -> list[str]:
        """Every ``<model>/<body>`` whose pose was recorded."""
        return [
            name.rpartition("/")[0] for name in self.signals if _is_pose(name)
        ]

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
        """Returns the finite ones of min_`kind` and max_`kind`, rad or m.

        Equal limits mean that there are none, as in Webots.

        Args:
            motor: ``<model>/<motor>``.
            kind: "position" for the soft limits, "stop" for the mechanical.
        """
        info = self.motor_metadata(motor)
        ends = [info.get(f"{side}_{kind}") for side in ("min", "max")]
        ends = [math.inf if end is None else end for end in ends]
        return [e for e in ends if math.isfinite(e) and ends[0] != ends[1]]

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes ``run.npz`` and ``run.json`` into `folder`.

        Both are written under temporary names and renamed when both are on
        the disk, so that an earlier run there stays whole until then. In
        ``run.json`` a number that JSON cannot say (NaN, infinity) is null.

        Raises:
            InputError: the folder cannot be written; says why.
        """
        files = self.files().items()
        whole_file.write_together(
            {Path(folder, name): data for name, data in files}
        )

    def files(self) -> dict[str, bytes]:
        """Returns what `save` writes, by name."""
        archive = io.BytesIO()
        columns = {"time": self.time, **self.signals}
        if self.positions is not None:
            columns["positions"] = self.positions
        np.savez_compressed(archive, **columns)
        arrays = archive.getvalue()
        metadata = {**_plain(self.metadata), _DIGEST: _digest(arrays)}
        text = json.dumps(metadata, indent=1, ensure_ascii=False)
        # backslashreplace: a lone surrogate becomes JSON's own escape for it.
        document = f"{text}\n".encode(errors="backslashreplace")
        return {ARRAYS_FILE: arrays, METADATA_FILE: document}

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> "Results":
        """Reads a run that `save` wrote.

        Raises:
            InputError: a file is missing or damaged, or the two are of
                different runs: halves of both, as a crash may leave them.
        """
        data, signals = _read(Path(folder, ARRAYS_FILE), _parse_arrays)
        _, metadata = _read(Path(folder, METADATA_FILE), _parse_metadata)
        if metadata.pop(_DIGEST, None) not in (None, _digest(data)):
            raise InputError(
                f"cannot read {folder}: {ARRAYS_FILE} and {METADATA_FILE} are of"
                " different runs, or damaged"
            )
        try:
            return cls(
                time=signals.pop("time"),
                positions=signals.pop("positions", None),
                signals=signals,
                metadata=metadata,
            )
        except InputError as error:
            raise error.at(str(Path(folder, ARRAYS_FILE))) from None


def check_writable(folder: str | os.PathLike[str]) -> None:
    """Proves that a run can be saved in `folder`, which is made if needed.

    Called before a long simulation rather than after it.

    Raises:
        InputError: the folder cannot be written; says why.
    """
    for name in (ARRAYS_FILE, METADATA_FILE):
        whole_file.check_writable(Path(folder, name))


def _is_pose(name: str) -> bool:
    """Whether a signal is the one that only bodies have."""
    return name.endswith("/quaternion")


def _width(name: str, names: Collection[str]) -> int | None:
    """Returns the numbers per row of a signal; None: one, of no width."""
    owner, _, signal = name.rpartition("/")
    if f"{owner}/quaternion" not in names:
        return None
    return BODY_SIGNALS.get(signal)


def _column(name: str, values: Any, width: int | None = None) -> np.ndarray:
    """Returns `values` as float64, shape (K+1,) or (K+1, width), K >= 0."""
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("not a list of numbers", path=(name,)) from None
    row = () if width is None else (width,)
    if column.shape[1:] != row or not column.ndim or not column.size:
        expected = "(K+1,)" if width is None else f"(K+1, {width})"
        problem = f"expected shape {expected}, found {column.shape}"
        raise InputError(problem, path=(name,))
    return column


def _positions(values: Any, rows: int) -> np.ndarray:
    """Returns `values` as float64, shape (rows, n)."""
    positions = np.asarray(values, dtype=np.float64)
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
    # A name with ".." would leave the folder that an archive is unpacked in.
    if len(parts) < 3 or {"", ".", ".."} & set(parts) or not storable:
        raise InputError(
            f"signal name {name!r} is not <model>/<motor>/<signal>"
        )


def _plain(value: Any) -> Any:
    """Returns `value` as strict JSON has it.

    NaN and infinities become None, NumPy's numbers and arrays Python's, and
    what JSON has no word for its text: a run is not lost to a stray object.
    """
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return str(value)


def _digest(data: bytes) -> str:
    """Returns what tells the arrays of one run from those of another."""
    return hashlib.sha256(data).hexdigest()


def _read(path: Path, parse: Any) -> tuple[bytes, Any]:
    """Returns the bytes of `path` and what `parse` makes of them."""
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = f"cannot read {path}: {whole_file.reason(error)}"
        raise InputError(problem) from error
    try:
        return data, parse(data)
    except Exception as error:  # a damaged file can make a parser raise any
        problem = f"cannot read {path}: damaged, or not from a saved run"
        raise InputError(problem) from error


def _parse_arrays(data: bytes) -> dict[str, np.ndarray]:
    """Returns the members of an .npz archive, ``time`` among them."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        # The full member name: 'a' and 'a.npy' may both be signals.
        arrays = {name: archive[f"{name}.npy"] for name in archive.files}
    if "time" not in arrays:
        raise KeyError("time")
    return arrays


def _parse_metadata(data: bytes) -> dict[str, Any]:
    """Returns the object of a JSON document."""
    metadata = json.loads(data)
    if not isinstance(metadata, dict):
        raise TypeError(type(metadata))
    return metadata
