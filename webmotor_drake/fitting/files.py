"""Writes the files of a fit."""

import csv
import dataclasses as dc
import io
import json
from collections.abc import Mapping
from pathlib import Path

from webmotor_drake.fitting.outcome import Fit
from webmotor_drake.fitting.ranking import ModelRank, rank_models
from webmotor_drake.fitting.report import report
from webmotor_drake.results.whole_file import write_together

REPORT = "report.html"
_COLUMNS = (
    "model",
    "parameter",
    "start",
    "estimate",
    "deviation",
    "low",
    "high",
    "unit",
    "at_bound",
    "is_determined",
)


def overlay_name(model: str, models: int) -> str:
    """Returns the name of a model's overlay, of a fit of so many models."""
    return "fitted.yaml" if models == 1 else f"fitted-{model}.yaml"


def save(fits: Mapping[str, Fit], folder: Path) -> None:
    """Writes the fits of a scenario, all files or none.

    They are `report.html`; `estimates.csv`; of several models `ranking.csv`; per model
    an overlay, `fitted.yaml` or `fitted-MODEL.yaml`; and for drake_pd `gains.yaml`, for
    `compare --gains`.

    Args:
        fits: by motor model.
        folder: where to.
    """
    files = {
        folder / REPORT: report(fits),
        folder / "estimates.csv": _estimates(fits),
    }
    if len(fits) > 1:
        files[folder / "ranking.csv"] = _ranking(fits)
    for model, fit in fits.items():
        files[folder / overlay_name(model, len(fits))] = fit.overlay
        if fit.gains:
            gains = {name: list(pair) for name, pair in fit.gains.items()}
            files[folder / "gains.yaml"] = json.dumps(gains) + "\n"
    write_together({path: t.encode() for path, t in files.items()})


def _ranking(fits: Mapping[str, Fit]) -> str:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([field.name for field in dc.fields(ModelRank)])
    writer.writerows(map(dc.astuple, rank_models(fits)))
    return table.getvalue()


def _estimates(fits: Mapping[str, Fit]) -> str:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for model, fit in fits.items():
        for e in fit.certainty.estimates:
            low, high = e.interval
            row = [model, e.parameter.name, e.parameter.start, e.value]
            row += [e.deviation, low, high, e.parameter.unit, e.at_bound]
            writer.writerow([*row, e.is_determined])
    return table.getvalue()
