"""webmotor plot: draws a run that was saved."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes, say
from webmotor_drake.results.plots import plot_run
from webmotor_drake.results.results import Results


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Draws a run into a file; returns the exit status."""
    results = Results.load(args.folder)
    file = Path(args.out or Path(args.folder, "run.png"))
    plot_run(
        results,
        file,
        motors=args.motors,
        signals=args.signals,
        times=args.times,
    )
    return say(f"drawn in {file}")
