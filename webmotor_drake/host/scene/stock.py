"""Nodes that come into the world at run time, and leave it.

What is only drawn comes as its text says. A Solid that collides or moves needs a body:
of a model in the scenario's `spares`, or one of its `stock`.
"""

import re
from collections.abc import Callable

from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody

from webmotor_drake.contact.configure import properties_at_run_time
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.host.scene import solid_text
from webmotor_drake.host.scene.kept_fields import Kept
from webmotor_drake.host.scene.physics import Physics, Refused
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import SceneTree
from webmotor_drake.host.scene.shape_nodes import add_shape
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.spares import (
    MAX_COLLISIONS,
    SOLID,
    hold,
    release,
    spare_models,
    stock_models,
    waiting_place,
)
from webmotor_drake.worlds.nodes import Node as TextNode

# Of shapes whose contactMaterial has no entry of its own.
_FRICTION = 1.0
_USE = re.compile(r'\bUSE\s+([^\s,{}\[\]"#]+)')
# Fields that say nothing where they are so.
_DEFAULTS = {
    "contactMaterial": ["default"],
    "locked": [False],
    "radarCrossSection": [0.0],
}
_TYPES = {
    "Group": Node.GROUP,
    "Pose": Node.POSE,
    "Transform": Node.TRANSFORM,
    "Box": Node.BOX,
    "Sphere": Node.SPHERE,
    "Cylinder": Node.CYLINDER,
    "Capsule": Node.CAPSULE,
    "Plane": Node.PLANE,
}


