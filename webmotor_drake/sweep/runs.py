"""The runs of a study, with pictures of them."""

import typing

from webmotor_drake.sweep.plots import runs_figure
from webmotor_drake.sweep.run_data import RunData

if typing.TYPE_CHECKING:
    from matplotlib.figure import Figure


class Runs(RunData):
    """The runs of a study, one row each; see `RunData`.

    ::

        runs = wm.Runs.load("runs/Lift-sweep")
        print(runs.best(5, "overshoot"))
        for run in runs:
            print(run["status"], run["overshoot"])
        runs.plot()
    """

    def plot(self) -> "Figure":
        """Returns a picture of the metrics over what was varied.

        Raises:
            InputError: no run has a metric to draw.
        """
        return runs_figure(self)
