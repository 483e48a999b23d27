"""A fit as one web page that opens offline; it is templates/report.html, filled in."""

import importlib.resources
from collections.abc import Mapping
from typing import NamedTuple

import jinja2

from webmotor_drake.comparison.svg import Picture
from webmotor_drake.errors import one_line
from webmotor_drake.fitting.figures import (
    convergence,
    correlation_matrix,
    series_pictures,
)
from webmotor_drake.fitting.outcome import Fit, Part
from webmotor_drake.fitting.table import (
    comparison_rows,
    error_rows,
    parameter_rows,
    summary,
)

# Of more series, those of the largest errors get pictures: the page stays small.
_MAX_PICTURED = 12


class Section(NamedTuple):
    """A motor model's part of the page."""

    model: str
    summary: str
    parameters: list[list[str]]
    errors: list[list[str]]
    undetermined: list[str]
    pictures: dict[str, list[Picture]]
    convergence: Picture
    correlation: str
    overlay: str


def report(fits: Mapping[str, Fit]) -> str:
    """Returns the page of a scenario's fits, by motor model."""
    some = next(iter(fits.values()))
    experiment = some.fitted.experiment
    source = some.scenario.source
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    folder = importlib.resources.files("webmotor_drake.fitting") / "templates"
    template = environment.from_string(
        (folder / "report.html").read_text(encoding="utf-8")
    )
    return template.render(
        title=one_line(source.name if source else "Scenario"),
        log=one_line(experiment.log.file),
        samples=len(experiment.log.time),
        kept_out=_samples(some.kept_out) if some.kept_out else 0,
        remarks=some.remarks,
        comparison=comparison_rows(fits),
        sections=[_section(fit) for fit in fits.values()],
    )


def _samples(part: Part) -> int:
    """Returns how many samples a part of the log has."""
    first, last = part.experiment.span
    return last - first + 1


def _section(fit: Fit) -> Section:
    experiment = fit.fitted.experiment
    errors = fit.fitted.after.rms
    worst = sorted(
        range(len(experiment.series)),
        key=lambda i: -errors[experiment.series[i].name],
    )
    return Section(
        model=fit.model,
        summary=summary(fit),
        parameters=parameter_rows(fit),
        errors=error_rows(fit),
        undetermined=fit.certainty.undetermined,
        pictures={
            experiment.series[i].name: series_pictures(fit, i)
            for i in sorted(worst[:_MAX_PICTURED])
        },
        convergence=convergence(fit),
        correlation=correlation_matrix(fit),
        overlay=fit.overlay,
    )
