"""Saves the results of long work: elsewhere, if not where they are wanted."""

import argparse
import contextlib
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from webmotor_drake.cli.console import complain
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.scenario import Scenario


def out_folder(
    args: argparse.Namespace, scenario: Scenario, ending: str = ""
) -> Path:
    """Returns the folder that --out names, else runs/NAME with an ending.

    NAME is the scenario's name, made a file name that is not hidden.
    """
    given = scenario.source.name if scenario.source else ""
    name = re.sub(r"[^\w .+-]", "_", given).lstrip(". ") or "_"
    return Path(args.out or Path("runs", f"{name}{ending}"))


def save_somewhere(
    save: Callable[[Path], object], out: Path
) -> tuple[int, str]:
    """Saves to `out`, or to a temporary folder if `out` has no room left.

    Args:
        save: function that writes to a folder.
        out: the folder that is wanted.

    Returns:
        The exit status, and a text that says what was saved where.
    """
    try:
        save(out)
        return DONE, f"saved in {out}"
    except InputError as error:
        problem = error
    saved = "not saved"
    with contextlib.suppress(InputError, OSError):
        folder = Path(tempfile.mkdtemp(prefix="webmotor-"))
        save(folder)
        saved = f"saved in {folder}"
    complain(f"{problem}; {saved}")
    return FAILED, saved
