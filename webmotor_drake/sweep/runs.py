"""The runs of a study, with pictures of them, also for a comparison's report."""

import base64

from webmotor_drake.comparison.report import Appendix
from webmotor_drake.results.plots import RunFigure
from webmotor_drake.sweep.plots import runs_figure, traces_figure
from webmotor_drake.sweep.run_data import TRACES, RunData

_BEST_SHOWN = 10  # runs of a report


class SweepRuns(RunData):
    """The runs of a study, one row each, in the order in which they ended.

    ::

        runs = wm.SweepRuns.load("runs/Lift-sweep")
        print(runs.best(5, "overshoot"))
        for run in runs:
            print(run["status"], run["overshoot"])
        runs.plot()

    Attributes:
        folder: place of the runs.
        about: description of the study: its scenario, seed and so on.
        parameters: names of the columns that were varied: their paths.
        metrics: names of the columns that were measured.
        columns: values of all columns by name: numbers, text or truth values.
    """

    def plot(self) -> RunFigure:
        """Returns a picture of the metrics over the parameters.

        Raises:
            InputError: no run has a metric to draw.
        """
        return runs_figure(self)


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
        runs.best_rows(_BEST_SHOWN),
        {
            title: f"data:image/png;base64,{base64.b64encode(png).decode()}"
            for title, png in pictures.items()
        },
    )
