"""Signals end the work without losing it."""

import os
import signal
import threading

import pytest

from webmotor_drake import interrupts
from webmotor_drake.interrupts import (
    ENDING,
    interrupted_status,
    interruptible,
    uninterrupted,
)


@pytest.fixture(autouse=True)
def _handlers():
    """Has Python's own handlers before each test, also under nohup."""
    own = dict.fromkeys((signal.SIGTERM, *ENDING), signal.SIG_DFL)
    own[signal.SIGINT] = signal.default_int_handler
    before = {number: signal.signal(number, own[number]) for number in own}
    yield
    for number, handler in before.items():
        assert signal.getsignal(number) is own[number]
        signal.signal(number, handler)


def press(number=signal.SIGINT):
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_interrupts_and_says_which_it_was(number):
    with interruptible(ENDING):
        with pytest.raises(KeyboardInterrupt):
            press(number)
        assert interrupted_status() == 128 + number


def test_who_is_impatient_interrupts_once(monkeypatch):
    monkeypatch.setattr(interrupts, "_SAME", 1e9)
    with interruptible():
        with pytest.raises(KeyboardInterrupt):
            press()
        for _ in range(3):
            press()
        # But a wish that was lost on the way can be repeated.
        monkeypatch.setattr(interrupts, "_SAME", -1.0)
        with pytest.raises(KeyboardInterrupt):
            press()


def test_what_must_not_be_interrupted_is_interrupted_after_it():
    done = []
    with interruptible(ENDING):
        with pytest.raises(KeyboardInterrupt), uninterrupted():
            with uninterrupted():
                press(signal.SIGTERM)
                press()
                done.append(1)
            done.append(2)
        assert interrupted_status() == 128 + signal.SIGTERM
    assert done == [1, 2]


def test_an_error_inside_is_told_and_not_the_signal():
    inside = pytest.raises(ValueError, match="inside")
    with interruptible(), inside, uninterrupted():
        press()
        raise ValueError("inside")


def test_a_block_within_a_block_leaves_the_outer_handlers():
    with (
        interruptible(ENDING),
        interruptible(),
        pytest.raises(KeyboardInterrupt),
    ):
        press(signal.SIGTERM)


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None])
def test_what_is_ignored_or_somebody_elses_stays_so(handler):
    signal.signal(signal.SIGINT, handler)
    with interruptible(ENDING):
        assert signal.getsignal(signal.SIGINT) is handler
        press()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_other_threads_have_no_signals():
    found = []

    def task():
        with interruptible(ENDING), uninterrupted():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=task)
    thread.start()
    thread.join()
    assert found == [signal.SIG_DFL]
