"""Foresees, before the search, how well experiments determine the parameters."""

import time

import numpy as np

from webmotor_drake.fitting.estimate import certainty
from webmotor_drake.fitting.search import Point, Search

# A search takes some times as many runs as the first derivatives.
_AS_LONG = 5.0


def foreseen(search: Search, start: np.ndarray) -> list[str]:
    """Returns the time that a search will take and its unsure parameters, in lines.

    At the start values, residuals are taken to be as large as their scales: what is
    not told apart there will not be unless the motion becomes another.

    Args:
        search: remembers the look that this takes.
        start: values to start from, shape (P,).
    """
    began = time.perf_counter()
    point = search.look(search.box.place(start))
    if point is None:
        return []
    jacobian = point.jacobian
    took = time.perf_counter() - began
    noise = np.where(np.arange(len(point.residuals)) % 2, 1.0, -1.0)
    clean = Point(point.place, point.predicted, noise, jacobian)
    found = certainty(search.runs.experiments, clean)
    lines = [
        f"{search.runs.number} runs took {took:.2g} s, the search will take about"
        f" {_AS_LONG * took:.2g} s"
    ]
    return lines + [f"foreseen: {words}" for words in found.undetermined]