class Stock:
    """The scenario's spares and stock, and what has been removed.

    Args:
        scenario: its `spares` and `stock` are there at first.
        tree: the nodes; those in stock are taken out of it.
        physics: the plant's side.
        shapes: the scene graph's.
    """

    def __init__(
        self,
        scenario: Scenario,
        tree: SceneTree,
        physics: Physics,
        shapes: Shapes,
    ):
        self._scenario, self._tree = scenario, tree
        self._physics, self._shapes = physics, shapes
        self._waiting = spare_models(scenario)
        self._removed: list[SceneNode] = []
        # What has been imported: Solids in stock by model, and what is only drawn.
        self._solids: dict[str, SceneNode] = {}
        self._drawn: list[SceneNode] = []
        self._number = 0
        for kind, models in scenario.spares.items():
            for model in models:
                node = tree.model(model)
                node.kind = kind
                self._take_out(node)
        for model in stock_models(scenario):
            self._take_out(tree.model(model))

    def bring(
        self,
        text: str,
        parent: SceneNode,
        position: int,
        text_of: Callable[[str], str | None],
    ) -> str:
        """Brings the nodes of a text into the world.

        Args:
            text: as for importMFNodeFromString.
            parent: the root, or a Group in it.
            position: its place among the parent's children.
            text_of: returns the text of the node with a DEF, for `USE`.

        Returns:
            What of the text has no effect here; "": nothing.

        Raises:
            Refused: there is no such spare left, or the text is not a node.
        """
        ignored: list[str] = []
        for wanted in solid_text.parse(_with_used(text, text_of)):
            if wanted.type in self._scenario.spares:
                node = self._bring_spare(wanted, ignored)
            elif wanted.type == "Solid":
                node = self._bring_solid(wanted, ignored)
            elif wanted.type in solid_text.DRAWN:
                node = self._bring_drawn(wanted, ignored)
            else:
                raise Refused(self._why_unknown(wanted.type))
            if node.parent is not None:
                node.parent.children.remove(node)
            node.parent = parent
            parent.children.insert(position, node)
            position += 1
        return ", ".join(dict.fromkeys(ignored))

    def _why_unknown(self, kind: str) -> str:
        """Returns why a type of node cannot be imported."""
        known = [*self._scenario.spares, "Solid", *solid_text.DRAWN]
        return (
            f"{unknown_name('kind of spares', kind, known)}; what is imported"
            " has to be in the scenario's spares, or a Solid"
        )

    def _bring_spare(self, wanted: TextNode, ignored: list[str]) -> SceneNode:
        """Moves a spare of the scenario to the pose in a text."""
        pose = solid_text.pose_of(wanted)
        node = self._spare(wanted.type)
        _name(node, wanted, node.name)
        node.parent = self._tree.root
        self._tree.root.children.append(node)
        release(self._physics.plant, self._physics.context, node.model)
        self._physics.set_pose(node, pose)
        known = {"translation", "rotation", "name"}
        ignored += [f"the field {n}" for n in wanted.fields if n not in known]
        return node

    def _spare(self, kind: str) -> SceneNode:
        """Returns the first spare of a kind that is in stock."""
        spares = self._scenario.spares
        for model in spares[kind]:
            node = self._tree.model(model)
            if node.parent is None:
                return node
        raise Refused(
            f"all {len(spares[kind])} spares of kind {kind} are in the world;"
            " give the scenario more"
        )

    def _bring_drawn(self, wanted: TextNode, ignored: list[str]) -> SceneNode:
        """Draws nodes without a body."""
        world = self._physics.plant.world_body()
        node = self._draw(
            self._tree.root, wanted, world, RigidTransform(), ignored
        )
        self._drawn.append(node)
        return node

    def _bring_solid(self, wanted: TextNode, ignored: list[str]) -> SceneNode:
        """Turns a body in stock into the Solid of a text."""
        pose = solid_text.pose_of(wanted)
        collisions = solid_text.collisions_of(wanted)
        if len(collisions) > MAX_COLLISIONS:
            raise Refused(
                f"{len(collisions)} shapes in a boundingObject; up to"
                f" {MAX_COLLISIONS} are possible"
            )
        velocity = solid_text.velocity_of(wanted)
        physics = wanted.node("physics")
        fixed = physics is None
        if not fixed and any(c.node.type == "Plane" for c in collisions):
            raise Refused(
                "a Plane cannot move; a Solid with Physics cannot have one"
            )
        model = self._free_model()
        body = self._body(model)
        plant, context = self._physics.plant, self._physics.context
        if physics is not None:
            inertia = solid_text.inertia_of(physics, collisions)
            self._physics.set_inertia(body, inertia)
        node = self._tree.add(
            self._tree.root,
            type=Node.SOLID,
            name="solid",
            model=model,
            frame=body.body_frame(),
            body=body,
        )
        self._tree.replace(model, node)
        _name(node, wanted, "solid")
        node.label = _text(wanted, "model", "")
        self._fill(node, wanted, collisions, fixed=fixed, ignored=ignored)
        self._solids[model] = node
        release(plant, context, model)
        self._physics.set_pose(node, pose)
        self._physics.stop([node])
        if fixed:
            hold(plant, context, model)
        elif any(velocity):
            self._physics.set_velocity(node, velocity)
        return node

    def _free_model(self) -> str:
        models = stock_models(self._scenario)
        for model in models:
            if model not in self._solids:
                return model
        if not models:
            raise Refused(
                "the scenario has no Solids in stock; `stock: 8` gives it some"
            )
        raise Refused(
            f"all {len(models)} Solids in stock are in the world;"
            f" `stock: {2 * len(models)}` gives the scenario more"
        )

    def _body(self, model: str) -> RigidBody:
        plant = self._physics.plant
        instance = plant.GetModelInstanceByName(model)
        return plant.GetBodyByName(SOLID, instance)

    def _fill(
        self,
        node: SceneNode,
        wanted: TextNode,
        collisions: list[solid_text.Collision],
        *,
        fixed: bool,
        ignored: list[str],
    ) -> None:
        """Adds a Solid's drawn and collision shapes."""
        for child in wanted.nodes("children"):
            self._draw(node, child, node.body, RigidTransform(), ignored)
        plant = self._physics.plant
        slots = plant.GetCollisionGeometriesForBody(node.body)
        holder, field = node, "boundingObject"
        if len(collisions) > 1:
            holder = self._tree.add(node, type=Node.GROUP, name="", slot=field)
            field = "children"
        for slot, one in zip(slots, collisions, strict=False):
            self._shapes.reshape(slot, one.shape, one.pose)
            properties = properties_at_run_time(
                plant,
                self._shapes.scene_graph,
                one.shape,
                fixed=fixed,
                friction=_FRICTION,
            )
            self._shapes.collide(slot, properties)
            self._tree.add(
                holder,
                type=_TYPES[one.node.type],
                name="",
                slot=field,
                definition=one.node.definition,
                geometry=slot,
            )
        if not fixed:
            self._tree.add(
                node, type=Node.PHYSICS, name="", slot="physics", body=node.body
            )
        known = {
            *("translation", "rotation", "name", "model", "children"),
            "physics",
            *("boundingObject", "linearVelocity", "angularVelocity"),
        }
        ignored += [
            f"the field {name}"
            for name, field in wanted.fields.items()
            if name not in known and field.items != _DEFAULTS.get(name)
        ]

    def _draw(
        self,
        parent: SceneNode,
        wanted: TextNode,
        body: RigidBody,
        X_BP: RigidTransform,
        ignored: list[str],
    ) -> SceneNode:
        """Adds a node that is drawn, and its children.

        Args:
            parent: what it is added to.
            wanted: what its text says.
            body: what it is on.
            X_BP: where the parent is there.
            ignored: what has no effect is added to it.
        """
        if wanted.type == "Shape":
            return self._draw_shape(parent, wanted, body, X_BP, ignored)
        if wanted.type not in solid_text.HOLDERS:
            ignored.append(f"a {wanted.type}")
            return self._tree.add(
                parent,
                type=Node.GROUP,
                kind=wanted.type,
                name="",
                definition=wanted.definition,
            )
        X_BN, fields = X_BP, {}
        if wanted.type != "Group":
            X_BN = X_BP @ solid_text.pose_of(wanted)
            fields = {"frame": body.body_frame(), "offset": X_BN}
        node = self._tree.add(
            parent,
            type=_TYPES[wanted.type],
            name="",
            definition=wanted.definition,
            **fields,
        )
        for child in wanted.nodes("children"):
            self._draw(node, child, body, X_BN, ignored)
        return node

    def _draw_shape(
        self,
        parent: SceneNode,
        wanted: TextNode,
        body: RigidBody,
        X_BP: RigidTransform,
        ignored: list[str],
    ) -> SceneNode:
        inside = wanted.node("geometry")
        shape = solid_text.shape_of(inside) if inside is not None else None
        if inside is None or shape is None or inside.type == "Plane":
            ignored.append(f"a {inside.type if inside else 'Shape'}")
            node = self._tree.add(
                parent,
                type=Node.SHAPE,
                name="",
                definition=wanted.definition,
            )
            if inside is not None:
                self._keep(node, inside, "geometry")
            return node
        self._number += 1
        drawn = self._shapes.draw(
            body,
            shape,
            X_BP,
            solid_text.colour_of(wanted),
            f"imported {self._number}",
        )
        look = wanted.node("appearance")
        old = look is not None and look.type == "Appearance"
        node = add_shape(
            self._tree.add,
            parent,
            self._shapes,
            drawn,
            appearance=Node.APPEARANCE if old else Node.PBR_APPEARANCE,
        )
        node.definition = wanted.definition
        for part in node.subtree():
            text = {"appearance": look, "geometry": inside}.get(part.slot)
            if text is not None and part is not node:
                part.definition = text.definition
        return node

    def _keep(self, parent: SceneNode, text: TextNode, slot: str) -> None:
        """Adds a node that is not drawn, with its values."""
        try:
            kept = Kept(text)
        except InputError as error:
            raise Refused(str(error)) from None
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text.type).upper()
        node = self._tree.add(
            parent,
            type=getattr(Node, words, Node.NO_NODE),
            name="",
            slot=slot,
            definition=text.definition,
            settings=kept,
        )
        for name, field in text.fields.items():
            for inside in field.nodes:
                self._keep(node, inside, name)

    def remove(self, node: SceneNode) -> None:
        """Moves a model, or an imported node, out of the world.

        Raises:
            Refused: it is part of a model, a robot, or cannot be moved away.
        """
        if node in self._drawn:
            self._erase(node)
            self._drawn.remove(node)
            self._take_out(node)
            return
        if not node.model or not _is_free_standing(node, self._tree.root):
            raise Refused(
                f"{node.name or node.type_name} is a part of a model, which"
                " stays whole"
            )
        if node.type == Node.ROBOT:
            raise Refused(f"{node.name} has motors; robots stay in the world")
        if node.model in self._solids:
            self._return(node)
            return
        plant = self._physics.plant
        instance = plant.GetModelInstanceByName(node.model)
        free = plant.HasUniqueFloatingBaseBody(instance)
        if not free and not self._physics.is_welded(node):
            raise Refused(
                f"{node.name} is neither free nor welded to the world; it cannot"
                " be moved away"
            )
        if plant.time_step() == 0 and plant.num_velocities(instance):
            raise Refused("a continuous plant cannot hold removed models")
        if node.model not in self._waiting:
            self._waiting.append(node.model)
            self._removed.append(node)
        self._take_out(node)
        self._put_away(node)

    def _erase(self, node: SceneNode) -> None:
        """Removes a node's drawn shapes."""
        parts = {n.geometry for n in node.subtree() if n.geometry is not None}
        for geometry in parts:
            self._shapes.remove(geometry)

    def _return(self, node: SceneNode) -> None:
        """Puts an imported Solid back in stock."""
        slots = {
            n.geometry
            for n in node.subtree()
            if n.geometry in self._shapes.colliding
        }
        for slot in slots:
            self._shapes.pass_through(slot)
        for geometry in {
            n.geometry for n in node.subtree() if n.geometry is not None
        } - slots:
            self._shapes.remove(geometry)
        del self._solids[node.model]
        self._take_out(node)
        self._put_away(node)

    def _take_out(self, node: SceneNode) -> None:
        if node.parent is not None:
            node.parent.children.remove(node)
        node.parent, node.definition, node.name = None, "", node.model

    def _put_away(self, node: SceneNode) -> None:
        """Holds a model where spares wait."""
        number = self._waiting.index(node.model)
        self._physics.set_pose(node, waiting_place(number))
        hold(self._physics.plant, self._physics.context, node.model)

    def reset(self) -> None:
        """Returns spares to waiting, as at a reset; removed nodes stay removed.

        The plant's Context has been reset already. What was imported is gone (Webots'
        reference, wb_supervisor_simulation_reset).
        """
        for node in list(self._drawn):
            self.remove(node)
        for node in list(self._solids.values()):
            self._return(node)
        for models in self._scenario.spares.values():
            for model in models:
                node = self._tree.model(model)
                if node.parent is not None:
                    self._take_out(node)
        for node in self._removed:
            if node.parent is None:
                self._put_away(node)


def _is_free_standing(node: SceneNode, root: SceneNode) -> bool:
    """Returns whether a node is in the root, or in a Group there."""
    parent = node.parent
    if parent is not None and parent.type == Node.GROUP:
        return parent is root or parent.parent is root
    return False


def _name(node: SceneNode, wanted: TextNode, otherwise: str) -> None:
    """Gives a node the DEF and the name in a text."""
    node.definition = wanted.definition
    node.name = _text(wanted, "name", otherwise)


def _text(wanted: TextNode, name: str, otherwise: str) -> str:
    """Returns a field's text, or another if it is not set."""
    field = wanted.fields.get(name)
    value = field.items[0] if field is not None and field.items else otherwise
    return value if isinstance(value, str) else otherwise


def _with_used(text: str, text_of: Callable[[str], str | None]) -> str:
    """Returns a text with its USE replaced by nodes of the world."""

    def replaced(match: re.Match[str]) -> str:
        if re.search(rf"\bDEF\s+{re.escape(match[1])}\s", text):
            return match[0]
        return text_of(match[1]) or match[0]

    return _USE.sub(replaced, text)
