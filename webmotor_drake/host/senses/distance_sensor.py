"""Distances of DistanceSensors (WbDistanceSensor.cpp); all rays of a step at once."""

import math
import typing

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import BodySampler, device_for
from webmotor_drake.host.senses.ray_scene import Bodies, RayBatch, RayScene
from webmotor_drake.host.senses.sampling import LookupTable, rounded
from webmotor_drake.nodes.distance import DistanceSensor

# A sonar hears a surface if the cosine between ray and normal is at least this.
_SONAR = math.cos(math.radians(22.5))
_TURN = 2 * math.pi


def ray_places(number: int) -> list[tuple[float, float]]:
    """Returns the rays' angle about x, and their share of half the aperture.

    Up to ten rays have places of their own; more are rings of 1, 4, 7, ...
    """

    def ring(count: int, part: float, start: float = 0.0):
        return [(start + i * _TURN / count, part) for i in range(count)]

    centre = [(0.0, 0.0)]
    triple = [(0.0, 1.0), (_TURN / 3, 1.0), (-_TURN / 3, 1.0)]
    few = {
        1: centre,
        2: [(_TURN / 4, 1.0), (-_TURN / 4, 1.0)],
        3: triple,
        4: centre + triple,
        9: [(a, 0.3) for a, _ in triple] + ring(6, 1.0),
        10: centre + [(a, 0.5) for a, _ in triple] + ring(6, 1.0),
    }
    if number in few:
        return few[number]
    if number <= 8:
        return centre + ring(number - 1, 1.0)
    sizes, left = [], number
    while left > 0:
        sizes.append(min(3 * len(sizes) + 1, left))
        left -= sizes[-1]
    places, s = [], 0
    for k, count in enumerate(sizes):
        for _ in range(count):
            places.append((s * _TURN / count, k / (len(sizes) - 1)))
            s += 1
    return places


def rays_of(node: DistanceSensor) -> tuple[np.ndarray, np.ndarray]:
    """Returns a sensor's rays: directions (n, 3) in its axes and weights, n."""
    places = ray_places(node.number_of_rays if node.aperture else 1)
    directions, weights = [], []
    for alpha, part in places:
        theta, beta = part * node.aperture / 2, alpha + _TURN / 4
        across = math.sin(theta)
        directions.append(
            (
                math.cos(theta),
                -across * math.cos(beta),
                across * math.sin(beta),
            )
        )
        width = node.aperture * node.gaussian_width
        weights.append(math.exp(-((theta / width) ** 2)) if theta else 1.0)
    return np.array(directions), np.array(weights) / sum(weights)


@device_for(nodes.DistanceSensor)
class DistanceSampler(BodySampler[nodes.DistanceSensor]):
    """Samples the distance, through the lookup table.

    Attributes:
        directions: directions of its rays, (n, 3), in its axes.
        weights: weights of its rays, (n).
        table: lookup table from distance to value.
        rays: rays of all sensors.
        unseen: the bodies that its rays pass through.
        distance: distance that `rays` found last, m.
    """

    blank = math.nan

    def __init__(self, node: nodes.DistanceSensor, *rest: typing.Any):
        super().__init__(node, *rest)
        self.table = LookupTable(node.lookup_table, self.random)
        self.directions, self.weights = rays_of(node)
        self.unseen: Bodies = self.place.robot()
        if self.host.driver.self_collision or node.type == "infra-red":
            self.unseen = frozenset({self.place.body.index()})
        self.distance = math.nan
        self.rays: DistanceRays = self.around.distances
        self.rays.samplers.append(self)

    def sensed(self) -> float:
        """Returns the value."""
        now = self.clock.now
        if self.rays.cast_at != now:
            self.rays.cast(now)
        value, step = self.table(self.distance), self.node.resolution
        return rounded(value, step) if step > 0 else value


class DistanceRays:
    """Casts the rays of all distance sensors that measure at the end of a step.

    Args:
        scene: collision shapes, for all sensors but infra-red ones.
        drawn: drawn shapes, for infra-red sensors.

    Attributes:
        samplers: the sensors of all robots.
        cast_at: step before which the rays were cast last.
    """

    def __init__(self, scene: RayScene, drawn: typing.Callable[[], RayScene]):
        self.samplers: list[DistanceSampler] = []
        self.cast_at = -1
        self._scene, self._drawn = scene, drawn
        self._known: dict[tuple[DistanceSampler, ...], list[_Pass]] = {}
        self._version = self._scene.version

    def cast(self, now: int) -> None:
        """Finds the distances of all sensors that measure before step `now`."""
        if self._version != self._scene.version:
            self._version = self._scene.version
            self._known.clear()
        due = tuple(s for s in self.samplers if 0 < s.period <= now - s.last)
        if due not in self._known:
            drawn = [s for s in due if s.node.type == "infra-red"]
            solid = [s for s in due if s.node.type != "infra-red"]
            passes = [_Pass(self._scene, solid)] if solid else []
            passes += [_Pass(self._drawn(), drawn)] if drawn else []
            self._known[due] = passes
        for one in self._known[due]:
            one.measure()
        self.cast_at = now


class _Pass(RayBatch):
    """The rays of some sensors, cast together."""

    def __init__(self, scene: RayScene, samplers: list[DistanceSampler]):
        self._samplers = samplers
        each = [s for s in samplers for _ in s.weights]
        super().__init__(
            scene,
            np.array([s.place.X_BD.translation() for s in each]),
            np.concatenate(
                [
                    s.directions @ s.place.X_BD.rotation().matrix().T
                    for s in samplers
                ]
            ),
            [s.unseen for s in each],
            [s.place.body for s in each],
            [s.table.range for s in each],
        )
        ends = np.cumsum([len(s.weights) for s in samplers])
        self._parts = [
            slice(end - len(s.weights), end)
            for end, s in zip(ends, samplers, strict=True)
        ]
        self._plain = all(
            len(s.weights) == 1 and s.node.type in ("generic", "laser")
            for s in samplers
        )

    def measure(self) -> None:
        """Casts the rays, and sets the distance of each sensor."""
        lengths, met = self.cast()
        if self._plain:
            found = lengths.tolist()
        else:
            found = [
                self._found(s, part, lengths, met)
                for s, part in zip(self._samplers, self._parts, strict=True)
            ]
        for sampler, distance in zip(self._samplers, found, strict=True):
            sampler.distance = distance

    def _found(
        self,
        sampler: DistanceSampler,
        part: slice,
        lengths: np.ndarray,
        met: np.ndarray,
    ) -> float:
        """Returns a sensor's distance from its rays' lengths, m."""
        own, hit = lengths[part], met[part] >= 0
        if sampler.node.type == "sonar":
            rays = part.start + np.flatnonzero(hit)
            square = self.squareness(rays)
            heard = [
                float(lengths[ray])
                for ray, cosine in zip(rays, square, strict=True)
                if cosine >= _SONAR
            ]
            return min(heard, default=sampler.table.range)
        distance = float(own @ sampler.weights)
        if sampler.node.type != "infra-red":
            return distance
        factors = [
            0.2 + 0.8 * self.redness(part.start + i) if is_hit else 1.0
            for i, is_hit in enumerate(hit)
        ]
        factor = float(np.array(factors) @ sampler.weights)
        further = distance / factor - distance
        return distance + further * sampler.node.red_color_sensitivity
