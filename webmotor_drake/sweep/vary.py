"""``--vary PATH=VALUES``: a parameter's values on the command line."""

import math

import yaml
from pydrake.common.schema import Uniform

from webmotor_drake.errors import InputError
from webmotor_drake.sweep.study import Linear, Log, Scalar, Values

_FORMS = (
    "START:STOP:N, START:STOP:N:log or v1,v2,v3 is allowed, and START:STOP with"
    " --random"
)


def parse_vary(text: str) -> tuple[str, Values]:
    """Returns the path and the values of ``PATH=VALUES``.

    The values are ``START:STOP:N``, ``START:STOP:N:log``, ``START:STOP`` (uniformly
    distributed) or ``v1,v2,v3``.

    Raises:
        InputError: it has none of these forms.
    """
    path, equals, values = text.rpartition("=")
    if not equals or not path.strip():
        problem = f"{text!r} is not PATH=VALUES; {_FORMS}"
        raise InputError(problem, where="--vary")
    if not values.strip():
        problem = f"{text!r} has an empty range; {_FORMS}"
        raise InputError(problem, where="--vary")
    return path.strip(), _values(values, text)


def _values(values: str, text: str) -> Values:
    parts = values.split(":")
    numbers = [_number(part) for part in parts]
    if len(parts) == 1 or any(math.isnan(n) for n in numbers[:2]):
        return [scalar(item) for item in values.split(",")]
    start, stop = numbers[:2]
    if len(parts) == 2:
        return Uniform(min=start, max=stop)
    kinds = {"": Linear, "log": Log}
    kind = kinds.get(":".join(parts[3:]))
    if kind is None or not parts[2].strip().isdecimal():
        problem = f"{text!r} is not a range; {_FORMS}"
        raise InputError(problem, where="--vary")
    return kind(start, stop, int(parts[2]))


def _number(text: str) -> float:
    """Returns the number; NaN if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def scalar(text: str) -> Scalar:
    """Returns a value as YAML has it, and 1e-3 as the number that it is."""
    text = text.strip()
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    if isinstance(value, str) and not math.isnan(number := _number(text)):
        return value if _is_quoted(text) else number
    if isinstance(value, str) and _is_quoted(text):
        return value
    return value if isinstance(value, bool | int | float) else text


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
