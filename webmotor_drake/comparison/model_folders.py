"""The folders of the models that an earlier comparison has left."""

import contextlib
import csv
import io
from collections.abc import Collection
from pathlib import Path

from webmotor_drake.results.results import ARRAYS_FILE, METADATA_FILE

TABLE = "compare.csv"


def models_before(folder: Path) -> list[str]:
    """Returns the models of the comparison in a folder; empty without one."""
    file = Path(folder, TABLE)
    try:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        rows = list(csv.DictReader(io.StringIO(text)))
    except (OSError, ValueError, csv.Error):
        return []
    names = dict.fromkeys(row.get("model") or "" for row in rows)
    # A name is that of a folder in this one.
    return [
        name
        for name in names
        if name.isprintable() and name.strip(".") and Path(name).name == name
    ]


def remove_runs(folder: Path, models: Collection[str]) -> None:
    """Removes the runs of models; other files in their folders stay."""
    for run in (Path(folder, model) for model in models):
        if run.is_symlink():  # it may lead anywhere
            continue
        for name in (ARRAYS_FILE, METADATA_FILE):
            with contextlib.suppress(OSError):
                (run / name).unlink()
        with contextlib.suppress(OSError):
            run.rmdir()
