"""The two files of a saved run, to and from bytes."""

import hashlib
import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_large
from webmotor_drake.results.whole_file import load_bytes

Parsed = TypeVar("Parsed")


def plain(value: object) -> Any:
    """Returns `value` as strict JSON has it.

    NaN and infinities become None, NumPy's numbers and arrays Python's, and
    what JSON has no word for its text: a run is not lost to a stray object.
    """
    if isinstance(value, Mapping):
        items = cast(Mapping[object, object], value).items()
        return {str(key): plain(item) for key, item in items}
    if isinstance(value, np.ndarray | np.generic):
        return plain(cast(np.ndarray, value).tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast(list[object], value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return str(value)


def digest(data: bytes) -> str:
    """Returns the digest of a run's arrays."""
    return hashlib.sha256(data).hexdigest()


def load(path: Path, parse: Callable[[bytes], Parsed]) -> tuple[bytes, Parsed]:
    """Returns the bytes of `path`, and their parsed content."""
    if path.parent.is_file():
        raise InputError(
            f"cannot read {path.parent}: the folder of a saved run is needed"
        )
    data = load_bytes(path)
    try:
        return data, parse(data)
    except InputError as error:
        raise error.at(str(path)) from None
    except Exception as error:  # a damaged file can make a parser raise any
        problem = f"cannot read {path}: damaged, or not from a saved run"
        raise InputError(problem) from error


def parse_arrays(data: bytes) -> dict[str, np.ndarray]:
    """Returns the members of an .npz archive, ``time`` among them."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        if problem := too_large(archive.zip):
            raise InputError(problem)
        # The full member name: 'a' and 'a.npy' may both be signals.
        arrays = {name: archive[f"{name}.npy"] for name in archive.files}
    if "time" not in arrays:
        raise KeyError("time")
    return arrays


def parse_metadata(data: bytes) -> dict[str, Any]:
    """Returns the object of a JSON document."""
    metadata: object = json.loads(data)
    if not isinstance(metadata, dict):
        raise TypeError(type(metadata))
    return cast(dict[str, Any], metadata)
