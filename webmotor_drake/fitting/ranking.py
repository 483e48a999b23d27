"""Ranks motor models by their error on data kept out and their number of parameters.

A richer model has to earn its parameters. A model is as near as the nearest if its
error on the data kept out is at most 5 % larger, less the part that its own uncertain
estimates cause; or if its squared errors are larger by less than two standard
errors of their mean log ratio (as Breiman and others 1984 prune trees). Among these
the one with the least BIC comes first. Models with a slightly larger BIC count as
alike: Kass and Raftery (1995) call evidence strong from a difference of 6 on.
"""

import dataclasses as dc
import math
from collections.abc import Mapping

import numpy as np

from webmotor_drake.fitting.estimate import correlation_time
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.motor_fit import MotorFit

# Models are alike up to this ratio of their errors.
_ALIKE = 1.05
_STANDARD_ERRORS = 2.0
# From this difference of BIC on evidence is strong.
_STRONG = 6.0
# The data kept out is cut into so many blocks, to measure the scatter of differences.
_BLOCKS = 8
_LEAST = 1e-12  # least mean square: smaller ones are rounding


@dc.dataclass(frozen=True)
class ModelRank:
    """A motor model's place.

    Attributes:
        model: the motor model.
        parameters: number of fitted parameters.
        error: mean RMS error on the judged data, rad or m, see `MotorFit.judged`;
            over the signals' scales, 1, if they have several units.
        bic: Schwarz's information criterion on the fitted data, minus that of the best
            model, 1; only independent residuals count.
        aicc: Akaike's criterion, corrected for few samples, 1, likewise.
        as_near: True if it is as near as the nearest.
        alike: True if the log cannot distinguish it from the first.
        unsure: True if it is as near only because the uncertainty of its estimates
            could explain all of its error.
    """

    model: str
    parameters: int
    error: float
    bic: float
    aicc: float
    as_near: bool
    alike: bool = False
    unsure: bool = False


def rank_models(fits: Mapping[str, MotorFit]) -> list[ModelRank]:
    """Returns the places of models that were fitted to one log, the nearest first.

    Args:
        fits: fits by motor model, of the same log and signals.
    """
    errors = {model: _error(fit, fit.judged.rms) for model, fit in fits.items()}
    nearest = min(errors, key=errors.__getitem__)
    bic, aicc = _criteria(fits)
    least = _ALIKE * errors[nearest]
    ranks = []
    for model, fit in fits.items():
        near = errors[model] <= least or _is_chance(fit, fits[nearest])
        sure = errors[model] if near else _error(fit, fit.sure)
        ranks.append(
            ModelRank(
                model,
                len(fit.certainty.estimates),
                errors[model],
                bic[model] - min(bic.values()),
                aicc[model] - min(aicc.values()),
                as_near=near or sure <= least,
                unsure=not near and sure == 0.0,
            )
        )
    ranks.sort(key=lambda r: (not r.as_near, r.bic if r.as_near else r.error))
    most = ranks[0].bic + _STRONG
    return [
        dc.replace(rank, alike=rank.as_near and rank.bic < most)
        for rank in ranks
    ]


def _error(fit: MotorFit, errors: Mapping[str, float]) -> float:
    """Returns the mean of the series' RMS errors; inf if it is not known."""
    scales = {s.name: s.scale for s in fit.fitted.experiments.series}
    if len(fit.judged.mean) == 1:  # of one unit
        scales = dict.fromkeys(scales, 1.0)
    shares = [errors[name] / scale for name, scale in scales.items()]
    known = [share for share in shares if math.isfinite(share)]
    return float(np.mean(known)) if known else math.inf


def _is_chance(fit: MotorFit, nearest: MotorFit) -> bool:
    """Returns whether a model's errors may be larger than the least by chance."""
    part, best = (f.kept_out or f.fitted for f in (fit, nearest))
    ratios = []
    number = len(best.after.each)
    for mine, least in zip(part.after.each, best.after.each, strict=True):
        blocks = -(-_BLOCKS // number)
        ratios += _log_ratios(mine, least, blocks)
    if not np.isfinite(ratios).all():
        return False
    scatter = float(np.std(ratios, ddof=1)) / math.sqrt(len(ratios))
    return float(np.mean(ratios)) <= _STANDARD_ERRORS * scatter


def _log_ratios(
    mine: Evaluation, least: Evaluation, blocks: int
) -> list[float]:
    """Returns the mean log ratio of the series' squared errors, per block of time."""
    squares = [np.array(e.scaled_residuals) ** 2 for e in (mine, least)]
    known = np.isfinite([s.measured for s in least.experiments.series])
    samples = np.flatnonzero(known.any(axis=0))
    ratios = []
    for block in np.array_split(samples, min(blocks, len(samples))):
        means = [
            [own[block][there[block]].mean() + _LEAST for own in pair]
            for *pair, there in zip(*squares, known, strict=True)
            if there[block].any()
        ]
        ratios.append(float(np.mean([math.log(a / b) for a, b in means])))
    return ratios


def _criteria(
    fits: Mapping[str, MotorFit],
) -> tuple[dict[str, float], dict[str, float]]:
    """Returns BIC and AICc of each model; each series has a variance of its own."""
    left = {
        model: [r[np.isfinite(r)] for r in fit.fitted.after.scaled_residuals]
        for model, fit in fits.items()
    }
    logs = {
        model: np.log([max(float(np.mean(r**2)), _LEAST) for r in rows])
        for model, rows in left.items()
    }
    # The nearest model's residuals give the independent samples of all models.
    best = min(logs, key=lambda model: float(logs[model].sum()))
    counts = np.array([len(r) / correlation_time(r) for r in left[best]])
    n = float(counts.sum())
    bic, aicc = {}, {}
    for model, fit in fits.items():
        misfit, k = float(counts @ logs[model]), len(fit.certainty.estimates)
        bic[model] = misfit + k * math.log(n)
        more = n - k - 1
        penalty = 2 * k * (k + 1) / more if more > 0 else math.inf
        aicc[model] = misfit + 2 * k + penalty
    return bic, aicc
