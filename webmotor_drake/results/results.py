"""The record of a run that saves and shows itself.

A saved run is a folder with two files: ``run.npz`` holds the arrays (no
pickles; any reader of NumPy archives opens it) and ``run.json`` the metadata, which
tells by a digest which ``run.npz`` it belongs to.
"""

# Pandas has no types.
# pyright: reportMissingTypeStubs=false

import hashlib
import importlib
import io
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from webmotor_drake.errors import InputError, needing, one_line
from webmotor_drake.limits import too_large
from webmotor_drake.results import whole_file
from webmotor_drake.results.run_record import RunRecord, checked_metadata
from webmotor_drake.results.summary import summary_html

if TYPE_CHECKING:
    import pandas
    import xarray

    from webmotor_drake.results.plots import RunFigure

ARRAYS_FILE = "run.npz"
METADATA_FILE = "run.json"

_Parsed = TypeVar("_Parsed")

# Column names of poses.
_AXES, _COMPONENTS = list("xyz"), list("wxyz")

# Key in run.json of the digest of its run.npz.
_DIGEST = "arrays_sha256"


class Results(RunRecord):
    """The signals of a run of K motor periods.

    Row 0 is the state before the first step. Row k of a signal that belongs to
    steps, such as a command, is of the step that ended at ``time[k]``.

    Attributes:
        time: shape (K+1,), s.
        signals: arrays by name ``<model>/<motor>/<signal>``, each shape (K+1,) and
            float64; SI units, rad or m by the kind of joint. Of bodies,
            ``<model>/<body>/position``, shape (K+1, 3), m, and
            ``<model>/<body>/quaternion``, shape (K+1, 4), w x y z.
        metadata: description that JSON can hold: scenario text, versions, motors,
            warnings, wall time and so on.
        positions: positions of the whole plant, shape (K+1, n), so that the run can be
            shown again; `metadata["positions"]` names the columns. None: not
            recorded.
    """

    def __repr__(self) -> str:
        """Returns a description of the run, in a line."""
        name = self.metadata.get("scenario_name")
        parts = [
            one_line(name) if name else "a run",
            _count(len(self.motors), "motor", "motors"),
            _count(len(self.bodies), "body", "bodies"),
            f"{_count(self.time.size, 'row', 'rows')} from {self.time[0]:g} to"
            f" {self.time[-1]:g} s",
        ]
        return f"<Results of {', '.join(filter(None, parts))}>"

    def _repr_html_(self) -> str:
        return summary_html(self)

    def plot(
        self,
        *,
        motors: Sequence[str] | None = None,
        signals: Sequence[str] | None = None,
        times: tuple[float, float] | None = None,
    ) -> "RunFigure":
        """Returns a figure of the run, which a notebook shows.

        Args:
            motors: names of motors and bodies, or patterns as "arm/*"; None: all.
            signals: names of signals: "position", "velocity", "effort", any other
                signal such as "energy", of bodies "position", "orientation" and
                "path". None: these six.
            times: start and end of the part to show, s; None: all of it.

        Raises:
            InputError: there is no such motor or signal.
        """
        from webmotor_drake.results.plots import run_figure

        return run_figure(self, motors=motors, signals=signals, times=times)

    def to_dataframe(self) -> "pandas.DataFrame":
        """Returns the signals as a table of pandas: one column each, by time in s.

        Poses have a column per number: "<model>/<body>/position/x".

        Raises:
            InputError: pandas is missing.
        """
        columns: dict[str, np.ndarray] = {}
        for name, values in self.signals.items():
            if values.ndim == 1:
                columns[name] = values
                continue
            letters = _AXES if values.shape[1] == 3 else _COMPONENTS
            for letter, column in zip(letters, values.T, strict=True):
                columns[f"{name}/{letter}"] = column
        pandas = needed("pandas")
        index = pandas.Index(self.time, name="time")
        return pandas.DataFrame(columns, index=index)

    def to_xarray(self) -> "xarray.Dataset":
        """Returns the signals as a Dataset of xarray.

        A signal of motors has the dimensions time and motor, with the coordinate
        `unit` ("rad", "m") along the motors; `body_position` has time, body and
        axis, `body_quaternion` time, body and component. Where a motor has no such
        signal it is NaN.

        Raises:
            InputError: xarray is missing.
        """
        motors, bodies = self.motors, self.bodies
        missing = np.full(self.time.size, np.nan)
        variables: dict[str, tuple[tuple[str, ...], np.ndarray]] = {}
        for signal in self.signal_names:
            names = [f"{motor}/{signal}" for motor in motors]
            columns = [self.signals.get(name, missing) for name in names]
            variables[signal] = ("time", "motor"), np.column_stack(columns)
        known = self.metadata.get("motors", {})
        units = [known.get(motor, {}).get("unit", "") for motor in motors]
        coordinates: dict[str, object] = {
            "time": self.time,
            "motor": motors,
            "unit": ("motor", units),
        }
        if bodies:
            coordinates |= {
                "body": bodies,
                "axis": _AXES,
                "component": _COMPONENTS,
            }
            axes = ("position", "axis"), ("quaternion", "component")
            for signal, last in axes:
                poses = [self[f"{body}/{signal}"] for body in bodies]
                dimensions = ("time", "body", last)
                stacked = np.stack(poses, axis=1)
                variables[f"body_{signal}"] = dimensions, stacked
        data = needed("xarray").Dataset(variables, coordinates)
        data["time"].attrs["units"] = "s"
        return data

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes ``run.npz`` and ``run.json`` into `folder`.

        Both are written under temporary names and renamed when both are on
        the disk, so that an earlier run there stays whole until then. In
        ``run.json`` a number that JSON cannot say (NaN, infinity) is null.

        Args:
            folder: folder of the run, made if needed.

        Raises:
            InputError: the folder cannot be written; says why.
        """
        files = {Path(folder, n): data for n, data in self.files().items()}
        for file in files:
            whole_file.check_regular(file)
        whole_file.write_together(files)

    def files(self) -> dict[str, bytes]:
        """Returns the content of the files that `save` writes, by name."""
        archive = io.BytesIO()
        columns = {"time": self.time, **self.signals}
        if self.positions is not None:
            columns["positions"] = self.positions
        np.savez_compressed(archive, **cast(dict[str, Any], columns))
        arrays = archive.getvalue()
        metadata = {
            **_plain(self.metadata),
            _DIGEST: hashlib.sha256(arrays).hexdigest(),
        }
        text = json.dumps(metadata, indent=1, ensure_ascii=False)
        # backslashreplace: a lone surrogate becomes JSON's own escape for it.
        document = f"{text}\n".encode(errors="backslashreplace")
        return {ARRAYS_FILE: arrays, METADATA_FILE: document}

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> "Results":
        """Reads a run that `save` wrote.

        Raises:
            InputError: a file is missing or damaged, or the two are of
                different runs, as a crash may leave them.
        """
        data, signals = _load(Path(folder, ARRAYS_FILE), _parse_arrays)
        _, metadata = _load(Path(folder, METADATA_FILE), _parse_metadata)
        own = hashlib.sha256(data).hexdigest()
        if metadata.pop(_DIGEST, None) not in (None, own):
            raise InputError(
                f"cannot read {folder}: {ARRAYS_FILE} and {METADATA_FILE} are of"
                " different runs, or damaged"
            )
        try:
            metadata = checked_metadata(metadata)
        except InputError as error:
            raise error.at(str(Path(folder, METADATA_FILE))) from None
        try:
            return cls(
                time=signals.pop("time"),
                positions=signals.pop("positions", None),
                signals=signals,
                metadata=metadata,
            )
        except InputError as error:
            raise error.at(str(Path(folder, ARRAYS_FILE))) from None


def needed(library: str) -> ModuleType:
    """Returns a library.

    Raises:
        InputError: the library is missing; names the extra that installs it.
    """
    with needing(f"{library} is missing", "'webmotor-drake[notebook]'"):
        return importlib.import_module(library)


def check_writable(folder: str | os.PathLike[str]) -> None:
    """Proves that a run can be saved in `folder`, which is made if needed.

    Called before a long simulation rather than after it.

    Raises:
        InputError: the folder cannot be written; says why.
    """
    for name in (ARRAYS_FILE, METADATA_FILE):
        whole_file.check_regular(Path(folder, name))
        whole_file.check_writable(Path(folder, name))


def _count(number: int, one: str, many: str) -> str:
    """Returns "1 motor", "2 motors", and nothing for none."""
    return f"{number} {one if number == 1 else many}" if number else ""


def _plain(value: object) -> Any:
    """Returns `value` as strict JSON has it.

    NaN and infinities become None, NumPy's numbers and arrays become Python's, and
    objects unknown to JSON become text, so that none of them prevents saving a run.
    """
    if isinstance(value, Mapping):
        items = cast(Mapping[object, object], value).items()
        return {str(key): _plain(item) for key, item in items}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(cast(np.ndarray, value).tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast(list[object], value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return str(value)


def _load(
    path: Path, parse: Callable[[bytes], _Parsed]
) -> tuple[bytes, _Parsed]:
    if path.parent.is_file():
        raise InputError(
            f"cannot read {path.parent}: the folder of a saved run is needed"
        )
    data = whole_file.load_bytes(path)
    try:
        return data, parse(data)
    except InputError as error:
        raise error.at(str(path)) from None
    except Exception as error:  # a damaged file can make a parser raise any
        problem = f"cannot read {path}: damaged, or not from a saved run"
        raise InputError(problem) from error


def _parse_arrays(data: bytes) -> dict[str, np.ndarray]:
    """Returns the members of an .npz archive, ``time`` among them."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        if problem := too_large(archive.zip):
            raise InputError(problem)
        # The full member name: 'a' and 'a.npy' may both be signals.
        arrays = {name: archive[f"{name}.npy"] for name in archive.files}
    if "time" not in arrays:
        raise KeyError("time")
    return arrays


def _parse_metadata(data: bytes) -> dict[str, Any]:
    metadata: object = json.loads(data)
    if not isinstance(metadata, dict):
        raise TypeError(type(metadata))
    return cast(dict[str, Any], metadata)
