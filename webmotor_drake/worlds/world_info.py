"""The fields of WorldInfo in a scenario: steps, duration, gravity and axes."""

import math

import numpy as np

from webmotor_drake.nodes.body_sensors import WORLD_AXES
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.scenario_maker import ScenarioMaker
from webmotor_drake.worlds.source import Place

# The plant's step is at most this, s: what falls does not get through a floor.
_LONGEST_STEP = 0.008
# The longest basicTimeStep, ms.
_LONGEST_PERIOD = 10_000
# The default duration of a world, s. In Webots it has no end.
_DURATION = 10.0


def add_world_info(info: Node, made: ScenarioMaker, *, waits: bool) -> float:
    """Adds the fields of WorldInfo; returns the motors' period, s.

    Args:
        info: the node.
        made: gets them.
        waits: True if a robot is `<extern>`; then the world has no end, as in Webots.
    """
    period = _period(info)
    _leave_out_plugin(info)
    made.put("plant_config", place=info.place)
    scenario, place = made.scenario, info.place
    scenario.random_seed = max(int(info.number("randomSeed", 0.0)), 0)
    if waits:
        scenario.simulation_duration = math.inf
    else:
        _add_duration(period, place, scenario)
    _add_step(period, place, scenario)
    scenario.gravity = [0.0, 0.0, 0.0]
    scenario.gravity[axes_of(info).index("U")] = 0.0 - _gravity(info)
    return period


def _period(info: Node) -> float:
    """Returns basicTimeStep, s."""
    step = info.number("basicTimeStep", 32.0)
    if not 1e-3 <= step <= _LONGEST_PERIOD:
        raise info.fields["basicTimeStep"].error(
            f"{step:g} ms is not allowed; must be from 0.001 to"
            f" {_LONGEST_PERIOD:g} ms"
        )
    return step / 1000


def _leave_out_plugin(info: Node) -> None:
    if info.text("physics", "<none>") not in ("", "<none>"):
        info.fields["physics"].place.add(
            "left out",
            f"physics plugin {info.text('physics')}",
            "its forces are missing",
        )


def _add_duration(period: float, place: Place, scenario: Scenario) -> None:
    # Whole motor periods.
    duration = round(math.ceil(_DURATION / period - 1e-9) * period, 9)
    scenario.simulation_duration = duration
    place.add(
        "info",
        "simulation_duration",
        f"a world has no end in Webots; here it runs {duration:g} s unless"
        " --scenario_text says otherwise",
    )


def _add_step(period: float, place: Place, scenario: Scenario) -> None:
    """Adds the plant's step: a whole part of the motors' period."""
    parts = max(1, math.ceil(period / _LONGEST_STEP - 1e-9))
    scenario.plant_config.time_step = period / parts
    if parts > 1:
        place.add(
            "info",
            "basicTimeStep",
            f"the plant steps {parts} times per {1000 * period:g} ms",
        )


def axes_of(info: Node) -> str:
    """Returns the coordinate system: "ENU", "NUE" or "EUN"."""
    old = info.place.source.version < (2020, 1, 0)
    given = info.text("coordinateSystem", "NUE" if old else "ENU")
    if given not in WORLD_AXES:
        raise info.fields["coordinateSystem"].error(
            f"{given!r}; ENU, NUE or EUN is allowed"
        )
    return given


def _gravity(info: Node) -> float:
    field = info.fields.get("gravity")
    if field is None:
        return 9.81
    numbers = field.numbers()
    if len(numbers) not in (1, 3):
        raise field.error(f"{len(numbers)} numbers; one is needed")
    return float(np.linalg.norm(numbers))
