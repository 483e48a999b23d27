"""Irradiance of LightSensors (WbLightSensor.cpp)."""

import dataclasses as dc
import math
import typing

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import BodySampler, device_for
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.ray_scene import RayScene
from webmotor_drake.host.senses.sampling import LookupTable, rounded
from webmotor_drake.nodes.lights import DirectionalLight, PointLight, SpotLight

# The distance of a DirectionalLight, m.
_AFAR = 1000.0


@dc.dataclass(frozen=True)
class PlacedLight:
    """A light L.

    Attributes:
        node: declared fields of the light.
        place: place of the light; the node's direction is in its axes.
    """

    node: PointLight | SpotLight | DirectionalLight
    place: Place

    def at(self, p_WS: np.ndarray) -> tuple[np.ndarray, float]:
        """Returns the vector from a point S to the light, m, and its attenuation.

        The attenuation is the part of the light that reaches S, direct or not.
        """
        node = self.node
        if isinstance(node, DirectionalLight):
            return -_AFAR * self.axis_W(), 1.0
        way = self.place.p_WD() - p_WS
        distance = float(np.linalg.norm(way))
        if distance > node.radius:
            return way, 0.0
        a, b, c = node.attenuation
        return way, 1 / max(a + b * distance + c * distance**2, 1e-12)

    def beam(self, way: np.ndarray) -> float:
        """Returns the part of the direct light that a SpotLight sends that way."""
        if not isinstance(self.node, SpotLight):
            return 1.0
        full, none = self.node.beam_width, self.node.cut_off_angle
        cosine = -way @ self.axis_W() / np.linalg.norm(way)
        angle = math.acos(min(max(cosine, -1.0), 1.0))
        if angle > none:
            return 0.0
        return 1.0 if angle <= full else (angle - none) / (full - none)

    def axis_W(self) -> np.ndarray:
        """Returns the unit vector along which it shines."""
        assert isinstance(self.node, DirectionalLight | SpotLight)
        axis = self.place.R_WD() @ self.node.direction
        return axis / np.linalg.norm(axis)


@device_for(nodes.LightSensor)
class LightSampler(BodySampler[nodes.LightSensor]):
    """Samples the light, through the lookup table."""

    blank = math.nan

    def __init__(self, node: nodes.LightSensor, *rest: typing.Any):
        super().__init__(node, *rest)
        self._table = LookupTable(node.lookup_table, self.random)
        self._lights: list[PlacedLight] = self.around.lights
        self._scene: RayScene = self.around.solids

    def sensed(self) -> float:
        """Returns the value."""
        axis_W, p_WS = self.place.R_WD()[:, 0], self.place.p_WD()
        light, own = np.zeros(3), frozenset({self.place.body.index()})
        for source in self._lights:
            if not source.node.on:
                continue
            way, part = source.at(p_WS)
            distance = float(np.linalg.norm(way))
            cosine = axis_W @ way / distance if distance else 0.0
            direct = 0.0
            shines = cosine > 0 and part > 0
            if shines and self.node.occlusion:
                shines = not self._scene.blocked(p_WS, p_WS + way, own)
            if shines:
                direct = source.node.intensity * cosine * source.beam(way)
            total = part * (source.node.ambient_intensity + direct)
            light += total * np.array(source.node.color)
        irradiance = float(light @ self.node.color_filter) / 3
        return rounded(self._table(irradiance), self.node.resolution)
