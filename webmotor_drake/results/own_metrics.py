"""Metrics of one's own: functions of a run's results."""

import math
from collections.abc import Callable, Iterable, Mapping

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.metrics import METRICS
from webmotor_drake.results.results import Results

Metric = Callable[[Results], float | None]


class MetricError(ValueError):
    """A metric of one's own could not be computed; the run counts as failed."""


def check_own_metrics(
    metrics: Mapping[str, Metric], taken: Iterable[str]
) -> None:
    """Raises InputError for a name or a value that cannot be a metric's.

    Args:
        metrics: metrics by name.
        taken: names of the table's other columns.
    """
    known = {*METRICS, *taken}
    for name, metric in metrics.items():
        if not name or one_line(name) != name or "/" in name:
            raise InputError(
                f"{name!r} cannot be a metric's name: it is in one line, without /"
            )
        if name in known:
            raise InputError(
                f"{name} is taken; a metric of yours needs another name"
            )
        if not callable(metric):
            raise InputError(f"{name}: a function of the Results is needed")


def own_metrics(
    results: Results, metrics: Mapping[str, Metric]
) -> dict[str, float]:
    """Returns the values of metrics by name; NaN where one has None.

    Raises:
        MetricError: a function failed, or did not return a number.
    """
    values: dict[str, float] = {}
    for name, metric in metrics.items():
        try:
            value = metric(results)
            values[name] = math.nan if value is None else float(value)
        except Exception as error:
            raise MetricError(
                f"metric {name}: {type(error).__name__}: {one_line(error)}"
            ) from error
    return values
