"""Metrics of one's own: functions of a run's results."""

import hashlib
import inspect
import math
import pickle
from collections.abc import Callable, Iterable, Mapping

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.metrics import METRICS
from webmotor_drake.results.results import Results

Metric = Callable[[Results], float]


class MetricError(ValueError):
    """A metric of one's own could not be computed; the run counts as failed."""


def check_own_metrics(
    metrics: Mapping[str, Metric], taken: Iterable[str]
) -> None:
    """Raises InputError for a name or a value that cannot be a metric's.

    Args:
        metrics: by name.
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


def packed(metrics: Mapping[str, Metric]) -> bytes:
    """Returns metrics for other processes, which may not import what defines them.

    Raises:
        InputError: one of them cannot be sent.
    """
    if not metrics:
        return b""
    try:
        import cloudpickle
    except ImportError:  # an older joblib brings its own
        from joblib.externals import cloudpickle
    try:
        return cloudpickle.dumps(dict(metrics))
    except (TypeError, ValueError, pickle.PicklingError) as error:
        raise InputError(
            f"the metrics cannot go to other processes: {one_line(error)}"
        ) from None


def fingerprint(metrics: Mapping[str, Metric]) -> list[str]:
    """Returns what tells metrics from others: runs with other ones are done again.

    Values from outside that a function uses are not looked at.
    """
    return [f"{name}={_source(metric)}" for name, metric in metrics.items()]


def _source(metric: Metric) -> str:
    try:
        text = inspect.getsource(metric)
    except (OSError, TypeError):
        text = repr(type(metric))
    return hashlib.sha256(text.encode()).hexdigest()


def own_values(results: Results, own: bytes) -> tuple[float, ...]:
    """Returns the values of packed metrics; NaN where one has None.

    Raises:
        MetricError: a function failed, or did not return a number.
    """
    if not own:
        return ()
    values = []
    for name, metric in pickle.loads(own).items():
        try:
            value = metric(results)
            values.append(math.nan if value is None else float(value))
        except Exception as error:
            raise MetricError(
                f"metric {name}: {type(error).__name__}: {one_line(error)}"
            ) from error
    return tuple(values)
