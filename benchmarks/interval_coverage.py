"""Whether the intervals of `fit` contain the truth: 200 data sets of each motor model.

    python benchmarks/interval_coverage.py [--logs N] [--models NAMES] [--found FILE]

Motors of a model, their parameters drawn at random, move a pendulum. What is measured
has noise of 0.1 to 2 mrad, as drawn, and steps of 12 to 16 bits per turn. The model is
fitted to each log with default settings. A stated 95 % interval should contain the
truth in 90 to 98 % of the cases. Parameters that the fit calls not determined, or finds
at a bound, have no interval and are counted apart. What was found is kept in FILE.
"""

import math
import sys
import warnings
from pathlib import Path

import numpy as np
from _lib import report
from _lib.kept import options, series
from _lib.report import Table

import webmotor_drake as wm
from webmotor_drake.fitting.model_parameters import DISTINCT
from webmotor_drake.fitting.robot_log import RobotLog

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from modelled_pendulum import made, pendulum

LOGS, QUICK = 200, 2
NOISE = 1e-4, 2e-3  # rad
BITS = 12, 16  # of an encoder, per turn


def intervals(model: str, seed: int) -> dict[str, list[float]]:
    """Returns by parameter truth, estimate, interval, and 1 if that is stated."""
    truth, log = made(model, seed)
    random = np.random.default_rng([seed, 46])
    noise = math.exp(random.uniform(*np.log(NOISE)))
    step = 2 * math.pi / 2 ** random.integers(*BITS, endpoint=True)
    position = log.signals["hinge", "position"]
    position = position + noise * random.standard_normal(len(position))
    position = step * np.round(position / step)
    signals = {**log.signals, ("hinge", "position"): position}
    found = wm.fit(
        pendulum(), RobotLog(log.time, signals), model=model, validate=0.0
    )
    return {
        name: [
            truth[name],
            estimate.value,
            *estimate.interval,
            float(estimate.is_determined and not estimate.at_bound),
        ]
        for name, estimate in found.estimates.items()
    }


def measure(*, logs: int, models: list[str], found: Path | None) -> list[Table]:
    """Returns how often intervals contain the truth, by model and by parameter."""
    of_models = Table("model", ["in 95 %", "stated", "not stated"])
    of_parameters = Table("parameter", ["in 95 %", "stated", "not stated"])
    for model, sets in series(intervals, models, logs, found).items():
        cases = [(name, *case) for one in sets for name, case in one.items()]
        of_models.rows[model] = _shares([case[1:] for case in cases])
        for name in sets[0]:
            own = [case[1:] for case in cases if case[0] == name]
            of_parameters.rows[f"{model}: {name}"] = _shares(own)
    return [of_models, of_parameters]


def _shares(cases: list[tuple[float, ...]]) -> list[float]:
    """Returns the share of intervals with the truth, and how many there are."""
    stated = [
        low <= true <= high
        for true, _, low, high, is_stated in cases
        if is_stated
    ]
    share = 100 * sum(stated) / len(stated) if stated else math.nan
    return [share, len(stated), len(cases) - len(stated)]


def main() -> None:
    """Prints the tables."""
    args = options(__doc__, LOGS, DISTINCT).parse_args()
    warnings.simplefilter("ignore", wm.MotorWarning)
    logs = args.logs or (QUICK if args.quick else LOGS)
    tables = measure(logs=logs, models=args.models.split(","), found=args.found)
    report.show("coverage", tables, args)


if __name__ == "__main__":
    main()
