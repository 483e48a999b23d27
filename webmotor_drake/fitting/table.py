"""A fit as text: its parameters, its errors, what it does not determine."""

import math
from collections.abc import Mapping

from webmotor_drake.fitting.estimate import Estimate
from webmotor_drake.fitting.outcome import Fit
from webmotor_drake.results.text import aligned


def shown(value: float, deviation: float) -> str:
    """Returns a value with as many digits as its deviation leaves it.

    Two digits of the deviation are told.
    """
    if not math.isfinite(deviation) or deviation <= 0:
        return f"{value:.4g}"
    decimals = 1 - math.floor(math.log10(deviation))
    if decimals <= 0:
        return f"{round(value, decimals):.0f}"
    return f"{value:.{min(decimals, 12)}f}"


def parameter_rows(fit: Fit) -> list[list[str]]:
    """Returns the table of the parameters, its head first."""
    head = ["parameter", "start", "estimate", "95 % interval", "unit", ""]
    return [head, *(_row(e) for e in fit.certainty.estimates)]


def _row(estimate: Estimate) -> list[str]:
    parameter = estimate.parameter
    start, unit = f"{parameter.start:.4g}", parameter.unit
    if estimate.at_bound:
        side = {"low": "lower", "high": "upper"}[estimate.at_bound]
        value = f"{estimate.value:.4g}"
        return [parameter.name, start, value, "-", unit, f"at its {side} bound"]
    if math.isnan(estimate.deviation):
        return [parameter.name, start, "-", "-", unit, "no influence"]
    low, high = estimate.interval
    if not estimate.is_determined:
        interval = f"{low:.2g} to {high:.2g}"
        value = f"({estimate.value:.1g})"
        return [parameter.name, start, value, interval, unit, "not determined"]
    deviation = estimate.deviation
    interval = f"{shown(low, deviation)} to {shown(high, deviation)}"
    value = shown(estimate.value, deviation)
    return [parameter.name, start, value, interval, unit, ""]


def error_rows(fit: Fit) -> list[list[str]]:
    """Returns the table of the RMS errors, its head first."""
    head = ["RMS error", "before", "after"]
    columns = [fit.fitted.rms_before, fit.fitted.rms_after]
    if fit.kept_out is not None:
        head += ["kept out, before", "kept out, after"]
        columns += [fit.kept_out.rms_before, fit.kept_out.rms_after]
    rows = [
        [name, *(_rounded(column[name]) for column in columns)]
        for name in fit.fitted.rms_after
    ]
    if len(rows) > 1:
        rows.append(["mean", *(_rounded(mean(column)) for column in columns)])
    return [head, *rows]


def _rounded(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4g}"


def mean(errors: Mapping[str, float]) -> float:
    """Returns the mean over the series."""
    return sum(errors.values()) / len(errors)


def text(fit: Fit) -> str:
    """Returns what the command line prints of a fit."""
    lines = [
        f"{fit.model}:",
        *aligned(parameter_rows(fit), left=1),
        "",
        *aligned(error_rows(fit), left=1),
        *(f"not determined: {words}" for words in fit.certainty.undetermined),
        summary(fit),
    ]
    return "\n".join(line.rstrip() for line in lines)


def summary(fit: Fit) -> str:
    """Returns in a line how the fit went."""
    failed = ""
    if fit.failed_runs:
        failed = f", {fit.failed_runs} of them failed ({fit.problem})"
    early = ", stopped early" if fit.interrupted else ""
    return f"{fit.runs} runs in {fit.wall_time:.3g} s{failed}{early}"


def comparison_rows(fits: Mapping[str, Fit]) -> list[list[str]]:
    """Returns the errors of several models side by side, the head first.

    They are those on the part that was kept out, or else on the fitted part.
    """
    if len(fits) < 2:
        return []
    parts = [fit.kept_out or fit.fitted for fit in fits.values()]
    columns = [part.rms_after for part in parts]
    rows = [
        [name, *(f"{column[name]:.4g}" for column in columns)]
        for name in columns[0]
    ]
    means = ["mean", *(f"{mean(column):.4g}" for column in columns)]
    return [["RMS error, kept out", *fits], *rows, means]
