"""The table of a study's runs, read from its folder."""

import contextlib
import dataclasses as dc
import html
import json
import math
import os
import typing
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.nodes.check import check_type
from webmotor_drake.results.results import Results, needed
from webmotor_drake.results.text import aligned, html_table
from webmotor_drake.results.whole_file import check_regular, reason, write_whole
from webmotor_drake.scenario.parameter_path import Keys, parse_path
from webmotor_drake.sweep.run_table import (
    PARQUET,
    RUN,
    STUDY,
    TABLE,
    TRACES,
    load_rows,
)
from webmotor_drake.sweep.study import Scalar, scalar
from webmotor_drake.sweep.worker import DONE

if typing.TYPE_CHECKING:
    import pandas

# Columns of text, whatever is in them.
_TEXTS = ("status", RUN, "error")


@dc.dataclass(frozen=True, repr=False)
class RunData:
    """The runs of a study, in the order in which they ended; see `SweepRuns`."""

    folder: Path
    about: dict[str, object]
    parameters: list[str]
    metrics: list[str]
    columns: dict[str, list[Scalar]]

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> "typing.Self":
        """Loads the runs that a sweep has written so far.

        Raises:
            InputError: there is no sweep in the folder.
        """
        folder = Path(folder)
        check_regular(folder / STUDY)
        try:
            about = json.loads((folder / STUDY).read_bytes())
            parameters, metrics = about["parameters"], about["metrics"]
            for names in (parameters, metrics):
                check_type(names, list[str])
        except OSError as error:
            problem = f"no sweep in {folder}: {STUDY}: {reason(error)}"
            raise InputError(problem) from None
        except (InputError, ValueError, KeyError, TypeError, RecursionError):
            problem = f"{folder / STUDY} is damaged, or not of a sweep"
            raise InputError(problem) from None
        names, rows = load_rows(folder / TABLE)
        needed = (*parameters, *metrics, *_TEXTS)
        names = names or needed  # there is no table yet
        missing = [name for name in needed if name not in names]
        if missing:
            raise InputError(
                f"{folder / TABLE} has no column {missing[0]!r}, which"
                f" {STUDY} names; the same sweep again makes it anew"
            )
        columns = {
            name: [_value(name, row[i], name in metrics) for row in rows]
            for i, name in enumerate(names)
        }
        return cls(folder, about, parameters, metrics, columns)

    def __len__(self) -> int:
        """Returns how many rows there are."""
        return len(self.columns.get(RUN, ()))

    def __getitem__(self, i: int) -> dict[str, Scalar]:
        """Returns a row: its values by the names of the columns."""
        return {name: values[i] for name, values in self.columns.items()}

    def __iter__(self) -> Iterator[dict[str, Scalar]]:
        """Gives the rows."""
        return (self[i] for i in range(len(self)))

    def numbers(self, name: str) -> np.ndarray:
        """Returns a column as numbers, shape (len,); NaN where a run has no value.

        Args:
            name: name of the column.
        """
        column = self.columns[name]
        numbers = (
            v if isinstance(v, int | float) else math.nan for v in column
        )
        return np.fromiter(numbers, float)

    @property
    def done(self) -> np.ndarray:
        """True for the runs that ended with results, shape (len,)."""
        return np.array([s == DONE for s in self.columns["status"]], dtype=bool)

    def ranked(self, metric: str, *, highest: bool = False) -> np.ndarray:
        """Returns the indices of the runs with results, the best first.

        Args:
            metric: metric to rank by, one of `metrics`.
            highest: True if the highest value is best, not the least.

        Raises:
            InputError: there is no such metric.
        """
        if metric not in self.metrics:
            raise InputError(unknown_name("metric", metric, self.metrics))
        values = self.numbers(metric)
        indices = np.flatnonzero(self.done & ~np.isnan(values))
        order = -values if highest else values
        return indices[np.argsort(order[indices], kind="stable")]

    def best(
        self,
        number: int = 5,
        metric: str | None = None,
        *,
        highest: bool = False,
    ) -> str:
        """Returns a table of the best runs, as text.

        Args:
            number: count of runs.
            metric: name of the ranking's metric; None: `ranking`.
            highest: True if the highest value is best, not the least.

        Raises:
            InputError: there is no such metric.
        """
        metric = metric or self.ranking
        if metric is None:
            return "no run has a metric to rank it by"
        table = aligned(self.best_rows(number, metric, highest=highest), left=0)
        title = "highest" if highest else "least"
        return "\n".join([f"{title} {metric}:", *table])

    def best_rows(
        self,
        number: int,
        metric: str | None = None,
        *,
        highest: bool = False,
    ) -> list[list[str]]:
        """Returns the best runs, the table's head first.

        Args:
            number: count of runs.
            metric: name of the ranking's metric; None: `ranking`.
            highest: True if the highest value is best, not the least.
        """
        metric = metric or self.ranking
        if metric is None:
            return []
        shown = [m for m in self.metrics if self.has(m) and m != metric]
        shown = [metric, *shown][:_METRICS_SHOWN]
        rows = [
            [
                _shown(self.columns[name][i])
                for name in (*self.parameters, *shown)
            ]
            for i in self.ranked(metric, highest=highest)[:number]
        ]
        return [[*short_names(self.parameters).values(), *shown], *rows]

    def results(self, i: int) -> Results:
        """Returns the signals of a run.

        Args:
            i: number of its row.

        Raises:
            InputError: the sweep kept no signals.
        """
        folder = self.folder / TRACES / str(self.columns[RUN][i])
        if not folder.is_dir():
            raise InputError(
                f"no signals of run {self.columns[RUN][i]}; a sweep keeps them"
                " with traces=True, or --traces"
            )
        return Results.load(folder)

    def to_dataframe(self) -> "pandas.DataFrame":
        """Returns the table, one row per run, with short names of parameters.

        Raises:
            InputError: pandas is not installed.
        """
        table = needed("pandas").DataFrame(self.columns)
        return table.rename(columns=short_names(self.parameters))

    def __repr__(self) -> str:
        """Returns the varied parameters, and how many runs are done."""
        varied = ", ".join(short_names(self.parameters).values()) or "nothing"
        name = type(self).__name__
        return f"<{name} in {self.folder}: {self._count()}; varied: {varied}>"

    def _repr_html_(self) -> str:
        """Returns the best runs as a table, for notebooks."""
        about = html.escape(f"{self._count()}; least {self.ranking} first")
        return (
            f"{html_table(self.best_rows(_ROWS_SHOWN), left=0)}<p>{about}</p>"
        )

    def _count(self) -> str:
        return f"{int(self.done.sum())} of {len(self)} runs done"

    @property
    def ranking(self) -> str | None:
        """The first metric that any run has; None without one."""
        return next(filter(self.has, self.metrics), None)

    def has(self, metric: str) -> bool:
        """Returns whether any run has a finite value of a metric.

        Args:
            metric: one of `metrics`.
        """
        values = self.numbers(metric)[self.done]
        values = values[np.isfinite(values)]
        return values.size > 0

    def save_parquet(self) -> None:
        """Writes ``runs.parquet`` beside the table, where pyarrow is installed.

        Raises:
            InputError: it cannot be written.
        """
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            return
        columns = {
            name: values if _is_plain(values) else list(map(str, values))
            for name, values in self.columns.items()
        }
        buffer = pa.BufferOutputStream()
        parquet.write_table(pa.table(columns), buffer)
        write_whole(self.folder / PARQUET, buffer.getvalue().to_pybytes())


