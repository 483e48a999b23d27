"""A fit as text: its parameters, its errors, and its undetermined parameters."""

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from webmotor_drake.fitting.evaluation import Evaluation, told
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.fitting.ranking import ModelRank, rank_models
from webmotor_drake.results.text import aligned, number, quantity

RANKING_NOTE = (
    "Of models as near as the nearest, within 5 % or by chance, that of the least BIC"
    " comes first: a richer one has to earn its parameters. One with less than 6 of BIC"
    " more is not told from it. BIC and AICc are of the fitted part, over the least."
)


def experiment_rows(fit: MotorFit) -> list[list[str]]:
    """Returns the table of the experiments and their mean errors, its head first."""
    rows = []
    for what, part in zip(("fitted", "kept out"), fit.parts, strict=False):
        for before, after in zip(
            part.before.each, part.after.each, strict=True
        ):
            one = after.experiment
            first, last = one.span
            begin, end = one.log.time[[first, last]]
            row = [one.name, what, f"{begin:.3g} to {end:.3g} s"]
            errors = [told(e.all.mean, 4) for e in (before, after)]
            rows.append([*row, str(last - first + 1), *errors])
    head = ["experiment", "part", "time", "samples"]
    return [[*head, "mean RMS error, before", "after"], *rows]


def left_out_rows(fit: MotorFit) -> list[list[str]]:
    """Returns the table of the samples that count and of the others, its head first."""
    of_names: dict[str, Counter[str]] = {}
    for what, part in zip(("fitted", "kept out"), fit.parts, strict=False):
        for series, owner in zip(
            part.experiments.series, part.experiments.owners, strict=True
        ):
            one = part.experiments.each[owner]
            first, last = one.span
            inside = slice(first, last + 1)
            logged = np.isfinite(one.log.get(series.motor.name, series.signal))
            used = np.isfinite(series.measured)
            counts = of_names.setdefault(series.name, Counter())
            counts["other times"] += 0 if counts else len(logged)
            counts["other times"] -= last - first + 1
            counts[what] += int(used[inside].sum())
            counts["not measured"] += int((~logged)[inside].sum())
            counts["repeated"] += int((logged & ~used)[inside].sum())
    columns = ["fitted", "kept out", "not measured", "repeated", "other times"]
    return [
        ["samples", *columns],
        *(
            [name, *(str(c[k]) for k in columns)]
            for name, c in of_names.items()
        ),
    ]


def error_rows(
    evaluations: Mapping[str, Evaluation], title: str = "RMS error"
) -> list[list[str]]:
    """Returns a row per series, and a row of means per unit of several series.

    Args:
        evaluations: evaluations of one log, by name.
        title: title of the table, for its first row.
    """
    columns = [evaluation.all for evaluation in evaluations.values()]
    units = dict(item for errors in columns for item in errors.units.items())
    means = [errors.mean for errors in columns]
    named = [
        (name, unit, [e.rms for e in columns], name)
        for name, unit in units.items()
    ]
    named += [
        ("mean", unit, means, unit)
        for unit, count in Counter(units.values()).items()
        if count > 1
    ]
    return [
        [title, "unit", *evaluations],
        *(
            [name, unit, *(number(of.get(key, math.nan), 4) for of in values)]
            for name, unit, values, key in named
        ),
    ]


def growth_rows(
    evaluations: Mapping[str, Evaluation],
) -> list[list[str]]:
    """Returns mean RMS errors over time and by speed, the head first.

    Args:
        evaluations: evaluations of one part of a log, by name.
    """
    first, *_ = evaluations.values()
    units = first.all.mean
    rows = [["mean RMS error", "mean speed", "unit", *evaluations]]
    choices = zip(
        *([*e.by_time, *e.by_speed] for e in evaluations.values()), strict=True
    )
    for errors in choices:
        for unit in units:
            values = [number(e.mean[unit], 4) for e in errors]
            rows.append([errors[0].name, told(errors[0].speed), unit, *values])
    return rows


def evaluation_text(evaluations: Mapping[str, Evaluation]) -> str:
    """Returns the text about a log that nothing was fitted to."""
    lines = [
        *aligned(error_rows(evaluations), left=2),
        "",
        *aligned(growth_rows(evaluations), left=1),
    ]
    return "\n".join(lines)


def evaluations_of(fit: MotorFit) -> dict[str, Evaluation]:
    """Returns the evaluations of a fit by their names in tables."""
    return {
        name + when: evaluation
        for name, part in zip(("", "kept out, "), fit.parts, strict=False)
        for when, evaluation in (("before", part.before), ("after", part.after))
    }


