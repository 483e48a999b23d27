"""Remarks on a comparison, in words."""

import numpy as np

from webmotor_drake.comparison.compared_runs import ComparedRuns
from webmotor_drake.comparison.table import shown_value
from webmotor_drake.errors import one_line
from webmotor_drake.results.metrics import METRICS, unit_of

# What is said where a model is worse than the reference by more than so much of
# the reference's value, and by more than so much at all.
_TELLING = (
    ("steady_state_error", 9.0, 1e-4, "ends {} from its target"),
    (
        "steady_state_velocity_error",
        9.0,
        1e-3,
        "ends {} from its target velocity",
    ),
    ("overshoot", 0.1, 1.0, "overshoots by {}"),
    ("velocity_violation", 0.1, 0.05, "goes {} above max_velocity"),
    ("acceleration_violation", 0.1, 1.0, "goes {} above its acceleration"),
    ("time_saturated", 0.5, 0.05, "is saturated for {}"),
)


def remarks(comparison: ComparedRuns) -> dict[str, str]:
    """Returns how each model differs from the reference, by model name."""
    if comparison.reference not in comparison.results:
        return {}
    return {
        contender: "; ".join(
            [_distance(comparison, contender), *_worse(comparison, contender)]
        )
        for contender in comparison.results
        if contender != comparison.reference
    }


def _distance(comparison: ComparedRuns, contender: str) -> str:
    """Returns where and when the model is furthest from the reference.

    Radians and metres have each their furthest motor: neither is more.
    """
    furthest: dict[str, tuple[float, str]] = {}
    origin = f"from {comparison.reference}"
    for motor in comparison.motors:
        time, value = comparison.difference(contender, motor, "position")
        if np.isnan(value).all():
            continue
        distance = np.abs(value)
        k = int(np.nanargmax(distance))
        unit = comparison.units(motor).position
        if distance[k] > furthest.get(unit, (0.0, ""))[0]:
            where = f"{one_line(motor)} at {time[k]:.3g} s"
            text = f"{shown_value(distance[k], unit)} {origin} ({where})"
            furthest[unit] = float(distance[k]), text
    if not furthest:
        return f"Never differs {origin}"
    return "Up to " + " and ".join(text for _, text in furthest.values())


def _worse(comparison: ComparedRuns, contender: str) -> list[str]:
    """Returns the metrics in which a model is clearly worse than the reference."""
    said = []
    for name, share, least, text in _TELLING:
        worst: tuple[float, str] = (0.0, "")
        for motor in comparison.motors:
            mine = comparison.metrics[contender][motor][name]
            other = comparison.metrics[comparison.reference][motor][name]
            if mine > (1 + share) * other + least and mine - other > worst[0]:
                units = comparison.results[contender].units(motor)
                unit = unit_of(METRICS[name], units)
                worst = (
                    mine - other,
                    f"{one_line(motor)} {text.format(shown_value(mine, unit))}",
                )
        if worst[1]:
            said.append(worst[1])
    return said
