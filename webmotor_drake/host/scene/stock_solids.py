"""Solids that come into the world at run time: bodies in stock, as a text says.

Nodes that are only drawn need no body of their own.
"""

from pydrake.geometry import Rgba
from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody

from webmotor_drake.contact.configure import properties_at_run_time
from webmotor_drake.errors import InputError
from webmotor_drake.host.scene import solid_text
from webmotor_drake.host.scene.physics import Physics
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import SceneTree
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.host.senses.recognition import Mark, checked_colors
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.simulation import spares
from webmotor_drake.simulation.contact_materials import friction_at_run_time
from webmotor_drake.worlds.nodes import Node as TextNode
from webmotor_drake.worlds.shapes import read_color

# Fields that mean nothing if they have these values.
_DEFAULTS = {
    "locked": [False],
    "radarCrossSection": [0.0],
}


class StockSolids:
    """Turns bodies in stock into the Solids of texts, and adds nodes that are drawn.

    Args:
        stepped: the simulation; its scenario's `stock` gives the bodies.
        tree: the nodes.
        physics: physics of the scene.
        shapes: shapes of the scene graph.

    Attributes:
        solids: imported Solids in the world, by their models in stock.
        ignored: parts of the text without effect.
    """

    def __init__(
        self,
        stepped: SteppedSimulation,
        tree: SceneTree,
        physics: Physics,
        shapes: Shapes,
    ):
        self._stepped, self._tree = stepped, tree
        self._physics, self._shapes = physics, shapes
        self._number = 0
        self.solids: dict[str, SceneNode] = {}
        self.ignored: list[str] = []

    def bring_solid(self, wanted: TextNode) -> SceneNode:
        """Turns a body in stock into the Solid of a text, which has no parent yet."""
        pose = solid_text.pose_of(wanted)
        collisions = solid_text.collisions_of(wanted)
        field = wanted.fields.get("recognitionColors")
        colors = checked_colors([] if field is None else field.rows(3))
        velocity = [
            *wanted.numbers("linearVelocity", [0.0, 0.0, 0.0]),
            *wanted.numbers("angularVelocity", [0.0, 0.0, 0.0]),
        ]
        physics = wanted.node("physics")
        fixed = physics is None
        model = self._free_model()
        plant, context = self._physics.plant, self._physics.context
        instance = plant.GetModelInstanceByName(model)
        body = plant.GetBodyByName(spares.SOLID, instance)
        if physics is not None:
            inertia = solid_text.inertia_of(wanted, physics)
            self._physics.set_inertia(body, inertia)
        node = self._tree.keep(None, wanted, "children")
        node.model, node.frame, node.body = model, body.body_frame(), body
        self._tree.replace(model, node)
        name_node(node, wanted, "solid")
        node.label = field_text(wanted, "model", "")
        node.material = field_text(wanted, "contactMaterial", "default")
        for part in node.children:
            if part.slot == "children":
                self._show(part, node.body, RigidTransform())
            elif part.slot == "physics":
                part.body, part.file = node.body, None  # as it is now
        self._collide(node, collisions, fixed=fixed)
        self.ignored += _without_effect(wanted)
        if colors:
            mark = Mark(node.id, node.label or node.name, colors)
            self._stepped.surroundings.marks[body.index()] = mark
        self.solids[model] = node
        spares.release(plant, context, model)
        self._physics.set_pose(node, pose)
        self._physics.stop([node])
        if fixed:
            spares.hold(plant, context, model)
        elif any(velocity):
            self._physics.set_velocity(node, velocity)
        return node

    def _free_model(self) -> str:
        models = spares.stock_models(self._stepped.simulation.scenario)
        for model in models:
            if model not in self.solids:
                return model
        if not models:
            raise InputError(
                "the scenario has no Solids in stock; `stock: 8` gives it some"
            )
        raise InputError(
            f"all {len(models)} Solids in stock are in the world;"
            f" `stock: {2 * len(models)}` gives the scenario more"
        )

    def _collide(
        self,
        node: SceneNode,
        collisions: list[solid_text.Collision],
        *,
        fixed: bool,
    ) -> None:
        plant = self._physics.plant
        friction = friction_at_run_time(
            self._stepped.simulation.scenario,
            self._shapes.inspector,
            self._stepped.simulation.contacts,
            node.material,
        )
        slots = plant.GetCollisionGeometriesForBody(node.body)
        nodes = {part.file: part for part in node.subtree()}
        for slot, (text, shape, X_BG) in zip(slots, collisions, strict=False):
            self._shapes.reshape(slot, shape, X_BG)
            properties = properties_at_run_time(
                plant,
                self._shapes.scene_graph,
                shape,
                fixed=fixed,
                friction=friction,
            )
            self._shapes.collide(slot, properties)
            nodes[text].geometry = slot

    def take_back(self, node: SceneNode) -> None:
        """Takes the shapes and colours of an imported Solid away."""
        self._stepped.surroundings.marks.pop(node.body.index(), None)
        self.erase(node)
        del self.solids[node.model]

    def draw(self, wanted: TextNode) -> SceneNode:
        """Draws a node, and all nodes in it, in the world; it has no parent yet."""
        node = self._tree.keep(None, wanted, "children")
        self._show(node, self._physics.plant.world_body(), RigidTransform())
        return node

    def _show(
        self, node: SceneNode, body: RigidBody, X_BP: RigidTransform
    ) -> None:
        """Draws a node of a text, and its children, on a body of its parent."""
        text = node.file
        if text.type == "Shape":
            self._show_shape(node, text, body, X_BP)
        elif text.type not in solid_text.HOLDERS:
            self.ignored.append(solid_text.why_ignored(text.type))
        else:
            if text.type != "Group":
                X_BP = X_BP @ solid_text.pose_of(text)
                node.frame, node.offset = body.body_frame(), X_BP
            for child in node.children:
                self._show(child, body, X_BP)

    def _show_shape(
        self,
        node: SceneNode,
        text: TextNode,
        body: RigidBody,
        X_BP: RigidTransform,
    ) -> None:
        inside = text.node("geometry")
        shape = solid_text.shape_of(inside) if inside is not None else None
        if inside is None or shape is None or inside.type == "Plane":
            kind = inside.type if inside else "Shape"
            self.ignored.append(solid_text.why_ignored(kind))
            return
        self._number += 1
        drawn = self._shapes.draw(
            body,
            shape,
            X_BP,
            Rgba(*read_color(text)),
            f"imported {self._number}",
        )
        for part in node.subtree():
            part.geometry = drawn

    def erase(self, node: SceneNode) -> None:
        """Removes a node's drawn shapes; colliding ones pass through."""
        parts = {n.geometry for n in node.subtree() if n.geometry is not None}
        for geometry in parts:
            if geometry in self._shapes.colliding:
                self._shapes.pass_through(geometry)
            else:
                self._shapes.remove(geometry)


def _without_effect(wanted: TextNode) -> list[str]:
    known = {
        *("translation", "rotation", "name", "model", "children"),
        *("physics", "recognitionColors", "contactMaterial"),
        *("boundingObject", "linearVelocity", "angularVelocity"),
    }
    return [
        f"the field {name}"
        for name, field in wanted.fields.items()
        if name not in known and field.items != _DEFAULTS.get(name)
    ]


def name_node(node: SceneNode, wanted: TextNode, otherwise: str) -> None:
    """Gives a node the DEF and the name in a text."""
    node.definition = wanted.definition
    node.name = field_text(wanted, "name", otherwise)


def field_text(wanted: TextNode, name: str, otherwise: str) -> str:
    """Returns a field's text, or `otherwise` if it is not set."""
    field = wanted.fields.get(name)
    value = field.items[0] if field is not None and field.items else otherwise
    return value if isinstance(value, str) else otherwise
