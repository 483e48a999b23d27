"""The targets of Radars (WbRadar.cpp)."""

import dataclasses as dc
import math
import typing

import numpy as np
from pydrake.geometry import Role
from pydrake.math import RigidTransform
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import BodySampler, device_for
from webmotor_drake.host.senses.ray_scene import CORNERS

_LIGHT = 299_792_458.0  # m/s


@dc.dataclass
class RadarTarget:
    """A target of a Radar.

    Attributes:
        distance: length in m.
        received_power: level in dBm.
        speed: speed at the moment, away from the radar, m/s.
        azimuth: angle to the right, rad.
    """

    distance: float
    received_power: float
    speed: float
    azimuth: float

    @property
    def receiver_power(self) -> float:
        """The received power, by its name in Webots' Python."""
        return self.received_power


@device_for(nodes.Radar)
class RadarSampler(BodySampler[nodes.Radar]):
    """Samples the targets of a radar."""

    blank: typing.ClassVar[list[RadarTarget]] = []

    def sensed(self) -> list[RadarTarget]:
        """Returns the targets."""
        seen = (
            self._target(index, mark.cross_section)
            for index, mark in self.around.marks.items()
            if mark.cross_section > 0
        )
        found = [target for target in seen if target is not None]
        if self.node.cell_distance > 0:
            found = self._merged(found)
        for target in found:
            target.received_power = 10 * math.log10(1e3 * target.received_power)
        return found

    def _target(self, index: BodyIndex, section: float) -> RadarTarget | None:
        """Returns a body as a target, its power in W; None: it is not seen."""
        node, place = self.node, self.place
        plant, context, X_WD = place.plant, place.context, place.X_WD()
        body = plant.get_body(index)
        X_DB = X_WD.inverse() @ plant.EvalBodyPoseInWorld(context, body)
        seen = _visible_part(self._corners(body, X_DB), node)
        if seen is None:
            return None
        distance, deep = float(np.linalg.norm(seen[0])), float(seen[1][0]) / 2
        if distance > node.max_range + deep:
            return None
        way = X_DB.translation()
        length = float(np.linalg.norm(way)) or 1.0
        if node.occlusion:
            start, part = X_WD.translation(), max(1 - deep / length, 0.0)
            end = X_WD @ (part * way)
            unseen = place.robot() | {index}
            if self.around.solids.blocked(start, end, unseen):
                return None
        distance += self._noise(node.range_noise)
        if distance < node.min_range - deep:
            return None
        distance = min(max(distance, node.min_range), node.max_range)
        power = received_power(node, section, distance)
        V_WB = plant.EvalBodySpatialVelocityInWorld(context, body)
        velocity = (V_WB.translational() - place.v_WD()) @ place.R_WD()
        speed = float(way @ velocity) / length + self._noise(node.speed_noise)
        low, high = node.min_radial_speed, node.max_radial_speed
        if (
            power < 1e-3 * 10 ** (node.min_detectable_signal / 10)
            or ((low or high) and not low <= speed <= high)
            or abs(speed) < node.min_absolute_radial_speed
        ):
            return None
        half = node.horizontal_field_of_view / 2
        azimuth = min(max(math.atan2(-way[1], way[0]), -half), half)
        azimuth += self._noise(node.angular_noise)
        return RadarTarget(distance, power, speed, azimuth)

    def _noise(self, deviation: float) -> float:
        return deviation * self.random.standard_normal() if deviation else 0.0

    def _corners(self, body: RigidBody, X_DB: RigidTransform) -> np.ndarray:
        """Returns the corners of boxes around a body's shapes, (n, 3), in D."""
        plant, inspector = self.place.plant, self.around.inspector()
        frame = plant.GetBodyFrameIdOrThrow(body.index())
        corners = []
        for shape in inspector.GetGeometries(frame, Role.kProximity):
            box = inspector.GetObbInGeometryFrame(shape)
            if box is not None:
                X_DG = X_DB @ inspector.GetPoseInFrame(shape) @ box.pose()
                corners += list((X_DG @ (CORNERS * box.half_width()).T).T)
        return np.array(corners or [X_DB.translation()])

    def _merged(self, found: list[RadarTarget]) -> list[RadarTarget]:
        """Merges the targets in each cell to one, weighted by their powers."""
        node, i = self.node, 0
        while i < len(found):
            first, *rest = found[i:]
            near = [
                other
                for other in rest
                if abs(other.distance - first.distance) < node.cell_distance
                and (
                    not node.cell_speed
                    or abs(other.speed - first.speed) < node.cell_speed
                )
            ]
            if not near:
                i += 1
                continue
            powers = [t.received_power for t in (first, *near)]
            mean = np.average(
                [dc.astuple(t) for t in (first, *near)], axis=0, weights=powers
            )
            one = RadarTarget(*mean.tolist())
            one.received_power = sum(powers)
            found = [*found[:i], one, *(t for t in rest if t not in near)]
        return found


def received_power(node: nodes.Radar, section: float, distance: float) -> float:
    """Returns the power from a cross section, m^2, at a distance, m, in W."""
    sent = 1e-3 * 10 ** (node.transmitted_power / 10)
    gain = 10 ** (node.antenna_gain / 10)
    wavelength = _LIGHT / (1e9 * node.frequency)
    factor = sent * gain**2 * wavelength**2 / (4 * math.pi) ** 3
    return factor * section / distance**4 if distance else math.inf


def _visible_part(
    points: np.ndarray, node: nodes.Radar
) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns centre and size of the part of some points, (n, 3), in a radar's view."""
    lengths = np.linalg.norm(points, axis=1)
    middle = points.mean(axis=0)
    towards = math.atan2(middle[1], middle[0])
    turns = np.arctan2(points[:, 1], points[:, 0]) - towards
    turns = towards + np.mod(turns + math.pi, 2 * math.pi) - math.pi
    tilts = np.arctan2(points[:, 2], np.hypot(points[:, 0], points[:, 1]))
    wide = node.horizontal_field_of_view / 2
    high = node.vertical_field_of_view / 2
    for angles, half in ((turns, wide), (tilts, high)):
        if angles.min() > half or angles.max() < -half:
            return None
    turns, tilts = np.clip(turns, -wide, wide), np.clip(tilts, -high, high)
    level = lengths * np.cos(tilts)
    parts = np.column_stack(
        [level * np.cos(turns), level * np.sin(turns), lengths * np.sin(tilts)]
    )
    low, top = parts.min(axis=0), parts.max(axis=0)
    return (low + top) / 2, top - low
