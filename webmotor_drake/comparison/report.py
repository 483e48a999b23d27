"""A comparison as one web page that opens offline: numbers, words, charts, motion."""

import functools
import math
from pathlib import Path
from typing import NamedTuple

import jinja2
import numpy as np

from webmotor_drake.comparison.charts import TARGET, Curve, level
from webmotor_drake.comparison.compared_runs import DIFFERENCES, ComparedRuns
from webmotor_drake.comparison.figures import charts, model_line
from webmotor_drake.comparison.table import shown_number, shown_value
from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.metrics import METRICS, TIMES, Metric, unit_of
from webmotor_drake.results.run_record import Units
from webmotor_drake.view.page import page_of, page_of_run

# If there are more signals, only those that differ most get pictures.
MAX_PICTURED = 12
# More motors than these are folded at first.
_MAX_OPEN = 4
_MAX_TEXT = 100_000  # characters of a scenario
# Row of a table: metric, unit, and each model's value with True if it is the best.
Row = tuple[str, str, list[tuple[str, bool]]]


class Appendix(NamedTuple):
    """A section at the end of the page, such as a sweep.

    Attributes:
        title: heading of the section.
        about: subject in a sentence.
        rows: rows of a table, head first; the row after it is the best.
        pictures: addresses of pictures by their descriptions.
    """

    title: str
    about: str
    rows: list[list[str]]
    pictures: dict[str, str]


def report(comparison: ComparedRuns, appendix: Appendix | None = None) -> str:
    """Returns the page of a comparison.

    Args:
        comparison: comparison to show.
        appendix: further section; None: no such section.
    """
    name = _metadata(comparison).get("scenario_name") or "Comparison"
    title = f"{one_line(name)}: {', '.join(comparison.outcomes)}"
    lines = {name: model_line(comparison, name) for name in comparison.outcomes}
    body = report_template("webmotor_drake.comparison").render(
        comparison=comparison,
        title=title,
        one_line=one_line,
        lines=lines,
        said=_remarks(comparison),
        key_lines=[
            *lines.values(),
            Curve("target", TARGET, [], []),
            level(0, 0)._replace(name="limit"),
        ],
        totals=_total_rows(comparison),
        about_motor=functools.partial(_about_motor, comparison),
        motor_rows=functools.partial(_motor_rows, comparison),
        charts=functools.partial(charts, comparison),
        pictured=_pictured(comparison),
        most_open=_MAX_OPEN,
        appendix=appendix,
        texts=_scenario_texts(comparison),
        versions=_metadata(comparison).get("versions", {}),
    )
    return _page(comparison, title, body).decode()


def _page(comparison: ComparedRuns, title: str, body: str) -> bytes:
    runs = {
        name: results
        for name, results in comparison.results.items()
        if results.positions is not None
    }
    if comparison.scenario.directives and comparison.reference in runs:
        results = runs.pop(comparison.reference)
        try:
            return page_of_run(
                results,
                scenario=comparison.scenario,
                beside=runs,
                report=body,
            )
        except InputError:  # a user's model may move other bodies
            pass
    return page_of([], report=body, title=title)


@functools.cache
def report_template(package: str) -> jinja2.Template:
    """Returns a package's part of a page, templates/report.html.

    It escapes texts, and a missing name is an error.
    """
    loaders = [
        jinja2.PackageLoader(name)
        for name in (package, "webmotor_drake.comparison")
    ]
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.ChoiceLoader(loaders),
    )
    return environment.get_template("report.html")


def _metadata(comparison: ComparedRuns) -> dict:
    for results in comparison.results.values():
        if "versions" in results.metadata:
            return results.metadata
    return {}


def _pictured(comparison: ComparedRuns) -> set[str]:
    def differs(motor: str) -> float:
        largest = [
            comparison.largest_difference(contender, motor, "position")
            for contender in comparison.results
        ]
        return max((x for x in largest if not math.isnan(x)), default=0.0)

    return set(
        sorted(comparison.motors, key=differs, reverse=True)[:MAX_PICTURED]
    )


def _total_rows(comparison: ComparedRuns) -> list[Row]:
    if len(comparison.motors) < 2:
        return []
    values = {
        contender: totals | comparison.own_values(contender)
        for contender, totals in comparison.totals.items()
    }
    units = comparison.units(comparison.motors[0])
    return _rows(comparison, values, METRICS | _own(comparison), units)


def _own(comparison: ComparedRuns) -> dict[str, Metric]:
    return {name: Metric(name, "", "same") for name in comparison.own_metrics}


def _motor_rows(comparison: ComparedRuns, motor: str) -> list[Row]:
    values = {
        contender: comparison.row(contender, motor)
        for contender in comparison.results
    }
    shown = METRICS | DIFFERENCES | _own(comparison)
    if len(comparison.motors) > 1:  # else totals are the motor's own
        shown = {n: m for n, m in shown.items() if m.total != "same"}
    return _rows(comparison, values, shown, comparison.units(motor))


