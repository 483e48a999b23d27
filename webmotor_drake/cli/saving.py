"""Saving what came of long work: elsewhere, if not where it was wanted."""

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from webmotor_drake.cli.console import complain
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.errors import InputError


def save_somewhere(
    save: Callable[[Path], object], out: Path
) -> tuple[int, str]:
    """Saves; where `out` has no room left, in a temporary folder.

    Args:
        save: what writes to the folder that it is given.
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
