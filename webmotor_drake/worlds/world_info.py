"""The fields of WorldInfo in a scenario: steps, duration, gravity and axes."""

import math

import numpy as np

from webmotor_drake.nodes.body_sensors import WORLD_AXES
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.scenario_maker import ScenarioMaker

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
    step = info.number("basicTimeStep", 32.0)
    if not 1e-3 <= step <= _LONGEST_PERIOD:
        raise info.fields["basicTimeStep"].error(
            f"{step:g} ms is not allowed; must be from 0.001 to"
            f" {_LONGEST_PERIOD:g} ms"
        )
    period, scenario, place = step / 1000, made.scenario, info.place
    if (plugin := info.text("physics", "<none>")) not in ("", "<none>"):
        name, text = f"physics plugin {plugin}", "its forces are missing"
        info.fields["physics"].place.add("left out", name, text)
    made.put("plant_config", place=place)
    scenario.random_seed = max(int(info.number("randomSeed", 0.0)), 0)
    # Whole motor periods.
    duration = round(math.ceil(_DURATION / period - 1e-9) * period, 9)
    scenario.simulation_duration = math.inf if waits else duration
    if not waits:
        place.add(
            "info",
            "simulation_duration",
            f"a world has no end in Webots; here it runs {duration:g} s unless"
            " --scenario_text says otherwise",
        )
    parts = max(1, math.ceil(period / _LONGEST_STEP - 1e-9))
    scenario.plant_config.time_step = period / parts
    if parts > 1:
        text = f"the plant steps {parts} times per {1000 * period:g} ms"
        place.add("info", "basicTimeStep", text)
    gravity = info.fields.get("gravity")
    numbers = gravity.numbers() if gravity is not None else [9.81]
    if gravity is not None and len(numbers) not in (1, 3):
        raise gravity.error(f"{len(numbers)} numbers; one is needed")
    scenario.gravity = [0.0, 0.0, 0.0]
    up = axes_of(info).index("U")
    scenario.gravity[up] = 0.0 - float(np.linalg.norm(numbers))
    return period


def axes_of(info: Node) -> str:
    """Returns the coordinate system: "ENU", "NUE" or "EUN"."""
    old = info.place.source.version < (2020, 1, 0)
    given = info.text("coordinateSystem", "NUE" if old else "ENU")
    if given not in WORLD_AXES:
        raise info.fields["coordinateSystem"].error(
            f"{given!r}; ENU, NUE or EUN is allowed"
        )
    return given
