"""A thread does what another one hands over; who waits hears how it ended."""

import contextlib
import queue
import threading

import pytest

from webmotor_drake.controllers.in_process.turns import Turns


class GoneError(Exception):
    """Nobody does any errand."""


@pytest.fixture
def helper():
    """Returns turns whose home is a second thread."""
    made, open_ = queue.Queue(), [True]

    def work():
        turns = Turns()
        made.put(turns)
        while open_[0]:
            with contextlib.suppress(queue.Empty):
                turns._errands.get(timeout=0.05)()

    def check():
        if not open_[0]:
            raise GoneError

    thread = threading.Thread(target=work)
    thread.start()
    turns = made.get()
    turns._check_open = check
    turns.thread, turns.open = thread, open_
    yield turns
    open_[0] = False
    thread.join()


def test_a_call_is_made_in_the_other_thread(helper):
    assert helper.do_at_home(threading.get_ident) == helper.thread.ident


def test_an_error_is_raised_where_it_is_waited_for(helper):
    with pytest.raises(ZeroDivisionError):
        helper.do_at_home(lambda: 1 / 0)
    assert helper.do_at_home(lambda: 3) == 3  # the thread lives on


def test_nobody_waits_for_a_thread_that_is_gone(helper):
    helper.open[0] = False
    helper.thread.join()
    with pytest.raises(GoneError):
        helper.do_at_home(lambda: 3)
