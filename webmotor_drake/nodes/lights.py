"""Webots' LightSensor, and the lights that it sees: their fields and units."""

import dataclasses as dc

from webmotor_drake.nodes.body_sensors import DeviceNode
from webmotor_drake.nodes.field_docs import with_inherited_fields


@with_inherited_fields
@dc.dataclass
class LightSensor(DeviceNode):
    """Webots' LightSensor: the light of all `lights` on a plate across x.

    Attributes:
        lookup_table: rows of irradiance (W/m^2), value and noise (a part of the
            value); irradiances increase.
        color_filter: how much of red, green and blue counts, 0 to 1.
        occlusion: whether bodies stand in the way of light.
        resolution: step of the value, in the table's unit; -1: none.
    """

    lookup_table: list[list[float]] = dc.field(
        default_factory=lambda: [[0.0, 0.0, 0.0], [1.0, 1000.0, 0.0]]
    )
    color_filter: list[float] = dc.field(default_factory=lambda: [1.0] * 3)
    occlusion: bool = False
    resolution: float = -1.0


@dc.dataclass
class Light:
    """What all lights share. They are for LightSensors; cameras have their own.

    Attributes:
        frame: the body or frame of the model that carries it; "": the model's
            first body. "world": the world.
        color: RGB, 0 to 1.
        intensity: of direct light, W/m^2 (where there is no attenuation).
        ambient_intensity: of light from all sides, W/m^2.
        on: whether it shines; YAML wants it in quotes ("on").
    """

    frame: str = ""
    color: list[float] = dc.field(default_factory=lambda: [1.0] * 3)
    intensity: float = 1.0
    ambient_intensity: float = 0.0
    on: bool = True


@with_inherited_fields
@dc.dataclass
class PointLight(Light):
    """Webots' PointLight: shines from a point to all sides.

    Attributes:
        location: seen from `frame`, m.
        attenuation: a, b, c: light is divided by a + b d + c d^2 at d metres.
        radius: how far it shines, m.
    """

    location: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    attenuation: list[float] = dc.field(default_factory=lambda: [1.0, 0.0, 0.0])
    radius: float = 100.0


@with_inherited_fields
@dc.dataclass
class SpotLight(PointLight):
    """Webots' SpotLight: a PointLight that shines into a cone.

    Attributes:
        direction: of the cone's axis, seen from `frame`.
        beam_width: up to this angle from the axis it is full, rad.
        cut_off_angle: from this angle on there is none, rad.
    """

    direction: list[float] = dc.field(default_factory=lambda: [0.0, 0.0, -1.0])
    beam_width: float = 1.570796
    cut_off_angle: float = 0.785398


@with_inherited_fields
@dc.dataclass
class DirectionalLight(Light):
    """Webots' DirectionalLight: shines from afar, as the sun.

    Attributes:
        direction: in which it shines, seen from `frame`.
    """

    direction: list[float] = dc.field(default_factory=lambda: [0.0, 0.0, -1.0])
