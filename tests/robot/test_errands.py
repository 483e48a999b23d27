"""A thread does what another one hands over; who waits hears how it ended."""

import threading

import pytest

from webmotor_drake.controllers.in_process.errands import Errands


class GoneError(Exception):
    """Nobody does any errand."""


@pytest.fixture
def helper():
    """Returns errands that a second thread does."""
    turn, open_ = threading.Semaphore(0), [True]

    def check():
        if not open_[0]:
            raise GoneError

    errands = Errands(turn.release, check)

    def work():
        while open_[0]:
            if turn.acquire(timeout=0.05):
                errands.run()

    thread = threading.Thread(target=work)
    thread.start()
    errands.thread, errands.open = thread, open_
    yield errands
    open_[0] = False
    thread.join()


def test_a_call_is_made_in_the_other_thread(helper):
    assert helper.hand_over(threading.get_ident) == helper.thread.ident


def test_an_error_is_raised_where_it_is_waited_for(helper):
    with pytest.raises(ZeroDivisionError):
        helper.hand_over(lambda: 1 / 0)
    assert helper.hand_over(lambda: 3) == 3  # the thread lives on


def test_nobody_waits_for_a_thread_that_is_gone(helper):
    helper.open[0] = False
    helper.thread.join()
    with pytest.raises(GoneError):
        helper.hand_over(lambda: 3)
