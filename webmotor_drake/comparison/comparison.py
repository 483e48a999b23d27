"""A comparison that shows itself: as a table, as CSV, as a web page."""

import contextlib
import csv
import io
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webmotor_drake.comparison.compared_runs import DIFFERENCES, ComparedRuns
from webmotor_drake.comparison.figures import model_figure
from webmotor_drake.comparison.report import Appendix, report
from webmotor_drake.comparison.table import comparison_html, comparison_table
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.metrics import METRICS
from webmotor_drake.results.plots import RunFigure
from webmotor_drake.results.results import (
    ARRAYS_FILE,
    METADATA_FILE,
    Results,
    needed,
)
from webmotor_drake.results.text import csv_text
from webmotor_drake.results.whole_file import write_whole

if TYPE_CHECKING:
    import pandas

TABLE = "compare.csv"


class Comparison(ComparedRuns):
    """The comparison of several motor models; see `ComparedRuns`."""

    def __repr__(self) -> str:
        """Returns the compared models, in a line."""
        number = len(self.motors)
        motors = f"{number} motor{'' if number == 1 else 's'}"
        failed = f", failed: {', '.join(self.errors)}" if self.errors else ""
        return f"<Comparison of {', '.join(self.outcomes)}: {motors}{failed}>"

    def _repr_html_(self) -> str:
        return comparison_html(self)

    def keys(self) -> list[str]:
        """Returns the names of the models that simulated anything."""
        return list(self.results)

    def __getitem__(self, contender: str) -> Results:
        """Returns the results of a model.

        Raises:
            InputError: there are no runs.
        """
        runs = self.results
        if contender not in runs:
            raise InputError(unknown_name("model", contender, runs))
        return runs[contender]

    def plot(self, motors: Sequence[str] | None = None) -> RunFigure:
        """Returns a figure: position, velocity, effort and difference.

        Args:
            motors: "<model>/<motor>" of the motors to draw; None: all.

        Raises:
            InputError: there is no such motor, or nothing was simulated.
        """
        return model_figure(self, motors)

    def to_dataframe(self) -> "pandas.DataFrame":
        """Returns the metrics as a table of pandas, by model and motor.

        Raises:
            InputError: pandas is missing.
        """
        pandas = needed("pandas")
        rows = {
            (contender, motor): self.row(contender, motor)
            for contender in self.outcomes
            for motor in self.motors
        }
        index = pandas.MultiIndex.from_tuples(rows, names=["model", "motor"])
        return pandas.DataFrame(list(rows.values()), index=index)

    def csv(self) -> str:
        """Returns CSV with one row per model and motor."""
        names = [*METRICS, *DIFFERENCES, *self.own_metrics]
        rows = [["model", "motor", *names, "status"]]
        for contender, outcome in self.outcomes.items():
            for motor in self.motors or [""]:
                cells = [
                    "" if np.isnan(value) else repr(float(value))
                    for value in self.row(contender, motor).values()
                ]
                status = f"failed: {outcome.error}" if outcome.error else "done"
                rows.append([contender, motor, *cells, status])
        return csv_text(rows)

    def table(self) -> str:
        """Returns the most telling metrics as plain text."""
        return comparison_table(self)

    def html(self, appendix: Appendix | None = None) -> str:
        """Returns the report, a complete web page.

        Args:
            appendix: further section, such as a sweep; None: no such section.
        """
        return report(self, appendix)

    def save(
        self,
        folder: str | os.PathLike[str],
        appendix: Appendix | None = None,
    ) -> None:
        """Writes report.html, compare.csv and one run folder per model.

        Runs of other models that an earlier comparison has left there are removed.

        Args:
            folder: folder to write into.
            appendix: further part of the page.

        Raises:
            InputError: the folder cannot be written.
        """
        page = self.html(appendix)
        before = models_before(Path(folder))
        for contender, results in self.results.items():
            results.save(Path(folder, contender))
        write_whole(Path(folder, TABLE), self.csv().encode())
        write_whole(Path(folder, "report.html"), page.encode())
        _remove_runs(Path(folder), {*before} - {*self.results})


def models_before(folder: Path) -> list[str]:
    """Returns the models of the comparison in a folder; empty without one."""
    file = Path(folder, TABLE)
    try:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        rows = list(csv.DictReader(io.StringIO(text)))
    except (OSError, ValueError, csv.Error):
        return []
    names = dict.fromkeys(row.get("model") or "" for row in rows)
    # Each name has to be a folder's name within this folder.
    return [
        name
        for name in names
        if name.isprintable() and name.strip(".") and Path(name).name == name
    ]


def _remove_runs(folder: Path, models: Collection[str]) -> None:
    """Removes the runs of models; other files in their folders stay."""
    for run in (Path(folder, model) for model in models):
        if run.is_symlink():  # it may lead out of the folder
            continue
        for name in (ARRAYS_FILE, METADATA_FILE):
            with contextlib.suppress(OSError):
                (run / name).unlink()
        with contextlib.suppress(OSError):
            run.rmdir()
