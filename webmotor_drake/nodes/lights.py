"""Webots' LightSensor, and the lights that it sees."""

from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import amount, field, node, point, step_or_none
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    COLOR,
    DIRECTION,
    LOOKUP_TABLE,
    numbers,
)

__all__ = ["DirectionalLight", "LightSensor", "PointLight", "SpotLight"]


@node
class LightSensor(DeviceNode):
    """Webots' LightSensor: the light of all `lights` on a plate across x."""

    lookup_table: list[list[float]] = field(
        [[0.0, 0.0, 0.0], [1.0, 1000.0, 0.0]],
        "from irradiance, W/m^2, to value; noise is a part of the value",
        rule=LOOKUP_TABLE,
    )
    color_filter: list[float] = field(
        [1.0] * 3, "weight of each colour", rule=COLOR
    )
    occlusion: bool = field(False, "True if bodies stand in the way of light")
    resolution: float = step_or_none(
        "step of the value, in the table's unit, such as 1"
    )


@node
class Light:
    """The common fields of lights, by which LightSensors and cameras see."""

    frame: str = field(
        "",
        'the body or frame of the model that carries it; "world": the world;'
        " empty: the model's first body",
        ours=True,
    )
    color: list[float] = field([1.0] * 3, "of the light", rule=COLOR)
    intensity: float = field(
        1.0,
        "of direct light, where there is no attenuation",
        "W/m^2",
        AT_LEAST_0,
    )
    ambient_intensity: float = amount("of light from all sides", "W/m^2")
    on: bool = field(True, 'True if it shines; YAML wants it in quotes ("on")')


@node
class PointLight(Light):
    """Webots' PointLight: shines from a point to all sides."""

    location: list[float] = point("seen from `frame`")
    attenuation: list[float] = field(
        [1.0, 0.0, 0.0],
        "light is divided by a + b d + c d^2 at d metres",
        rule=numbers("a, b, c", AT_LEAST_0),
    )
    radius: float = field(
        100.0, "distance up to which it shines", "m", AT_LEAST_0
    )


@node
class SpotLight(PointLight):
    """Webots' SpotLight: a PointLight that shines into a cone."""

    direction: list[float] = field(
        [0.0, 0.0, -1.0],
        "of the cone's axis, seen from `frame`",
        rule=DIRECTION,
    )
    beam_width: float = field(
        1.570796, "up to this angle from the axis it is full", "rad"
    )
    cut_off_angle: float = field(0.785398, "no light beyond this angle", "rad")


@node
class DirectionalLight(Light):
    """Webots' DirectionalLight: shines from afar, as the sun."""

    direction: list[float] = field(
        [0.0, 0.0, -1.0],
        "in which it shines, seen from `frame`",
        rule=DIRECTION,
    )
