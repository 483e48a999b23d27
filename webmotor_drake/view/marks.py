"""Marks over the robots: `--show efforts,limits,targets`."""

from collections.abc import Callable, Iterable, Sequence

from pydrake.geometry import Meshcat

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.joint_marks import EffortArrows, LimitArcs
from webmotor_drake.view.moment import Mark
from webmotor_drake.view.target_ghost import TargetGhost

# The maker of each, for a scenario that a Meshcat shows.
MARKS: dict[str, Callable[[Scenario, Meshcat], Mark]] = {
    "efforts": EffortArrows,
    "limits": LimitArcs,
    "targets": TargetGhost,
}


def checked_marks(names: Iterable[str]) -> list[str]:
    """Returns the names, each once.

    Raises:
        InputError: there is no such mark.
    """
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in MARKS:
            raise InputError(unknown_name("mark", name, MARKS))
    return names


def marks_of(
    scenario: Scenario, meshcat: Meshcat, names: Iterable[str]
) -> Sequence[Mark]:
    """Returns the marks that are drawn over the robots of a scenario.

    Args:
        scenario: scenario of the robots.
        meshcat: Meshcat that it is drawn in.
        names: of `MARKS`.

    Raises:
        InputError: there is no such mark.
    """
    return [MARKS[name](scenario, meshcat) for name in checked_marks(names)]
