"""Ctrl-C in a run from Python keeps what was simulated."""

import gc
import os
import signal
import weakref

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake import runner
from webmotor_drake.interrupts import interruptible


@pytest.fixture(scope="module")
def lift():
    """Loads a scenario of 3 s."""
    return wm.load_scenario("package:pendulum", name="Lift")


def interrupting_at(time):
    """Returns a progress that presses Ctrl-C at a simulated time."""

    def progress(now, end):
        if now >= time:
            os.kill(os.getpid(), signal.SIGINT)

    return progress


def test_an_interrupted_run_has_its_results(lift):
    with pytest.raises(wm.RunInterrupted) as caught:
        wm.run(lift, progress=interrupting_at(1.2))
    results = caught.value.results
    assert results.time[-1] == pytest.approx(1.2)
    assert str(caught.value) == "interrupted at 1.2 s"
    whole = wm.run(lift)
    for name, signal_ in results.signals.items():
        assert np.array_equal(signal_, whole[name][: len(signal_)], True)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_is_swallowed_where_it_comes_still_ends_the_run(lift):
    class Swallows:
        def __del__(self):  # Python itself ignores what is raised here
            signal.raise_signal(signal.SIGINT)

    def progress(now, end):
        if now >= 1.2:
            Swallows()

    with interruptible(), pytest.raises(wm.RunInterrupted) as caught:
        wm.run(lift, progress=progress)
    assert str(caught.value) == "interrupted at 1.2 s"


def test_a_run_that_is_over_leaves_nothing_in_memory(lift, monkeypatch):
    plants, ready = [], runner.ready

    def noted(scenario):
        simulation = ready(scenario)
        plants.append(weakref.ref(simulation.plant))
        return simulation

    monkeypatch.setattr(runner, "ready", noted)
    wm.run(lift)
    gc.collect()
    assert plants[0]() is None


def test_who_expects_a_keyboard_interrupt_gets_one(lift):
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        wm.run(lift, progress=interrupting_at(0.1))
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_interrupted_run_in_meshcat_has_its_results(lift, meshcat):
    with pytest.raises(wm.RunInterrupted) as caught:
        wm.run(
            lift,
            progress=interrupting_at(0.3),
            meshcat=meshcat,
            realtime=0.0,
        )
    assert caught.value.results.time[-1] == pytest.approx(0.3, abs=0.02)
