"""Loops over motors, joints and rays, which a C compiler compiles at installation.

The modules are plain Python and run as they are, on memoryviews. If there was a
compiler, the compiled modules are imported instead, with the same results to the bit.
Their types are in the .pxd file beside each. `docs/decisions.md` says why.
"""

import functools
import os
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from webmotor_drake.loops import binaries

# Variable that makes the Python text run: for debuggers, coverage and tests.
UNCOMPILED = "WEBMOTOR_UNCOMPILED"

_found = None if os.environ.get(UNCOMPILED) else binaries.found()
if _found is not None:
    __path__.insert(0, str(_found))

# True if the loops are compiled.
COMPILED = _found is not None

# A truth value of numpy is a byte.
_KINDS = {"double": float, "Py_ssize_t": int, "unsigned char": bool}


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of the loops in a form that takes numpy arrays."""
    if COMPILED:
        return function

    @functools.wraps(function)
    def on_views(*arguments: Any) -> Any:
        views = [
            memoryview(a) if isinstance(a, np.ndarray) else a for a in arguments
        ]
        return function(*views)

    return on_views


@functools.cache
def record(name: str) -> np.dtype:
    """Returns the numpy type of a record of `records.pxd`, such as "Law"."""
    text = Path(__file__).with_name("records.pxd").read_text("utf-8")
    _, _, fields = text.partition(f"cdef packed struct {name}:\n")
    lines = fields.partition("\n\n")[0].splitlines()
    kinds = [line.partition("#")[0].rsplit(maxsplit=1) for line in lines]
    return np.dtype([(field, _KINDS[kind.strip()]) for kind, field in kinds])


def records(kind: np.dtype, *rows: Any) -> np.ndarray:
    """Returns an array of records of a kind, from one row per field."""
    made = np.empty(len(rows[0]), kind)
    for name, row in zip(kind.names or (), rows, strict=True):
        made[name] = row
    return made


def taken(records: np.ndarray) -> Any:
    """Returns records as loops take them: an array, or objects with attributes."""
    if COMPILED:
        return records
    names = records.dtype.names or ()
    rows = [dict(zip(names, row, strict=True)) for row in records.tolist()]
    return [types.SimpleNamespace(**row) for row in rows]


def zeros(*shape: int) -> memoryview:
    """Returns room for numbers that loops write to."""
    return memoryview(np.zeros(shape))


def places(values: Any) -> memoryview:
    """Returns whole numbers, such as places in a vector, as loops take them."""
    return memoryview(np.ascontiguousarray(values, np.intp))
