"""The types of a saved run's metadata."""

from collections.abc import Mapping
from typing import Any

from webmotor_drake.errors import InputError, below
from webmotor_drake.nodes.check import check_type

_Texts, _Mapping = list[str], dict[str, object]
# The fields that are read again, at the top and per motor, joint and sound. All may
# be null.
_RUN: dict[str, Any] = {
    "scenario_file": str,
    "scenario_name": str,
    "scenario": str,
    "scenario_text": str,
    "scenario_overlay": str,
    "scenario_folder": str,
    "package_xmls": _Texts,
    "simulation_time": float,
    "wall_time": float,
    "real_time_factor": float,
    "positions": _Texts,
    "resets": list[float],
    "warnings": _Mapping,
    "versions": _Mapping,
    "motors": dict[str, _Mapping],
    "joints": dict[str, _Mapping],
    "sounds": dict[str, _Mapping],
}
_PART: dict[str, Any] = {
    "joint": str,
    "unit": str,
    "drive": str,
    "sound": str,
    "file": str,
    "text": str,
    "start": float,
    "end": float,
    "volume": float,
    "pitch": float,
    "min_position": float,
    "max_position": float,
    "min_stop": float,
    "max_stop": float,
    "max_velocity": float,
    "max_effort": float,
    "gains": list[float],
}


def checked_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Returns metadata that was read from a file, if it can be used.

    A null of a mapping or a list is as if it were not there.

    Raises:
        InputError: a value is of another kind; its path is in the metadata.
    """
    _check(metadata, _RUN)
    for field in ("motors", "joints", "sounds"):
        parts: dict[str, dict[str, object]] = metadata.get(field) or {}
        for name, about in parts.items():
            with below(field, name):
                _check(about, _PART)
    absent = [
        field
        for field, kind in _RUN.items()
        if kind not in (str, float) and metadata.get(field, ...) is None
    ]
    return {k: value for k, value in metadata.items() if k not in absent}


def _check(values: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    for field, kind in kinds.items():
        value = values.get(field)
        with below(field):
            if value is not None:
                check_type(value, kind)
            for text in (value or ()) if kind == _Texts else (value,):
                if isinstance(text, str) and "\0" in text:
                    raise InputError(f"{text!r} holds a NUL")