# The number of metrics in a line of a terminal, and of rows in a notebook.
_METRICS_SHOWN = 5
_ROWS_SHOWN = 10


def _is_plain(values: list[Scalar]) -> bool:
    kinds = set(map(type, values))
    return len(kinds) <= 1 or kinds == {int, float}


def _value(name: str, text: str, is_metric: bool) -> Scalar:
    if name in _TEXTS:
        return text
    if is_metric:
        with contextlib.suppress(ValueError):
            return float(text)
        return math.nan
    return scalar(text)


def _shown(value: Scalar) -> str:
    if isinstance(value, float):
        return "never" if math.isinf(value) else f"{value:.4g}"
    return str(value)


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Returns the shortest ends of paths that tell them apart, by path.

    ``model_drivers.arm.motors."elbow motor".control_pid[0]`` becomes
    ``elbow motor control_pid[0]``, as long as no other path ends so.
    """
    ends = {path: _ends(path) for path in paths}
    names = {path: choices[0] for path, choices in ends.items()}
    longest = max(map(len, ends.values()), default=0)
    for length in range(1, longest):
        number = Counter(names.values())
        for path, choices in ends.items():
            if number[names[path]] > 1:
                names[path] = choices[min(length, len(choices) - 1)]
    return names


def _ends(path: str) -> list[str]:
    """Returns a path's last two names, its last three, ..., the whole, for readers."""
    try:
        keys = parse_path(path)
    except InputError:  # a column that a user added
        return [path]
    names = [i for i, key in enumerate(keys) if isinstance(key, str)]
    return [_text(keys[start:]) for start in names[-2::-1]] or [_text(keys)]


def _text(keys: Keys) -> str:
    words = [f"[{key}]" if isinstance(key, int) else f" {key}" for key in keys]
    return "".join(words).strip()
