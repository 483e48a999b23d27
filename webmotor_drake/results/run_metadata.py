"""The types of a saved run's metadata."""

from collections.abc import Mapping
from typing import Any, cast

from webmotor_drake.errors import InputError

_TEXT, _NUMBER, _TEXTS, _NUMBERS, _MAPPING = (
    "a text",
    "a number",
    "a list of texts",
    "a list of numbers",
    "a mapping",
)

# The fields that are read again, at the top and per motor and joint. All may be null.
_RUN = {
    "scenario_file": _TEXT,
    "scenario_name": _TEXT,
    "scenario": _TEXT,
    "scenario_text": _TEXT,
    "scenario_overlay": _TEXT,
    "scenario_folder": _TEXT,
    "package_xmls": _TEXTS,
    "simulation_time": _NUMBER,
    "wall_time": _NUMBER,
    "real_time_factor": _NUMBER,
    "positions": _TEXTS,
    "resets": _NUMBERS,
    "warnings": _MAPPING,
    "versions": _MAPPING,
    "motors": _MAPPING,
    "joints": _MAPPING,
}
_PART = {
    "joint": _TEXT,
    "unit": _TEXT,
    "drive": _TEXT,
    "sound": _TEXT,
    "min_position": _NUMBER,
    "max_position": _NUMBER,
    "min_stop": _NUMBER,
    "max_stop": _NUMBER,
    "max_velocity": _NUMBER,
    "max_effort": _NUMBER,
    "gains": _NUMBERS,
}


def checked_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Returns metadata that was read from a file, if it can be used.

    A null of a mapping or a list is as if it were not there.

    Raises:
        InputError: a value is of another kind; its path is in the metadata.
    """
    _check(metadata, _RUN, ())
    for field in ("motors", "joints"):
        parts: dict[str, object] = metadata.get(field) or {}
        for name, about in parts.items():
            if not isinstance(about, dict):
                raise _wrong((field, name), about, _MAPPING)
            _check(cast(dict[str, object], about), _PART, (field, name))
    absent = [
        field
        for field, kind in _RUN.items()
        if kind in (_TEXTS, _NUMBERS, _MAPPING)
        and metadata.get(field, ...) is None
    ]
    return {k: value for k, value in metadata.items() if k not in absent}


def _check(
    values: Mapping[str, object],
    kinds: Mapping[str, str],
    path: tuple[str, ...],
) -> None:
    for field, kind in kinds.items():
        value = values.get(field)
        if value is not None and not _is(value, kind):
            raise _wrong((*path, field), value, kind)


def _is(value: object, kind: str) -> bool:
    if kind == _TEXT:
        return isinstance(value, str) and "\0" not in value
    if kind == _NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == _MAPPING:
        return isinstance(value, dict)
    item = _TEXT if kind == _TEXTS else _NUMBER
    return isinstance(value, list) and all(
        _is(part, item) for part in cast(list[object], value)
    )


def _wrong(path: tuple[str, ...], value: object, kind: str) -> InputError:
    text = repr(value)
    shown = text if len(text) < 40 else f"{text[:36]} ..."
    return InputError(f"{shown} is not {kind}", path=path)
