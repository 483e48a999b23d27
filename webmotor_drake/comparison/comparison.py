"""A comparison that shows itself: as a table, as CSV, as a web page."""

import csv
import io
import os
from pathlib import Path

import numpy as np

from webmotor_drake.comparison.compared_runs import DIFFERENCES, ComparedRuns
from webmotor_drake.comparison.report import report
from webmotor_drake.comparison.table import comparison_table
from webmotor_drake.results.metrics import METRICS
from webmotor_drake.results.whole_file import write_whole


class Comparison(ComparedRuns):
    """What several models made of a scenario; see `ComparedRuns`."""

    def csv(self) -> str:
        """Returns CSV with one row per model and motor."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["model", "motor", *METRICS, *DIFFERENCES, "status"])
        for contender, outcome in self.outcomes.items():
            for motor in self.motors or [""]:
                cells = [
                    "" if np.isnan(value) else repr(float(value))
                    for value in self.row(contender, motor).values()
                ]
                status = f"failed: {outcome.error}" if outcome.error else "done"
                writer.writerow([contender, motor, *cells, status])
        return text.getvalue()

    def table(self) -> str:
        """Returns the most telling metrics as plain text."""
        return comparison_table(self)

    def html(self) -> str:
        """Returns the report, a web page of its own."""
        return report(self)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes report.html, compare.csv and one run folder per model.

        Raises:
            InputError: the folder cannot be written.
        """
        page = self.html()
        for contender, results in self.results.items():
            results.save(Path(folder, contender))
        write_whole(Path(folder, "compare.csv"), self.csv().encode())
        write_whole(Path(folder, "report.html"), page.encode())
