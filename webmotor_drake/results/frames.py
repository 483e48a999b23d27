"""Signals as the tables of pandas and xarray."""

# Pandas has no types.
# pyright: reportMissingTypeStubs=false

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from webmotor_drake.errors import needing
from webmotor_drake.results.run_record import RunRecord

if TYPE_CHECKING:
    import pandas
    import xarray

_AXES = list("xyz")
_COMPONENTS = list("wxyz")


def dataframe(results: RunRecord) -> "pandas.DataFrame":
    """Returns one column per signal, by time; see `Results.to_dataframe`."""
    columns: dict[str, np.ndarray] = {}
    for name, values in results.signals.items():
        if values.ndim == 1:
            columns[name] = values
            continue
        letters = _AXES if values.shape[1] == 3 else _COMPONENTS
        for letter, column in zip(letters, values.T, strict=True):
            columns[f"{name}/{letter}"] = column
    pandas = needed("pandas")
    index = pandas.Index(results.time, name="time")
    return pandas.DataFrame(columns, index=index)


def dataset(results: RunRecord) -> "xarray.Dataset":
    """Returns signals with their dimensions; see `Results.to_xarray`."""
    motors, bodies = results.motors, results.bodies
    missing = np.full(results.time.size, np.nan)
    variables: dict[str, tuple[tuple[str, ...], np.ndarray]] = {
        signal: (
            ("time", "motor"),
            np.column_stack(
                [results.signals.get(f"{m}/{signal}", missing) for m in motors]
            ),
        )
        for signal in results.signal_names
    }
    coordinates: dict[str, object] = {"time": results.time, "motor": motors}
    known = results.metadata.get("motors", {})
    units = [known.get(motor, {}).get("unit", "") for motor in motors]
    coordinates["unit"] = ("motor", units)
    if bodies:
        coordinates |= {"body": bodies, "axis": _AXES, "component": _COMPONENTS}
        for signal, last in (("position", "axis"), ("quaternion", "component")):
            poses = [results[f"{body}/{signal}"] for body in bodies]
            dimensions = ("time", "body", last)
            variables[f"body_{signal}"] = (dimensions, np.stack(poses, axis=1))
    data = needed("xarray").Dataset(variables, coordinates)
    data["time"].attrs["units"] = "s"
    return data


def needed(library: str) -> ModuleType:
    """Returns a library.

    Raises:
        InputError: it is missing; says which extra brings it.
    """
    with needing(f"{library} is missing", "'webmotor-drake[notebook]'"):
        return importlib.import_module(library)
