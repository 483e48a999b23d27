"""Logs are cut into what is fitted and what is kept out."""

import dataclasses as dc
import typing
from types import SimpleNamespace

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.preparation import _cut


@dc.dataclass
class Part:
    """What a cut looks at of an experiment."""

    log: typing.Any
    span: tuple[int, int]
    windows: int = 1


def part(number, **changes):
    """Returns a part of a log of one sample per second, which begins at 100 s."""
    log = SimpleNamespace(time=100.0 + np.arange(number), file="a.csv")
    return Part(log, (0, number - 1), **changes)


@pytest.mark.parametrize(
    ("span", "early", "late"),
    [
        ((0, 100), (0, 74), (75, 100)),
        # Of 60 s from 120 s on the last quarter begins after 165.3 s.
        ((20, 80), (20, 65), (66, 80)),
    ],
)
def test_the_last_part_of_the_time_is_kept_out(span, early, late):
    whole = dc.replace(part(101), span=span)
    fitted, kept_out = _cut(whole, 0.255 if span[0] == 0 else 0.245)
    assert (fitted.span, kept_out.span) == (early, late)


def test_what_has_too_few_samples_for_both_is_refused():
    with pytest.raises(InputError, match=r"a.csv: .*too few to keep 10% out"):
        _cut(part(8), 0.1)
