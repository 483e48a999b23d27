"""A study, validated without its scenario, and ``--vary PATH=VALUES``."""

import dataclasses as dc
import math
import os
import typing
from collections import Counter
from collections.abc import Mapping

import yaml
from pydrake.common.schema import Gaussian, Uniform

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.nodes.check import check_finite, check_types
from webmotor_drake.nodes.rules import POSITIVE, one_of, whole
from webmotor_drake.results.metrics import METRICS, TIMES
from webmotor_drake.scenario.parameter_path import Keys, parse_path
from webmotor_drake.scenario.yaml_document import Document, load_document
from webmotor_drake.scenario.yaml_typed import read_typed

Scalar = bool | int | float | str

GRID, RANDOM, LATIN_HYPERCUBE = SAMPLINGS = (
    "grid",
    "random",
    "latin_hypercube",
)
# Times differ from run to run, and have columns of their own.
DEFAULT_METRICS = tuple(name for name in METRICS if name not in TIMES)


@dc.dataclass
class Linear:
    """Numbers at equal distances.

    Attributes:
        start: first number, in the unit of the parameter.
        stop: last number.
        number: count of values.
    """

    start: float = math.nan
    stop: float = math.nan
    number: int = 0


@dc.dataclass
class Log(Linear):
    """Numbers at equal ratios, from `start` to a `stop` of its sign."""


Values = list[Scalar] | Linear | Log | Uniform | Gaussian


@dc.dataclass
class Study:
    """A study: the parameters to vary in a scenario, and the results to keep.

    Attributes:
        parameters: values of each parameter, by its path in the scenario (see
            `parameter_path`) or "model", the motor model: a list, a grid
            (`Linear`, `Log`) or Drake's distributions `Uniform` and `Gaussian`.
        table: a CSV file whose first row has paths; each further row is a
            combination of values. Relative to the study's own file.
        sampling: "grid" (all combinations), "random" or "latin_hypercube".
        samples: number of runs that are drawn, unless all combinations are run.
        seed: seed of the samples and of the runs; None: the scenario's random_seed.
        repetitions: repetitions of each run, each with another seed.
        metrics: names of `METRICS` to keep: "overshoot" of all motors together, or
            "<model>/<motor>/overshoot" of one; empty: all, of all motors together.
        traces: True if the signals of each run are kept.
    """

    parameters: dict[str, Values] = dc.field(default_factory=dict)
    table: str = ""
    sampling: str = GRID
    samples: int = 0
    seed: int | None = None
    repetitions: int = 1
    metrics: list[str] = dc.field(default_factory=list)
    traces: bool = False

    # The file that it was loaded from, if any.
    document: typing.ClassVar[Document | None] = None
    # The options that set a field, by its path, as {("seed",): "--seed"}.
    options: typing.ClassVar[Mapping[Keys, str]] = {}

    @property
    def kept_metrics(self) -> list[str]:
        """The names of the metrics to keep."""
        return self.metrics or list(DEFAULT_METRICS)


def load_study(file: str | os.PathLike[str]) -> Study:
    """Loads and checks a study.

    Args:
        file: a YAML file with the fields of `Study` at its top level.

    Raises:
        InputError: the study is not valid; the message has file, line, column
            and path.
    """
    document = load_document(os.fspath(file))
    study = read_typed(Study, document, defaults=Study())
    study.document = document
    check_study(study)
    return study


def located_in(study: Study, error: InputError) -> InputError:
    """Returns an error whose path starts in the study with its place."""
    if error.where:
        return error
    for length in (2, 1):
        option = study.options.get(error.path[:length])
        if option is not None:
            rest = error.path[1:] if length == 2 else ()
            return InputError(error.problem, path=rest, where=option)
    if study.document is None:
        return error
    return error.at(study.document.locate(error.path))


def check_study(study: Study) -> None:
    """Raises InputError for values that are wrong in any study."""
    try:
        _check(study)
    except InputError as error:
        raise located_in(study, error) from None


