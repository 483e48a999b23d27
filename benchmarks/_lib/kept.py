"""Long series of logs: what was found is kept in a file, and not done again."""

import argparse
import json
import typing
from collections.abc import Callable
from pathlib import Path

from _lib import report


def options(
    docstring: str, logs: int, models: list[str]
) -> argparse.ArgumentParser:
    """Returns the command line of a series over logs of motor models."""
    parser = report.options(docstring)
    parser.add_argument(
        "--logs",
        type=int,
        metavar="N",
        help=f"of each model, instead of {logs}",
    )
    parser.add_argument(
        "--models",
        metavar="NAMES",
        default=",".join(models),
        help="that make logs",
    )
    parser.add_argument(
        "--found", type=Path, metavar="FILE", help="what was found until now"
    )
    return parser


def series(
    find: Callable[[str, int], typing.Any],
    models: list[str],
    logs: int,
    found: Path | None,
) -> dict[str, list[typing.Any]]:
    """Returns by model what is found of each log, one after the other.

    Args:
        find: finds it, by the model and the log's seed.
        models: motor models that make logs.
        logs: number of each.
        found: the file; None: nothing is kept.
    """
    done: dict[str, typing.Any] = {}
    if found is not None and found.is_file():
        for line in found.read_text(encoding="utf-8").splitlines():
            done |= json.loads(line)
    for seed in range(logs):
        for model in models:
            key = f"{model} {seed}"
            if key in done:
                continue
            done[key] = find(model, seed)
            if found is not None:
                with found.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({key: done[key]}) + "\n")
    return {m: [done[f"{m} {seed}"] for seed in range(logs)] for m in models}
