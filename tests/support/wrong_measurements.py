"""Falsifies all that sensors measure, for `test_closed_forms_notice_what_is_wrong`."""

import dataclasses as dc

import numpy as np

from webmotor_drake.host.senses.radar import RadarTarget
from webmotor_drake.host.senses.radio import Reception
from webmotor_drake.host.senses.sampling import Sampler


def wrong(value):
    """Returns a measurement whose numbers are off by 7 % and a bit."""
    if isinstance(value, bytes):
        return (np.frombuffer(value, np.uint8) ^ 64).tobytes()
    if isinstance(value, list | tuple):
        return type(value)(map(wrong, value))
    if isinstance(value, Reception | RadarTarget):
        return type(value)(*map(wrong, dc.astuple(value)))
    if isinstance(value, float | int | np.ndarray):
        return value * 1.07 + 0.01
    return value


def pytest_configure():
    """Wraps what all sensors of the process measure."""
    original = Sampler.__init__

    def make(self, measure, *arguments, **keywords):
        original(self, lambda: wrong(measure()), *arguments, **keywords)

    Sampler.__init__ = make
