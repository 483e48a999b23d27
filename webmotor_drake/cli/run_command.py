"""webmotor run: simulates a scenario and saves what came of it."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes, complain, say, uninterrupted
from webmotor_drake.cli.exit_status import DONE, FAILED, INTERRUPTED
from webmotor_drake.cli.file_name import file_name
from webmotor_drake.cli.progress import progress_bar
from webmotor_drake.compiled import is_ready
from webmotor_drake.drive.torque_solve import solve_trees
from webmotor_drake.errors import SimulationError
from webmotor_drake.results.results import Results, check_writable
from webmotor_drake.results.summary import summary_table
from webmotor_drake.results.whole_file import check_writable as check_file
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.runner import ready
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.animation import animation
from webmotor_drake.simulation.simulation import Simulation


def run(scenario: Scenario, args: argparse.Namespace, notes: Notes) -> int:
    """Runs a scenario; returns the exit status."""
    for controller in args.controller:
        from webmotor_drake.robot import set_controller

        set_controller(scenario, controller)
    out = Path(args.out or Path("runs", file_name(scenario.origin.name)))
    plot = out / "run.png" if args.plot else None
    with animation(args.html) as meshcat:
        simulation = ready(scenario, meshcat=meshcat)
        for file in (args.html, args.graphviz, plot):
            if file is not None:
                check_file(file)
        check_writable(out)
        notes.show()
        if args.graphviz is not None:
            diagram = simulation.simulator.get_system()
            write_whole(args.graphviz, diagram.GetGraphvizString().encode())
        status, results = _simulate(simulation, out, quiet=args.quiet)
    if plot is not None:
        from webmotor_drake.results.plots import plot_run

        plot_run(results, plot)
    if not args.quiet:
        say(f"{summary_table(results)}\nsaved in {out}")
    return status


def _simulate(
    simulation: Simulation, out: Path, *, quiet: bool
) -> tuple[int, Results]:
    """Runs to the end, or as far as it goes, and saves what there is.

    Returns:
        The exit status and the results.
    """
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
            results.save(out)
            complain(f"interrupted at {results.time[-1]:g} s; saved in {out}")
        return INTERRUPTED, results
    with uninterrupted():
        results.save(out)
    return status, results


def _tell_of_compiling(simulation: Simulation) -> None:
    drives = {motors.drive for motors in simulation.motors.values()}
    if "torque" in drives and not is_ready(solve_trees):
        complain("compiling the motors, this once; it takes some 15 s")
