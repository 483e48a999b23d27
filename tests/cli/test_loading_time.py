"""A file that takes too long to load is told, with the option that lifts the limit."""

import signal
import time

import pytest

from webmotor_drake import limits
from webmotor_drake.cli import loading_time
from webmotor_drake.cli.loading_time import accepted, limited_loading
from webmotor_drake.errors import InputError


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(loading_time, "_SECONDS", 0.05)


def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_what_takes_too_much_processor_time_is_refused():
    with (
        pytest.raises(
            InputError,
            match=r"a.wbt: it takes more than 0.05 s of proc.*\(--unlimited",
        ),
        limited_loading("a.wbt"),
    ):
        work(60.0)
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_what_is_accepted_may_take_any_time():
    with limited_loading("a.wbt"):
        accepted()
        work(0.15)


def test_the_limit_is_lifted_and_a_profiler_is_left_alone():
    with limits.unlimited(), limited_loading("a.wbt"):
        work(0.15)
    calls = []
    signal.signal(signal.SIGPROF, lambda *_: calls.append(1))
    try:
        with limited_loading("a.wbt"):
            work(0.15)
        assert not calls
    finally:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
