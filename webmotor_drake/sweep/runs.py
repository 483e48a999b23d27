"""The runs of a study, with a picture of them."""

from webmotor_drake.results.plots import RunFigure
from webmotor_drake.sweep.plots import runs_figure
from webmotor_drake.sweep.run_data import RunData


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
