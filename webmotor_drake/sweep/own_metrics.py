"""Metrics of one's own on their way to other processes."""

import hashlib
import inspect
import pickle
from collections.abc import Mapping

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.own_metrics import Metric, own_metrics
from webmotor_drake.results.results import Results


def packed(metrics: Mapping[str, Metric]) -> bytes:
    """Returns metrics for other processes, which may not import their module.

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
    """Returns metrics' fingerprints: runs with other ones are done again.

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
    return tuple(own_metrics(results, pickle.loads(own)).values())
