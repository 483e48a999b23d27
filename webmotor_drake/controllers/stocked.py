"""Puts Solids in stock for programs whose text shows that they import nodes.

A body cannot be added to a running plant: bodies for imports have to be there from
the start.
"""

import contextlib
import copy
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import webmotor_drake
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.spares import USUAL_STOCK
from webmotor_drake.simulation.supervised import supervisors

_OURS = str(Path(webmotor_drake.__file__).parent)
# The most modules that are read beside a controller: a folder may have a thousand.
_MODULES = 100


def with_stock(scenario: Scenario, files: Iterable[Path]) -> Scenario:
    """Returns the scenario with Solids in stock, if a supervisor imports nodes.

    Args:
        scenario: scenario; it stays as it is if it has its own `stock`.
        files: files that may import nodes; they are read only if it matters.
    """
    if (
        scenario.stock is not None
        or scenario.plant_config.time_step == 0
        or not supervisors(scenario)
        or not any(map(_names_it, files))
    ):
        return scenario
    stocked = copy.copy(scenario)
    stocked.stock = USUAL_STOCK
    return stocked


def with_modules(file: Path) -> list[Path]:
    """Returns a controller's file and modules beside it."""
    return [file, *sorted(file.parent.glob("*.py"))[:_MODULES]]


def callers() -> Iterator[Path]:
    """Yields the files of the calling program, from the innermost call outwards."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_OURS, "<frozen")):
            yield Path(name)
        frame = frame.f_back


def _names_it(file: Path) -> bool:
    if not file.exists():  # typed in, as in a notebook: it may import later
        return True
    with contextlib.suppress(OSError):
        return file.is_file() and b"importMFNode" in file.read_bytes()
    return False
