"""From a study to the values of each of its runs."""

import csv
import dataclasses as dc
import io
import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from pydrake.common.schema import Uniform

from webmotor_drake.errors import InputError, below, needing
from webmotor_drake.results.whole_file import check_regular, reason
from webmotor_drake.scenario.parameter_path import Keys, parse_path
from webmotor_drake.sweep.study import (
    GRID,
    LATIN_HYPERCUBE,
    Linear,
    Log,
    Scalar,
    Study,
    Values,
    located_in,
    paths_of,
    scalar,
)

MAX_RUNS = 1_000_000


@dc.dataclass(frozen=True)
class Point:
    """The values of one run.

    Attributes:
        parameters: values by path, in the order of the study.
        seed: seed of all that is random in the run.
    """

    parameters: dict[Keys, Scalar]
    seed: int


@dc.dataclass(frozen=True)
class Axis:
    """One or more parameters that vary together.

    Attributes:
        paths: paths of the parameters.
        values: all combinations; None: a distribution, see `quantile`.
        quantile: function from a number between 0 and 1 to a value.
    """

    paths: tuple[Keys, ...]
    values: list[tuple[Scalar, ...]] | None
    quantile: Callable[[float], float] | None = None

    def at(self, share: float) -> tuple[Scalar, ...]:
        """Returns the values at a share of the way, from 0 to below 1."""
        if self.values is None:
            return (self.quantile(share),)
        return self.values[int(share * len(self.values))]


def points_of(study: Study, seed: int) -> list[Point]:
    """Returns the runs of a checked study.

    Args:
        study: parameters and samples.
        seed: seed of the study.

    Raises:
        InputError: there are too many runs, or the study's table cannot be read.
    """
    axes = axes_of(study)
    number = study.samples
    if study.sampling == GRID:
        number = math.prod(len(axis.values) for axis in axes)
    if number * study.repetitions > MAX_RUNS:
        raise InputError(
            f"{number * study.repetitions:,} runs; at most {MAX_RUNS:,} are"
            " allowed"
        )
    drawn = study.sampling != GRID
    return [
        Point(values, seed_of(seed, sample * drawn, repetition))
        for sample, values in enumerate(_combinations(study, axes, seed))
        for repetition in range(study.repetitions)
    ]


def seed_of(seed: int, sample: int, repetition: int) -> int:
    """Returns the seed of a run; the first run has the study's seed."""
    if sample == repetition == 0:
        return seed
    stream = np.random.SeedSequence(seed, spawn_key=(sample, repetition))
    return int(stream.generate_state(1)[0])


def axes_of(study: Study) -> list[Axis]:
    """Returns the axes that vary independently."""
    axes = [
        _axis(path, study.parameters[text])
        for path, text in paths_of(study).items()
    ]
    if study.table:
        axes.append(_table_axis(study))
    return axes


def _combinations(
    study: Study, axes: list[Axis], seed: int
) -> Iterator[dict[Keys, Scalar]]:
    paths = [path for axis in axes for path in axis.paths]
    if study.sampling == GRID:
        rows = itertools.product(*(axis.values for axis in axes))
    else:
        shares = _shares(study, len(axes), seed)
        rows = (
            [axis.at(share) for axis, share in zip(axes, row, strict=True)]
            for row in shares.tolist()
        )
    for row in rows:
        yield dict(zip(paths, itertools.chain(*row), strict=True))


def _shares(study: Study, dimensions: int, seed: int) -> np.ndarray:
    """Returns numbers from 0 to below 1, shape (samples, dimensions)."""
    if study.sampling == LATIN_HYPERCUBE:
        with below("sampling"):
            return hypercube(study.samples, dimensions, seed)
    random = np.random.default_rng(seed)
    return random.random((study.samples, dimensions))


def hypercube(number: int, dimensions: int, seed: int) -> np.ndarray:
    """Returns a Latin hypercube, shape (number, dimensions), from 0 to below 1."""
    with needing("latin_hypercube needs scipy", "'webmotor-drake[sweep]'"):
        from scipy.stats import qmc
    if not number or not dimensions:
        return np.zeros((number, dimensions))
    return qmc.LatinHypercube(dimensions, rng=seed).random(number)


def _axis(path: Keys, values: Values) -> Axis:
    if isinstance(values, list):
        return Axis((path,), [(value,) for value in values])
    if isinstance(values, Linear):
        space = np.geomspace if isinstance(values, Log) else np.linspace
        numbers = space(values.start, values.stop, values.number).tolist()
        return Axis((path,), [(number,) for number in numbers])
    if isinstance(values, Uniform):
        low, high = values.min, values.max
        return Axis((path,), None, lambda share: low + share * (high - low))
    normal = statistics.NormalDist(values.mean, values.stddev)
    least = 2.0**-53  # the normal distribution has no 0th quantile
    return Axis((path,), None, lambda share: normal.inv_cdf(max(share, least)))


def _table_axis(study: Study) -> Axis:
    """Returns the parameters of the study's table, which vary together."""
    folder = Path(study.document.file).parent if study.document else Path()
    file = folder / study.table
    try:
        check_regular(file)
        text = file.read_text(encoding="utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text)) if any(row)]
    except InputError as error:
        raise located_in(study, error.below("table")) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        problem = f"cannot read {file}: {reason(error)}"
        error = InputError(problem, path=("table",))
        raise located_in(study, error) from None
    paths = _header(rows, str(file))
    taken = set(paths_of(study)) & set(paths)
    if taken or len(set(paths)) < len(paths):
        raise InputError("a parameter is there twice", where=f"{file}:1")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(paths):
            raise InputError(
                f"{len(row)} values; the header has {len(paths)}",
                where=f"{file}:{number}",
            )
    if len(rows) < 2:
        raise InputError("no row of values below the header", where=str(file))
    values = [tuple(scalar(cell) for cell in row) for row in rows[1:]]
    return Axis(tuple(paths), values)


def _header(rows: list[list[str]], file: str) -> list[Keys]:
    paths = []
    for cell in rows[0] if rows else [""]:
        if not isinstance(scalar(cell), str) or not cell.strip():
            raise InputError(
                f"no header: the first row has {cell!r}, where the path of a"
                " parameter is needed",
                where=f"{file}:1",
            )
        try:
            paths.append(parse_path(cell))
        except InputError as error:
            raise error.at(f"{file}:1") from None
    return paths
