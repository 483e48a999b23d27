"""Lights and tone mapping of images (WREN's hdr_resolve)."""

import functools
import math

import numpy as np
from pydrake.geometry import LightParameter, Rgba

from webmotor_drake.errors import warn
from webmotor_drake.host.senses.light_sensor import PlacedLight
from webmotor_drake.nodes.lights import DirectionalLight, PointLight, SpotLight

_GAMMA = 2.2
# An exposure from which on all that is lit at all is white.
_BLINDING = 1e6


@functools.lru_cache(maxsize=8)
def tones(exposure: float) -> np.ndarray:
    """Returns the tone in an image of each of the 256 intensities of a colour.

    Light c is shown as (1 - exp(-exposure c))^(1/2.2): white that is fully lit is 207.
    """
    light = np.arange(256) / 255
    shown = (1 - np.exp(-min(exposure, _BLINDING) * light)) ** (1 / _GAMMA)
    return np.rint(255 * shown).astype(np.uint8)


def image_lights(
    lights: list[PlacedLight], gravity: np.ndarray
) -> list[LightParameter]:
    """Returns the lights of a scenario as the drawing engine has them.

    They shine from where they are now; there are no shadows. Light from all sides
    comes from the camera. Without lights one shines from the camera and one from
    above: a camera that looks level would see a black floor.

    Args:
        lights: lights of all robots.
        gravity: direction, of any length, shape (3,); the light from above falls along
            it.
    """
    if not lights:
        length = np.linalg.norm(gravity)
        down = gravity / length if length else np.array([0.0, 0.0, -1.0])
        return [
            LightParameter(type="directional", frame="camera"),
            LightParameter(type="directional", frame="world", direction=down),
        ]
    on = [light for light in lights if light.node.on]
    if any(light.place.moves for light in on):
        warn(
            "images are lit by lights where they are at the first image; those on"
            " bodies that move stay there"
        )
    shining = [_light(light) for light in on if light.node.intensity > 0]
    ambient = sum(light.node.ambient_intensity for light in on)
    if ambient > 0:
        shining.append(
            LightParameter(
                type="directional",
                frame="camera",
                direction=[0, 0, 1],
                intensity=ambient,
            )
        )
    if not shining:  # all are off
        shining.append(LightParameter(intensity=0.0))
    return shining


def _light(light: PlacedLight) -> LightParameter:
    node = light.node
    parameter = LightParameter(
        frame="world",
        color=Rgba(*node.color),
        intensity=node.intensity,
        position=light.place.p_WD(),
    )
    if isinstance(node, PointLight):
        parameter.type = "point"
        parameter.attenuation_values = np.array(node.attenuation)
    if isinstance(node, SpotLight):
        parameter.type = "spot"
        parameter.cone_angle = math.degrees(
            min(node.cut_off_angle, math.pi / 2)
        )
    if isinstance(node, DirectionalLight):
        parameter.type = "directional"
    if isinstance(node, DirectionalLight | SpotLight):
        parameter.direction = light.axis_W()
    return parameter
