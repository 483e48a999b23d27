"""Warnings that repeat: counted, and issued once."""

import contextlib
import warnings
from collections import Counter
from collections.abc import Iterator

from webmotor_drake.errors import MotorWarning


@contextlib.contextmanager
def counted_warnings(counts: Counter[str]) -> Iterator[None]:
    """Counts the MotorWarnings of the block and issues each text once, after it.

    Args:
        counts: what was issued before, by text; it is added to.
    """
    before = counts.copy()
    try:
        with warnings.catch_warnings():
            show_others = warnings.showwarning

            def count(message, category, *place):
                if issubclass(category, MotorWarning):
                    counts[str(message)] += 1
                else:
                    show_others(message, category, *place)

            warnings.showwarning = count
            warnings.simplefilter("always", MotorWarning)
            yield
    finally:
        for text, number in (counts - before).items():
            if text not in before:
                times = f" ({number} times)" if number > 1 else ""
                warnings.warn(f"{text}{times}", MotorWarning, stacklevel=4)
