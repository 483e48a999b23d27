"""Whether fits tell motor models apart: logs of each, and which is ranked first.

    python benchmarks/told_apart.py [--logs N] [--models NAMES] [--found FILE]

Motors of a model, their parameters drawn at random, move a pendulum for 3.2 s. The
measurements have 0.3 mrad of noise, as of an encoder with 14 bits. All models of
`webmotor fit --models all` are fitted to each log with default settings. 18 of 20
logs are the goal. What was found is kept in FILE after each log, and not done again.
"""

import sys
import warnings
from collections import Counter
from pathlib import Path

from _lib import report
from _lib.kept import options, series
from _lib.report import Table

import webmotor_drake as wm
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.model_parameters import DISTINCT
from webmotor_drake.fitting.ranking import rank_models
from webmotor_drake.fitting.solve import FitSettings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from modelled_pendulum import log_of, pendulum

LOGS, QUICK = 20, 1
# Models that are made: drake_pd is the pd of Drake's own actuators.
MADE = [name for name in DISTINCT if name != "ideal"] + ["drake_pd"]
# What a log is of, if that is not the name of what made it.
RIGHT = {"drake_pd": "pd"}


def ranks(model: str, seed: int) -> list[dict]:
    """Returns the places of all models on a log of one of them, the first first."""
    log, settings = log_of(model, seed), FitSettings()
    fits = {
        name: FitRun(pendulum(), log, None, model=name, settings=settings).run()
        for name in DISTINCT
    }
    return [
        {
            "model": rank.model,
            "error": rank.error,
            "bic": rank.bic,
            "as_near": rank.as_near,
            "alike": rank.alike,
            "runs": fits[rank.model].runs,
        }
        for rank in rank_models(fits)
    ]


def measure(*, logs: int, models: list[str], found: Path | None) -> Table:
    """Returns how often each model was ranked first, by what made the logs."""
    columns = [*DISTINCT, "right", "not told apart"]
    table = Table(f"of {logs} logs made by", columns)
    for model, places in series(ranks, models, logs, found).items():
        first = Counter(rows[0]["model"] for rows in places)
        own = RIGHT.get(model, model)
        alike = sum(
            rank["alike"] and rank["model"] == own
            for rows in places
            for rank in rows[1:]
        )
        table.rows[model] = [
            *(first[name] for name in DISTINCT),
            first[own],
            alike,
        ]
    return table


def main() -> None:
    """Prints the table."""
    args = options(__doc__, LOGS, MADE).parse_args()
    warnings.simplefilter("ignore", wm.MotorWarning)
    logs = args.logs or (QUICK if args.quick else LOGS)
    table = measure(logs=logs, models=args.models.split(","), found=args.found)
    report.show("told_apart", [table], args)


if __name__ == "__main__":
    main()
