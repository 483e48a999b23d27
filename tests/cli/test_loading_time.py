"""A file that takes too long to load is told, with the option that lifts the limit."""

import resource
import signal
import subprocess
import sys
import time

import pytest

from webmotor_drake import limits
from webmotor_drake.cli import loading_time
from webmotor_drake.cli.loading_time import accepted, limited_loading
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.blame import drake_text


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


def test_what_takes_too_much_memory_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "MEMORY", 0.05)
    before = resource.getrlimit(resource.RLIMIT_AS)
    with (
        pytest.raises(
            InputError,
            match=r"a.wbt: out of memory: .* 0.05 GB.*\(--unlimited",
        ),
        limited_loading("a.wbt"),
    ):
        bytearray(200_000_000)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_what_drake_cannot_get_is_told_with_the_option_where_there_is_one():
    with limited_loading("x.yaml"):
        text = drake_text(MemoryError("std::bad_alloc"))
    assert text == (
        "out of memory: it takes more than 4 GB to load (--unlimited lifts this limit)"
    )
    assert drake_text(MemoryError("std::bad_alloc")) == "out of memory"


def test_what_is_accepted_may_take_any_memory(monkeypatch):
    monkeypatch.setattr(limits, "MEMORY", 0.05)
    with limited_loading("a.wbt"):
        accepted()
        assert bytearray(200_000_000)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="POSIX timers")
def test_what_never_comes_back_to_python_is_ended_with_a_line():
    """A regular expression holds Python for years."""
    code = (
        "import re\n"
        "from webmotor_drake.cli.loading_time import _end_after\n"
        "_end_after(9.0, 'too soon', 3)\n"
        '_end_after(0.1, "it\'s %d; $(exit)\\0", 2)\n'
        "re.match('(a+)+$', 'a' * 60 + 'b')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (2, "it's %d; $(exit)\n")


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="POSIX timers")
def test_an_end_that_is_forgotten_does_not_come():
    code = (
        "from webmotor_drake.cli.loading_time import _end_after, _forget_end\n"
        "_end_after(0.1, 'late', 2)\n"
        "_forget_end()\n"
        "sum(range(10**8))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
