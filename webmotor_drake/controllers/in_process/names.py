"""The names of modules, as they were before controllers ran.

A controller may replace or delete any: ``json.dumps = None``. Where it is a process
that ends with it. Here what was simulated is written after it.
"""

import sys
import types
from collections.abc import Mapping

# Needed by runs and their files. Others may be lazy, or watch what is set.
_NEEDED = {*sys.stdlib_module_names, "numpy", "webmotor_drake"}

_NOTHING = object()


class Names:
    """The names that the modules have now."""

    def __init__(self) -> None:
        self._before = [
            (vars(module), vars(module).copy())
            for name, module in sys.modules.copy().items()
            if name.partition(".")[0] in _NEEDED and name != "__main__"
        ]

    def restore(self) -> None:
        """Gives the modules their names back.

        Those that were deleted, functions, classes and modules that were replaced,
        and values that are of another type now; others may change as a module
        works.
        """
        for now, before in self._before:
            if _is_same(now, before):
                continue
            for name, value in before.items():
                found = now.get(name, _NOTHING)
                if found is not value and _is_broken(value, found):
                    now[name] = value


def _is_same(now: dict[str, object], before: dict[str, object]) -> bool:
    """Returns whether nothing has changed, by a quick comparison in C."""
    try:
        return now == before
    except Exception:  # of arrays that were replaced
        return False


def _is_broken(value: object, found: object) -> bool:
    if callable(value) or isinstance(value, types.ModuleType | Mapping):
        return True
    if found is _NOTHING:
        return True
    return value is not None and type(found) is not type(value)
