"""Shapes of a robot that touch each other while it moves.

Overlaps at the start are told when the diagram is built; see `drive.self_collision`.
Here a run looks now and then, some 200 times in all, so a short touch between two looks
is not seen.
"""

import dataclasses as dc
from collections.abc import Iterator, Mapping

import numpy as np
from pydrake.geometry import GeometryId, SceneGraph
from pydrake.multibody.plant import ContactResults, MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import shape_bodies
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.self_collision import (
    may_collide,
    own_geometries,
    robot_bodies,
)
from webmotor_drake.errors import warn
from webmotor_drake.scenario.scenario import Scenario

Pair = tuple[BodyIndex, BodyIndex]

# Pairs that the warning names.
_NAMED = 6


@dc.dataclass
class _OwnContact:
    """The first touch of two bodies of a robot, s; the largest force, N; depth, m."""

    since: float
    force: float = 0.0
    depth: float = 0.0


def pushes(
    results: ContactResults,
) -> Iterator[tuple[GeometryId, GeometryId, np.ndarray, np.ndarray]]:
    """Yields each contact: the shape, the one that pushes it, point, m, force, N."""
    for i in range(results.num_point_pair_contacts()):
        info = results.point_pair_contact_info(i)
        pair = info.point_pair()
        yield pair.id_B, pair.id_A, info.contact_point(), info.contact_force()
    for i in range(results.num_hydroelastic_contacts()):
        info = results.hydroelastic_contact_info(i)
        surface, force = info.contact_surface(), info.F_Ac_W().translational()
        yield surface.id_M(), surface.id_N(), surface.centroid(), force


class OwnContacts:
    """Watches the robots without a `self_collision` field for contact with themselves.

    Args:
        scenario: scenario that runs.
        plant: its plant.
        scene_graph: scene graph of the plant.
    """

    def __init__(
        self, scenario: Scenario, plant: MultibodyPlant, scene_graph: SceneGraph
    ):
        self._plant = plant
        self._model_of: dict[GeometryId, str] = {}
        for model, driver in scenario.model_drivers.items():
            if not isinstance(driver, WebotsMotorDriver):
                continue
            bodies = robot_bodies(plant, plant.GetModelInstanceByName(model))
            shapes = own_geometries(plant, bodies)
            unsaid = driver.self_collision is None
            if unsaid and may_collide(scene_graph, shapes):
                self._model_of.update(dict.fromkeys(shapes, model))
        # Shapes that supervisors import are no robot's own.
        self._body_of = {
            geometry: body.index()
            for geometry, body in shape_bodies(plant).items()
            if geometry in self._model_of
        }
        self._at_start: set[Pair] | None = None
        self._seen: dict[str, dict[Pair, _OwnContact]] = {}

    def look(self, root: Context, now: float) -> None:
        """Notes the shapes that touch now; the first look notes those at the start.

        Args:
            root: the root Context.
            now: the time, s over all resets.
        """
        if not self._model_of:
            return
        context = self._plant.GetMyContextFromRoot(root)
        if not np.isfinite(self._plant.GetPositions(context)).all():
            return
        found = self._overlapping(context)
        if self._at_start is None:
            self._at_start = set(found)
        new = found.keys() - self._at_start
        if not new:
            return
        port = self._plant.get_contact_results_output_port()
        forces = self._forces(port.Eval(context))
        for pair in new:
            model, depth = found[pair]
            seen = self._seen.setdefault(model, {})
            contact = seen.setdefault(pair, _OwnContact(since=now))
            contact.depth = max(contact.depth, depth)
            contact.force = max(contact.force, forces.get(pair, 0.0))

    def _overlapping(self, context: Context) -> dict[Pair, tuple[str, float]]:
        """Returns each pair's model, and how deep its bodies overlap, m."""
        query = self._plant.get_geometry_query_input_port().Eval(context)
        deepest: dict[Pair, tuple[str, float]] = {}
        for contact in query.ComputePointPairPenetration():
            model = self._model_of.get(contact.id_A)
            if model is None or model != self._model_of.get(contact.id_B):
                continue
            shapes = contact.id_A, contact.id_B
            a, b = sorted((self._body_of[shape] for shape in shapes), key=int)
            pair = a, b
            _, depth = deepest.get(pair, (model, 0.0))
            deepest[pair] = model, max(depth, contact.depth)
        return deepest

    def _forces(self, results: ContactResults) -> dict[Pair, float]:
        sums: dict[Pair, np.ndarray] = {}
        for on, by, _, force in pushes(results):
            a, b = self._body_of.get(on), self._body_of.get(by)
            if a is not None and b is not None:
                if int(a) > int(b):
                    a, b, force = b, a, -force
                sums[a, b] = sums.get((a, b), 0.0) + force
        return {
            pair: float(np.linalg.norm(force)) for pair, force in sums.items()
        }

    def tell(self) -> None:
        """Warns of the robots that have touched themselves in motion."""
        for model, contacts in self._seen.items():
            hardest = sorted(contacts.items(), key=lambda c: -c[1].force)
            texts = [
                f"{' and '.join(self._names(pair))} from {contact.since:.3g} s on"
                f" with up to {contact.force:.3g} N"
                for pair, contact in hardest[:_NAMED]
            ]
            if len(hardest) > _NAMED:
                texts.append(f"{len(hardest) - _NAMED} more pairs")
            warn(
                f"{model}: its own shapes have touched in motion:"
                f" {', '.join(texts)}; self_collision: false in the driver"
                " prevents it, true keeps it"
            )

    def metadata(self) -> Mapping[str, list[dict[str, object]]]:
        """Returns the contacts seen, by model; {} if none."""
        return {
            model: [
                {"bodies": list(self._names(pair)), **dc.asdict(contact)}
                for pair, contact in contacts.items()
            ]
            for model, contacts in self._seen.items()
        }

    def _names(self, pair: Pair) -> tuple[str, str]:
        a, b = (self._plant.get_body(index).name() for index in pair)
        return a, b
