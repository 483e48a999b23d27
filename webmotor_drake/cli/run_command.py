"""webmotor run: simulates a scenario and saves what came of it."""

import argparse
import contextlib
import dataclasses as dc
import tempfile
from pathlib import Path

from webmotor_drake.cli.console import Notes, complain, say
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.cli.file_name import file_name
from webmotor_drake.cli.progress import progress_bar
from webmotor_drake.compiled import is_ready
from webmotor_drake.drive.torque_loops import solve_trees
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.interrupts import interrupted_status, uninterrupted
from webmotor_drake.results.results import Results, check_writable
from webmotor_drake.results.summary import summary_table
from webmotor_drake.results.whole_file import (
    check_writable as check_file,
    write_whole,
)
from webmotor_drake.runner import ready
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.animation import animation
from webmotor_drake.simulation.simulation import Simulation

_PLOT = "run.png"


def run(scenario: Scenario, args: argparse.Namespace, notes: Notes) -> int:
    """Runs a scenario; returns the exit status."""
    for controller in args.controller:
        from webmotor_drake.robot import set_controller

        set_controller(scenario, controller)
    out = Path(args.out or Path("runs", file_name(scenario.origin.name)))
    done: list[_Done] = []
    try:
        with animation(args.html) as meshcat:
            simulation = ready(scenario, meshcat=meshcat)
            _prepare(simulation, out, args)
            notes.show()
            done.append(_simulate(simulation, out, quiet=args.quiet))
        if args.plot:
            from webmotor_drake.results.plots import plot_run

            plot_run(done[0].results, out / _PLOT)
    except InputError as error:
        if not done:
            raise
        # What could be written before the run, such as on a disk that has filled
        # up. The rest is told all the same.
        complain(error)
        done[0].status = done[0].status or FAILED
    if not args.quiet:
        say(f"{summary_table(done[0].results)}\n{done[0].saved}")
    return done[0].status


def _prepare(
    simulation: Simulation, out: Path, args: argparse.Namespace
) -> None:
    """Proves that all can be written that will be; draws the diagram."""
    for file in (args.html, args.graphviz, out / _PLOT if args.plot else None):
        if file is not None:
            check_file(file)
    check_writable(out)
    if args.graphviz is not None:
        diagram = simulation.simulator.get_system()
        write_whole(args.graphviz, diagram.GetGraphvizString().encode())


@dc.dataclass
class _Done:
    """What came of a run: the exit status, the results, where they are."""

    status: int
    results: Results
    saved: str


def _simulate(simulation: Simulation, out: Path, *, quiet: bool) -> _Done:
    """Runs to the end, or as far as it goes, and saves what there is."""
    if not quiet:
        _tell_of_compiling(simulation)
    try:
        with progress_bar(
            simulation.scenario.simulation_duration, quiet=quiet
        ) as progress:
            status, results = DONE, simulation.run(progress=progress)
    except SimulationError as error:
        complain(error)
        status, results = FAILED, error.results
    except KeyboardInterrupt:
        with uninterrupted():  # by a second one, which would lose the rest
            results = simulation.results()
            done = _save(interrupted_status(), results, out)
            complain(f"interrupted at {results.time[-1]:g} s; {done.saved}")
        return done
    with uninterrupted():
        return _save(status, results, out)


def _save(status: int, results: Results, out: Path) -> _Done:
    """Saves a run; where `out` has no room left, in a temporary folder."""
    try:
        results.save(out)
        return _Done(status, results, f"saved in {out}")
    except InputError as error:
        problem = error
    saved = "not saved"
    with contextlib.suppress(InputError, OSError):
        folder = tempfile.mkdtemp(prefix="webmotor-")
        results.save(folder)
        saved = f"saved in {folder}"
    complain(f"{problem}; {saved}")
    return _Done(status or FAILED, results, saved)


def _tell_of_compiling(simulation: Simulation) -> None:
    drives = {motors.drive for motors in simulation.motors.values()}
    if "torque" in drives and not is_ready(solve_trees):
        complain("compiling the motors, this once; it takes some 15 s")