def _rows(
    comparison: ComparedRuns,
    values: dict[str, dict[str, float]],
    metrics: dict[str, Metric],
    units: Units,
) -> list[Row]:
    """Returns a row for each metric that any model has."""
    rows = []
    for name, metric in metrics.items():
        numbers = [
            values[contender][name] if contender in values else math.nan
            for contender in comparison.outcomes
        ]
        if all(math.isnan(number) for number in numbers):
            continue
        unit = unit_of(metric, units)
        texts = [shown_number(number, unit) for number in numbers]
        rated = [
            math.nan if contender in comparison.errors else number
            for contender, number in zip(
                comparison.outcomes, numbers, strict=True
            )
        ]
        # The speed of a model on this machine says nothing of its quality.
        has_best = name in METRICS and name not in TIMES
        best = _best(texts, rated) if has_best else [False] * len(texts)
        rows.append((metric.title, unit, [*zip(texts, best, strict=True)]))
    return rows


def _best(texts: list[str], numbers: list[float]) -> list[bool]:
    """Returns True for texts that read as the least; all False if all read the same."""
    pairs = list(zip(numbers, texts, strict=True))
    finite = [pair for pair in pairs if math.isfinite(pair[0])]
    shown = {text for number, text in pairs if not math.isnan(number)}
    if not finite or len(shown) == 1:
        return [False] * len(pairs)
    _, least = min(finite)
    return [text == least and math.isfinite(n) for n, text in pairs]


def _about_motor(comparison: ComparedRuns, motor: str) -> list[str]:
    results = comparison.results
    about = next(iter(results.values())).motor_metadata(motor)
    units = comparison.units(motor)
    parts = [f"{about.get('type', 'motor')} on joint {about.get('joint', '?')}"]
    limits = (
        ("max_velocity", "velocity", units.velocity),
        ("acceleration", "acceleration", f"{units.velocity}²"),
        ("max_effort", "effort", units.effort),
    )
    for key, name, unit in limits:
        value = about.get(key)
        if value is not None and math.isfinite(value) and value >= 0:
            parts.append(f"{name} up to {shown_value(value, unit)}")
    for contender, run in results.items():
        drive = run.motor_metadata(motor).get("drive", contender)
        if drive not in contender:
            parts.append(f"{contender}: {drive} drive")
        gains = run.motor_metadata(motor).get("gains")
        if gains:
            kp, kd = (shown_number(gain, "") for gain in gains)
            parts.append(f"{contender}: kp {kp}, kd {kd}")
    return [one_line(part) for part in parts]


def _scenario_texts(comparison: ComparedRuns) -> dict[str, str]:
    metadata = _metadata(comparison)
    file = Path(metadata.get("scenario_file") or "").name
    texts = {file: metadata.get("scenario")}
    for heading, name in (
        ("overlay", "scenario_overlay"),
        ("overridden by", "scenario_text"),
    ):
        text = (metadata.get(name) or "").strip()
        texts[heading] = "" if text == "{}" else text
    return {
        heading: text
        if len(text) <= _MAX_TEXT
        else f"{text[:_MAX_TEXT]}\n… and {len(text) - _MAX_TEXT} more"
        for heading, text in texts.items()
        if text
    }


# Metric, relative and absolute excess over the reference from which it is reported
# (both must be exceeded), and text.
_TELLING = (
    ("steady_state_error", 9.0, 1e-4, "ends {} from its target"),
    (
        "steady_state_velocity_error",
        9.0,
        1e-3,
        "ends {} from its target velocity",
    ),
    ("overshoot", 0.1, 1.0, "overshoots by {}"),
    ("velocity_violation", 0.1, 0.05, "goes {} above max_velocity"),
    ("acceleration_violation", 0.1, 1.0, "goes {} above its acceleration"),
    ("time_saturated", 0.5, 0.05, "is saturated for {}"),
)


def _remarks(comparison: ComparedRuns) -> dict[str, str]:
    """Returns how each model differs from the reference, by model name."""
    if comparison.reference not in comparison.results:
        return {}
    return {
        contender: "; ".join(
            [_distance(comparison, contender), *_worse(comparison, contender)]
        )
        for contender in comparison.results
        if contender != comparison.reference
    }


def _distance(comparison: ComparedRuns, contender: str) -> str:
    """Describes the largest distance of a model from the reference, in rad and m."""
    furthest: dict[str, tuple[float, str]] = {}
    origin = f"from {comparison.reference}"
    for motor in comparison.motors:
        time, value = comparison.difference(contender, motor, "position")
        if np.isnan(value).all():
            continue
        distance = np.abs(value)
        k = int(np.nanargmax(distance))
        unit = comparison.units(motor).position
        if distance[k] > furthest.get(unit, (0.0, ""))[0]:
            where = f"{one_line(motor)} at {time[k]:.3g} s"
            text = f"{shown_value(distance[k], unit)} {origin} ({where})"
            furthest[unit] = float(distance[k]), text
    if not furthest:
        return f"Never differs {origin}"
    return "Up to " + " and ".join(text for _, text in furthest.values())


def _worse(comparison: ComparedRuns, contender: str) -> list[str]:
    """Returns the metrics in which a model is clearly worse than the reference."""
    said = []
    for name, share, least, text in _TELLING:
        worst: tuple[float, str] = (0.0, "")
        for motor in comparison.motors:
            mine = comparison.metrics[contender][motor][name]
            other = comparison.metrics[comparison.reference][motor][name]
            if mine > (1 + share) * other + least and mine - other > worst[0]:
                units = comparison.results[contender].units(motor)
                unit = unit_of(METRICS[name], units)
                worst = (
                    mine - other,
                    f"{one_line(motor)} {text.format(shown_value(mine, unit))}",
                )
        if worst[1]:
            said.append(worst[1])
    return said
