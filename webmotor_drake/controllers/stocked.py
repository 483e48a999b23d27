"""Solids in stock for programs that import nodes, which only their text tells.

A body cannot be added to a plant that runs: what may be imported has to be there from
the start.
"""

import contextlib
import copy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import webmotor_drake
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.spares import USUAL_STOCK
from webmotor_drake.simulation.supervised import supervisors

_OURS = str(Path(webmotor_drake.__file__).parent)
# Beside a controller; there may be a thousand in a folder of all sorts.
_MODULES = 100


def with_stock(scenario: Scenario, imports: Callable[[], bool]) -> Scenario:
    """Returns the scenario with Solids in stock, if a supervisor imports nodes.

    Args:
        scenario: one that says how many are in stock stays as it is.
        imports: tells whether one does; asked only if it matters.
    """
    if (
        scenario.stock is not None
        or scenario.plant_config.time_step == 0
        or not supervisors(scenario)
        or not imports()
    ):
        return scenario
    stocked = copy.copy(scenario)
    stocked.stock = USUAL_STOCK
    return stocked


def imports_nodes(file: Path) -> bool:
    """Returns whether a controller, or a module beside it, imports nodes."""
    beside = sorted(file.parent.glob("*.py"))[:_MODULES]
    return any(map(_names_it, [file, *beside]))


def callers_import_nodes() -> bool:
    """Returns whether the program that calls this may import nodes.

    That are the files of its calls on the way here. What is typed in, as in a
    notebook, may do so later.
    """
    return any(not file.is_file() or _names_it(file) for file in _callers())


def _callers() -> Iterator[Path]:
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_OURS, "<frozen")):
            yield Path(name)
        frame = frame.f_back


def _names_it(file: Path) -> bool:
    with contextlib.suppress(OSError):
        return file.is_file() and b"importMFNode" in file.read_bytes()
    return False
