"""Loops over motors, joints and rays, which a C compiler compiles at installation.

The modules are plain Python and run as they stand, on memoryviews; where there was a
compiler they are imported as what it made of them, to the same bits. The types that it
needs stand in the .pxd file beside each. `docs/decisions.md` says why.
"""

import functools
import os
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from webmotor_drake.loops import binaries

# Has the text run even so: for debuggers, profilers, coverage, and tests.
UNCOMPILED = "WEBMOTOR_UNCOMPILED"

_found = None if os.environ.get(UNCOMPILED) else binaries.found()
if _found is not None:
    __path__.insert(0, str(_found))

# True if the loops are compiled.
COMPILED = _found is not None

# A truth value of numpy is a byte.
_KINDS = {"double": float, "Py_ssize_t": int, "unsigned char": bool}


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of the loops that takes arrays."""
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
    """Returns a record of `records.pxd`, such as "Law", as numpy has it."""
    text = Path(__file__).with_name("records.pxd").read_text("utf-8")
    _, _, fields = text.partition(f"cdef packed struct {name}:\n")
    lines = fields.partition("\n\n")[0].splitlines()
    kinds = [line.partition("#")[0].rsplit(maxsplit=1) for line in lines]
    return np.dtype([(field, _KINDS[kind.strip()]) for kind, field in kinds])


def records(kind: np.dtype, *rows: Any) -> np.ndarray:
    """Returns an array of records of that kind, from a row per field."""
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


# A row of commands that there is not.
NO_ROW = np.zeros(0)


def zeros(*shape: int) -> memoryview:
    """Returns room for numbers that loops write to."""
    return memoryview(np.zeros(shape))


def places(values: Any) -> memoryview:
    """Returns whole numbers, such as places in a vector, as loops take them."""
    return memoryview(np.ascontiguousarray(values, np.intp))
