"""Applies a scenario's contact materials to the shapes of its plant."""

import dataclasses as dc
from collections.abc import Mapping, Sequence

from pydrake.geometry import GeometryId, SceneGraphInspector

from webmotor_drake.contact.before_step import before_each_step
from webmotor_drake.contact.bounce import Bounce, Bounces, bouncing_pairs
from webmotor_drake.contact.corner_names import corners_of
from webmotor_drake.contact.inboard import ShapePair, pairs_that_can_touch
from webmotor_drake.contact.landing import Landing
from webmotor_drake.contact.materials import (
    DEFAULT,
    Material,
    Touching,
    apply_contact_properties,
    arriving_friction,
    entry_of,
    set_friction,
)
from webmotor_drake.contact.rolling import RollingFriction, rolling_pairs
from webmotor_drake.contact.shape_contact import ShapeContact
from webmotor_drake.contact.sliding import SlidingFriction, sliding_pairs
from webmotor_drake.drive.plant_queries import model_instance
from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.bodies import BodyParameters
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.modelled_plant import ModelledPlant
from webmotor_drake.simulation.supervised import supervisors


def apply_materials(
    scenario: Scenario, modelled: ModelledPlant
) -> Landing | None:
    """Gives shapes the contact of their materials, with landing and bounce.

    Raises:
        InputError: a body or a shape that is not there.
    """
    with blame(scenario, "bodies"):
        _set_own_friction(scenario, modelled)
    bouncing: Mapping[ShapePair, Bounce] = {}
    if _has_materials(scenario) or scenario.default_bounce:
        bouncing = _materials_applied(scenario, modelled)
    plant, scene_graph = modelled.plant, modelled.scene_graph
    if not any(c.lands for c in modelled.contacts):
        if bouncing:
            bounces = Bounces(plant, scene_graph, bouncing)
            before_each_step(plant, bounces.change)
        return None
    supervised = bool(supervisors(scenario))
    landing = Landing(plant, scene_graph, bouncing, shapes_change=supervised)
    if bouncing or scenario.stock or landing.is_needed:
        before_each_step(plant, landing.change, landing.lift)
    return landing


def _materials_applied(
    scenario: Scenario, modelled: ModelledPlant
) -> Mapping[ShapePair, Bounce]:
    """Gives shapes the friction of their materials; returns the pairs that bounce."""
    plant, scene_graph = modelled.plant, modelled.scene_graph
    entries = scenario.contact_properties
    inspector = scene_graph.model_inspector()
    materials = _materials(scenario, inspector, modelled.contacts)
    by_pair = {entry.materials: entry for entry in entries}
    pairs = {
        (a, b): entry_of(by_pair, materials[a].name, materials[b].name)
        for a, b in pairs_that_can_touch(plant, scene_graph, materials)
    }
    touching = Touching(plant, scene_graph, materials, pairs, entries)
    with blame(scenario, "contact_properties"):
        sliding = sliding_pairs(touching)
        if _has_materials(scenario):
            drakes = {p: e for p, e in pairs.items() if p not in sliding}
            apply_contact_properties(dc.replace(touching, pairs=drakes))
        bouncing = bouncing_pairs(touching, scenario.default_bounce)
        rolling = rolling_pairs(touching)
    if sliding:
        corners = {
            corner: shape
            for shape in materials
            for corner in corners_of(inspector, shape)
        }
        friction = SlidingFriction(plant, sliding, corners)
        before_each_step(plant, friction.change)
    if rolling:
        before_each_step(plant, RollingFriction(plant, rolling).change)
    return bouncing


def friction_at_run_time(
    scenario: Scenario,
    inspector: SceneGraphInspector,
    contacts: Sequence[ShapeContact],
    name: str,
) -> float:
    """Returns the coefficient of friction of shapes that come into a running world.

    Args:
        scenario: scenario that says how materials touch.
        inspector: inspector of the shapes that are there.
        contacts: contacts of these shapes.
        name: material of the arriving shape.
    """
    if not _has_materials(scenario):
        return 1.0  # Webots' default
    materials = _materials(scenario, inspector, contacts)
    entries = scenario.contact_properties
    return arriving_friction(name, inspector, materials, entries)


def _has_materials(scenario: Scenario) -> bool:
    """Returns whether friction is that of materials, not the models' own."""
    given = [p for bodies in scenario.bodies.values() for p in bodies.values()]
    return bool(scenario.contact_properties) or any(
        p.contact_material or p.shape_materials for p in given
    )


def _materials(
    scenario: Scenario,
    inspector: SceneGraphInspector,
    contacts: Sequence[ShapeContact],
) -> dict[GeometryId, Material]:
    found = {}
    for c in contacts:
        parameters = scenario.bodies.get(c.model, {}).get(c.body)
        parameters = parameters or BodyParameters()
        name, own = parameters.contact_material or DEFAULT, parameters.friction
        shape = inspector.GetName(c.geometry).rpartition("::")[2]
        if shape in parameters.shape_materials:
            name, own = parameters.shape_materials[shape], None
        found[c.geometry] = Material(name, own)
    return found


def _set_own_friction(scenario: Scenario, modelled: ModelledPlant) -> None:
    """Gives bodies their own friction; refuses bodies and shapes that are not there."""
    plant, scene_graph = modelled.plant, modelled.scene_graph
    inspector = scene_graph.model_inspector()
    for model, bodies in scenario.bodies.items():
        with below(model):
            instance = model_instance(plant, model)
        names = [
            plant.get_body(i).name() for i in plant.GetBodyIndices(instance)
        ]
        for body, parameters in bodies.items():
            if body not in names:
                problem = unknown_name("body", body, names)
                raise InputError(problem, path=(model, body))
            shapes = {
                inspector.GetName(c.geometry).rpartition("::")[2]: c.geometry
                for c in modelled.contacts
                if (c.model, c.body) == (model, body)
            }
            for shape in parameters.shape_materials:
                if shape not in shapes:
                    raise InputError(
                        unknown_name("collision shape", shape, shapes),
                        path=(model, body, "shape_materials", shape),
                    )
            if parameters.friction is None:
                continue
            if not shapes:
                raise InputError(
                    "it has no collision shapes",
                    path=(model, body, "friction"),
                )
            for geometry in shapes.values():
                set_friction(plant, scene_graph, geometry, parameters.friction)
