"""Long signals as a picture needs them."""

import numpy as np


def thinned(
    time: np.ndarray, values: np.ndarray, buckets: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the visible rows of a long signal, as times and values.

    Of each bucket of rows narrower than a pixel, the rows of the least and the
    greatest value; peaks stay, and so do the ends. Signals of less than three rows
    per bucket are returned as they are.

    Args:
        time: shape (K,), s.
        values: shape (K,).
        buckets: number of parts, such as the width of the picture in pixels.
    """
    size = values.size // buckets
    if size <= 2:
        return time, values
    bucketed = values[: buckets * size].reshape(buckets, size)
    missing = np.isnan(bucketed)
    start = np.arange(0, buckets * size, size)
    least = start + np.where(missing, np.inf, bucketed).argmin(axis=1)
    greatest = start + np.where(missing, -np.inf, bucketed).argmax(axis=1)
    rest = np.arange(buckets * size, values.size)
    ends = [0, values.size - 1]
    rows = np.unique(np.concatenate([ends, least, greatest, rest]))
    return time[rows], values[rows]
