"""A sweep's part of a comparison's report."""

import base64

from webmotor_drake.comparison.report import Appendix
from webmotor_drake.sweep.plots import runs_figure, traces_figure
from webmotor_drake.sweep.run_data import TRACES
from webmotor_drake.sweep.runs import SweepRuns

# The number of runs that it shows.
_BEST = 10


def sweep_appendix(runs: SweepRuns) -> Appendix:
    """Returns the pictures of a sweep and its best runs.

    Raises:
        InputError: no run has a metric to show.
    """
    pictures = {"Metrics against what was varied": runs_figure(runs).picture()}
    if (runs.folder / TRACES).is_dir():
        pictures["Positions of all runs"] = traces_figure(runs).picture()
    return Appendix(
        "Sweep",
        f"{runs.done.sum()} of {len(runs)} runs are results. Those with the least"
        f" {runs.ranking}:",
        runs.best_rows(_BEST),
        {
            title: f"data:image/png;base64,{base64.b64encode(png).decode()}"
            for title, png in pictures.items()
        },
    )
