"""webmotor run --page: a run that a browser shows and drives."""

import argparse
import contextlib
from collections.abc import Callable

from webmotor_drake.cli.console import Notes, complain
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.cli.one_run import OneRun
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.interrupts import RunEnded, uninterrupted
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.live_page import LivePage

# Messages after a run that can go on, and after one that cannot.
_OVER = "over; move a slider, or press go on, to go on with it; Ctrl-C ends"
_NO_MORE = "it cannot go on; Reset starts it again, Ctrl-C ends"


def run_live(
    make: Callable[[], Simulation],
    scenario: Scenario,
    args: argparse.Namespace,
    notes: Notes,
) -> int:
    """Runs a scenario in a browser until Ctrl-C; returns the exit status."""
    run = OneRun(scenario, args)
    with contextlib.closing(_page(scenario, args)) as live:
        simulation = live.attach(make)
        run.prepare(simulation)
        notes.show()
        complain(f"open {live.address} in a browser (Ctrl-C ends)")
        while True:
            if not args.no_wait:
                live.wait_for_browser()
            with live.listening():
                run.simulate(simulation)
                if live.ended != "reset":
                    with uninterrupted():
                        run.write_files()
                    run.tell()
            if live.ended != "reset":
                live.at_end(goes_on=run.status == DONE)
                if run.interrupted or not _stay(live, simulation, run):
                    return run.status
            simulation = live.attach(make)


def _page(scenario: Scenario, args: argparse.Namespace) -> LivePage:
    rate = args.realtime
    if rate is None:
        rate = scenario.simulator_config.target_realtime_rate or 1.0
    if args.html:
        raise InputError("--html does not work with --page")
    beside = None
    if args.beside is not None:
        from webmotor_drake.comparison.ghosts import ghost_maker

        beside = ghost_maker(args.beside, scenario)
    return LivePage(
        rate=rate,
        port=args.port,
        show=args.show,
        waits=not args.keep_going,
        beside=beside,
    )


def _stay(live: LivePage, simulation: Simulation, run: OneRun) -> bool:
    """Keeps the page alive after a run; returns True on Reset, False on Ctrl-C."""
    goes_on = run.status == DONE
    complain(_OVER if goes_on else _NO_MORE)
    while True:
        try:
            if goes_on:
                with run.limited(simulation):
                    live.run_on()
            live.wait()
        except SimulationError as error:
            complain(error)
            run.status, goes_on = FAILED, False
            complain(_NO_MORE)
            live.at_end(goes_on=False)
        except KeyboardInterrupt as ending:
            with uninterrupted():
                results = simulation.results()
                if len(results.time) > len(run.results.time):
                    run.save(results)  # it went on beyond its end
                    complain(run.saved)
            if not isinstance(ending, RunEnded):
                return False
            if live.ended == "reset":
                return True