def text(fit: MotorFit) -> str:
    """Returns the text about a fit."""
    experiments, kept_out = experiment_rows(fit), []
    several = len({row[0] for row in experiments[1:]}) > 1
    if part := fit.kept_out:
        rows = growth_rows({"before": part.before, "after": part.after})
        kept_out = ["", "kept out:", *aligned(rows, left=1)]
    lines = [
        f"{fit.model}:",
        *aligned(fit.certainty.rows, left=1),
        "",
        *([*aligned(experiments, left=3), ""] if several else []),
        *aligned(error_rows(evaluations_of(fit)), left=2),
        *kept_out,
        *(f"not determined: {words}" for words in fit.certainty.undetermined),
        *(f"warning: {fault}" for fault in fit.faults),
        summary(fit),
    ]
    return "\n".join(line.rstrip() for line in lines)


def summary(fit: MotorFit) -> str:
    """Returns one line on how the fit went."""
    failed = ""
    if fit.failed_runs:
        failed = f", {fit.failed_runs} of them failed ({fit.problem})"
    early = ", stopped early" if fit.interrupted else ""
    return f"{fit.runs} runs in {fit.wall_time:.3g} s{failed}{early}"


def ranking_rows(fits: Mapping[str, MotorFit]) -> list[list[str]]:
    """Returns the models, the nearest to the robot first, with a head; [] for one."""
    if len(fits) < 2:
        return []
    some = next(iter(fits.values())).judged
    head = [
        "model",
        f"mean RMS error, {some.name} ({_unit_of_ranking(fits)})",
        "parameters",
        "BIC",
        "AICc",
        "",
    ]
    rows = [
        [
            rank.model,
            number(rank.error, 4),
            str(rank.parameters),
            f"+{rank.bic:.1f}",
            f"+{rank.aicc:.1f}",
            _place(rank, i),
        ]
        for i, rank in enumerate(rank_models(fits))
    ]
    return [head, *rows]


def _unit_of_ranking(fits: Mapping[str, MotorFit]) -> str:
    mean = next(iter(fits.values())).judged.mean
    return next(iter(mean)) if len(mean) == 1 else "scales"


def _place(rank: ModelRank, i: int) -> str:
    if i == 0:
        return "the nearest"
    if rank.alike:
        return "not told from the first"
    return "as near, of larger BIC" if rank.as_near else "farther off"


def verdict(fits: Mapping[str, MotorFit]) -> str:
    """Returns which model is the nearest, and how far off the others are."""
    if len(fits) < 2:
        return ""
    first, *others = ranks = rank_models(fits)
    unit = _unit_of_ranking(fits)
    also = [rank.model for rank in others if rank.alike]
    known = f", but the log does not tell it from {', '.join(also)}"
    off = ", ".join(
        f"{rank.model} {rank.error / first.error:.3g}"
        for rank in others
        if first.error > 0
    )
    unsure = [rank.model for rank in ranks if rank.unsure]
    open_still = (
        f" How near {', '.join(unsure)} can be, the log does not say: uncertain"
        " estimates leave open more than all of the error."
    )
    return (
        f"{first.model} is the nearest to the robot{known if also else ''}: it is"
        f" {quantity(first.error, unit, 3)} off. Times that the others are: {off}."
        f"{open_still if unsure else ''}"
    )


def series_rows(fits: Mapping[str, MotorFit]) -> list[list[str]]:
    """Returns the errors of several models by series, the head first.

    They are those on the part that was kept out, or else on the fitted part.
    """
    parts = {model: fit.kept_out or fit.fitted for model, fit in fits.items()}
    some = next(iter(fits.values()))
    return error_rows(
        {model: part.after for model, part in parts.items()},
        f"RMS error, {'kept out' if some.kept_out else 'fitted'}",
    )


def models_text(fits: Mapping[str, MotorFit]) -> str:
    """Returns the text about several models side by side."""
    kept_out = {m: f.kept_out.after for m, f in fits.items() if f.kept_out}
    tables = [series_rows(fits)]
    if kept_out:
        tables.append(growth_rows(kept_out))
    lines = [
        *(verdict(fits), "", *aligned(ranking_rows(fits), left=1)),
        RANKING_NOTE,
    ]
    for table in tables:
        lines += ["", *aligned(table, left=1)]
    return "\n".join(lines)
