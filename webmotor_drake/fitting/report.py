"""The files of a fit: its page, tables and overlays. The page opens offline."""

import dataclasses as dc
import json
from collections.abc import Mapping
from pathlib import Path

from webmotor_drake.comparison.charts import (
    LIMIT,
    MODEL_COLORS,
    TARGET,
    TEXT,
    WIDE,
    Curve,
)
from webmotor_drake.comparison.report import MAX_PICTURED, report_template
from webmotor_drake.errors import one_line
from webmotor_drake.fitting import figures, table
from webmotor_drake.fitting.figures import (
    BANDS,
    Motion,
    motion_page,
    motions_of,
)
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.fitting.ranking import ModelRank, rank_models
from webmotor_drake.results.text import csv_text, quantity
from webmotor_drake.results.whole_file import write_together
from webmotor_drake.view.page import page_of, page_of_run


def report(fits: Mapping[str, MotorFit]) -> str:
    """Returns the page of a scenario's fits, by motor model, the nearest first."""
    if len(fits) > 1:
        fits = {rank.model: fits[rank.model] for rank in rank_models(fits)}
    some = next(iter(fits.values()))
    source = some.scenario.source
    motions = {model: motions_of(fit) for model, fit in fits.items()}
    own = motions[some.model]
    worst = sorted(own, key=lambda n: -own[n].error / own[n].series.scale)
    title = one_line(source.name if source else "Scenario")
    files = dict.fromkeys(
        one.log.file for part in some.parts for one in part.experiments.each
    )
    body = report_template("webmotor_drake.fitting").render(
        title=title,
        log=one_line(*files) if len(files) == 1 else f"{len(files)} logs",
        some=some,
        fits=fits,
        kept_out={m: f.kept_out.after for m, f in fits.items() if f.kept_out},
        lines=_lines(fits, own),
        motions=[
            {model: of[name] for model, of in motions.items()}
            for name in worst[:MAX_PICTURED]
        ],
        not_pictured=", ".join(worst[MAX_PICTURED:]),
        quantity=quantity,
        tables=table,
        figures=figures,
    )
    shown = motion_page(some, motions)
    if shown is None:
        return page_of([], report=body, title=f"{title}: fit").decode()
    measured, models = shown
    return page_of_run(
        measured, scenario=some.scenario, beside=models, report=body
    ).decode()


def _lines(
    fits: Mapping[str, MotorFit], motions: Mapping[str, Motion]
) -> list[Curve]:
    names = [*fits, figures.BEFORE] if len(fits) == 1 else list(fits)
    shaded = {c for motion in motions.values() for *_, c in motion.bands}
    return [
        Curve("measured", TEXT, [], [], WIDE, 0.3),
        Curve("command", TARGET, [], [], 0.9),
        *(
            Curve(name, color, [], [])
            for name, color in zip(names, MODEL_COLORS, strict=False)
        ),
        Curve("from here on kept out", LIMIT, [], [], 1.0),
        *(
            Curve(name, color, [], [], 9.0)
            for color, name in BANDS.items()
            if color in shaded
        ),
    ]


REPORT = "report.html"


def overlay_name(model: str, models: int) -> str:
    """Returns the file name of a model's overlay; `models`: number of fitted models."""
    return "fitted.yaml" if models == 1 else f"fitted-{model}.yaml"


def save(fits: Mapping[str, MotorFit], folder: Path) -> None:
    """Writes the fits of a scenario, all files or none.

    The files are `report.html`; `estimates.csv`; `ranking.csv` if there are several
    models; an overlay per model, `fitted.yaml` or `fitted-MODEL.yaml`; and for drake_pd
    `gains.yaml`, for `compare --gains`.

    Args:
        fits: fits by motor model.
        folder: folder to write into.
    """
    files = {
        folder / REPORT: report(fits),
        folder / "estimates.csv": _estimates(fits),
    }
    if len(fits) > 1:
        head = [field.name for field in dc.fields(ModelRank)]
        ranks = map(dc.astuple, rank_models(fits))
        files[folder / "ranking.csv"] = csv_text([head, *ranks])
    for model, fit in fits.items():
        files[folder / overlay_name(model, len(fits))] = fit.overlay
        if fit.gains:
            gains = {name: list(pair) for name, pair in fit.gains.items()}
            files[folder / "gains.yaml"] = json.dumps(gains) + "\n"
    write_together({path: t.encode() for path, t in files.items()})


def _estimates(fits: Mapping[str, MotorFit]) -> str:
    rows = [
        {
            "model": model,
            "parameter": e.parameter.name,
            "start": e.parameter.start,
            "estimate": e.value,
            "deviation": e.deviation,
            "low": e.interval[0],
            "high": e.interval[1],
            "unit": e.parameter.unit,
            "at_bound": e.at_bound,
            "is_determined": e.is_determined,
        }
        for model, fit in fits.items()
        for e in fit.certainty.estimates
    ]
    return csv_text([[*rows[0]], *([*row.values()] for row in rows)])