def paths_of(study: Study) -> dict[Keys, str]:
    """Returns the parameters' paths, and their texts in the study.

    Raises:
        InputError: a text is not a path, or two paths are the same.
    """
    paths: dict[Keys, str] = {}
    for text in study.parameters:
        with below("parameters", text):
            path = parse_path(text)
            if path in paths:
                raise InputError(f"the same as {paths[path]}")
        paths[path] = text
    return paths


def _check(study: Study) -> None:
    check_types(study)
    paths_of(study)
    drawn = study.sampling != GRID
    rules = {
        "sampling": one_of(*SAMPLINGS, kind="sampling"),
        "seed": whole(0, 2**32 - 1),
        "repetitions": whole(1),
        "samples": whole(1 if drawn else 0),
    }
    for field, rule in rules.items():
        value = getattr(study, field)
        if value is not None:
            with below(field):
                rule.check(value, "")
    if study.samples and not drawn:
        raise InputError(
            "a grid runs all combinations; samples are for the sampling random"
            " or latin_hypercube",
            path=("samples",),
        )
    for name, values in study.parameters.items():
        with below("parameters", name):
            _check_values(values, drawn=drawn)
    _check_metric_names(study.metrics)


def _check_values(values: Values, *, drawn: bool) -> None:
    if isinstance(values, list):
        if not values:
            raise InputError("an empty list; at least one value is needed")
        kinds = Counter((type(value), value) for value in values)
        for (_, value), number in kinds.items():
            if number > 1:
                raise InputError(f"{value} is there {number} times")
    elif isinstance(values, Linear):
        _check_grid(values)
    elif not drawn:
        raise InputError(
            f"{type(values).__name__} has no grid: it is a range without a number of"
            " values; add one (--vary PATH=START:STOP:N, Linear), or set sampling"
            " to random or latin_hypercube (--random)"
        )
    else:
        _check_distribution(values)


def _check_grid(grid: Linear) -> None:
    for field in ("start", "stop"):
        with below(field):
            check_finite(getattr(grid, field))
    if grid.number < 1:
        raise InputError(
            f"an empty range: {grid.number} values; at least 1 is needed",
            path=("number",),
        )
    if grid.number > 1 and grid.start == grid.stop:
        raise InputError(
            f"an empty range: {grid.number} values from {grid.start} to the same"
        )
    if isinstance(grid, Log) and grid.start * grid.stop <= 0:
        raise InputError(
            f"a log range from {grid.start:g} to {grid.stop:g} goes through 0; both"
            " ends have to be above it, or both below"
        )


def _check_distribution(values: Uniform | Gaussian) -> None:
    if isinstance(values, Uniform) and not values.min < values.max:
        raise InputError(
            f"an empty range: from {values.min:g} to {values.max:g}; max has to be"
            " above min"
        )
    if isinstance(values, Gaussian):
        with below("stddev"):
            POSITIVE.check(values.stddev, "")


def _check_metric_names(names: list[str]) -> None:
    for i, name in enumerate(names):
        metric = name.rpartition("/")[2]
        if metric == "wall_time":
            problem = "wall_time is there in any case"
            raise InputError(problem, path=("metrics", i))
        if metric not in METRICS:
            problem = unknown_name("metric", metric, METRICS)
            raise InputError(problem, path=("metrics", i))
        if names.count(name) > 1:
            raise InputError(f"{name} is there twice", path=("metrics", i))


_FORMS = (
    "START:STOP:N, START:STOP:N:log or v1,v2,v3 is allowed, and START:STOP with"
    " --random"
)


def parse_vary(text: str) -> tuple[str, Values]:
    """Returns the path and the values of ``PATH=VALUES``.

    The values are ``START:STOP:N``, ``START:STOP:N:log``, ``START:STOP`` (uniformly
    distributed) or ``v1,v2,v3``.

    Raises:
        InputError: the text has none of these forms.
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
    """Returns a value as YAML reads it, but 1e-3 as a number."""
    text = text.strip()
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    if isinstance(value, str):
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            return value
        number = _number(text)
        return text if math.isnan(number) else number
    return value if isinstance(value, bool | int | float) else text
