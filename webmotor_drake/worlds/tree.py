"""Builds models of expanded nodes: their bodies, and the joints between them.

The rules are Webots' (WbSolid.cpp, WbBasicJoint.cpp, WbSolidMerger.cpp): a Solid with
Physics is a body, or part of the body of the Solid around it; one without Physics
stands still, or moves with the Solid around it.
"""

import dataclasses as dc

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.worlds.around import Around, inside_of
from webmotor_drake.worlds.devices import (
    add_device,
    add_of_joint,
    add_propeller,
    add_track,
)
from webmotor_drake.worlds.joints import (
    add_axes,
    close,
    end_point,
    equip,
    new_joint,
)
from webmotor_drake.worlds.models import (
    NO_MODEL,
    NOWHERE,
    WEIGHTLESS,
    WORLD,
    Joint,
    Link,
    Model,
    Names,
    Robot,
    unique,
)
from webmotor_drake.worlds.node_kinds import (
    GROUPS,
    JOINTS,
    LIGHTS,
    ROBOTS,
    SOLIDS,
    children_of,
    leave_out,
    motors_in,
    name_of,
)
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.solid_mass import add_mass
from webmotor_drake.worlds.solid_shapes import add_collisions, add_visual

# Names of Solids that do not merge into the one around them (WbSolid.cpp).
_NEVER_MERGED = ("left wheel", "right wheel")


class Tree:
    """Builds the models of a world.

    Args:
        movable: True if supervisors may move static Solids: then those that they can
            find are bodies of their own.

    Attributes:
        models: models in the order of the file, after the scenery if there is any.
        lights: lights of the world, each with the pose of its frame.
    """

    def __init__(self, *, movable: bool):
        self.movable = movable
        self.models: list[Model] = []
        self.lights: list[tuple[Node, RigidTransform]] = []
        self._names = Names("world", "scenery")
        self._scenery: Model | None = None
        # Joints to SolidReferences, until their Solids are known.
        self._closing: list[tuple[Node, Node, Around]] = []

    def add(self, node: Node, around: Around | None = None) -> None:
        """Adds a node of the top of a world, or one inside of another."""
        around = around or Around(RigidTransform(), np.ones(3))
        top = around.model is NO_MODEL
        if node.type in SOLIDS:
            add = self._top_solid if top else self._solid
            add(node, around)
        elif node.type in GROUPS and top and self._is_marker(node):
            self._still(node, around, apart=True)
        elif node.type in GROUPS:
            inside = inside_of(node, around)
            wanted = self.movable and bool(node.definition)
            inside = dc.replace(inside, grouped=around.grouped or wanted)
            for child in children_of(node):
                self.add(child, inside)
        elif node.type in ("Shape", "CadShape"):
            self._draw(node, self._in_scenery(around) if top else around)
        elif node.type in LIGHTS:
            self.lights.append((node, around.X_W))
        elif node.type in JOINTS and not top:
            self._joint(node, around)
        elif node.type == "Propeller" and not top:
            self._propeller(node, around)
        else:
            leave_out(node)

    def _draw(self, node: Node, around: Around) -> None:
        if not add_visual(node, around):
            return
        link, number = around.link, len(around.link.visuals) - 1
        path = f"{around.model.name}::{link.name}.visual[{number}]"
        node.stands_for.append(path)
        for name in ("geometry", "appearance"):
            for inner in node.nodes(name):
                inner.stands_for.append(f"{path}.{name}")

    def _top_solid(self, node: Node, around: Around) -> None:
        """Adds a Solid outside of any other."""
        kinds = {inner.type for inner in node.subtree()}
        moves = kinds & (JOINTS | ROBOTS | {"Physics", "Connector"})
        seen = any(_is_sensed(n) for n in node.subtree())
        found = bool(node.definition) or around.grouped
        movable = seen or (self.movable and found)
        if node.type not in ROBOTS and not moves:
            self._still(node, around, apart=movable)
            return
        model = Model(unique(name_of(node), self._names), node.place)
        self.models.append(model)
        self._solid(node, dc.replace(around, model=model))
        for closing in self._closing:
            close(*closing)
        self._closing.clear()
        if not model.links:
            model.add_base(around.X_W)

    def _still(self, node: Node, around: Around, *, apart: bool) -> None:
        """Adds a node to the scenery; if `apart`, as a body that others can find."""
        self._solid(node, dc.replace(self._in_scenery(around), apart=apart))

    def _is_marker(self, node: Node) -> bool:
        """Returns whether a group only holds looks, which a supervisor may move."""
        kinds = {inner.type for inner in node.subtree()}
        drawn = kinds & {"Shape", "CadShape"}
        apart = kinds & (SOLIDS | JOINTS | {"Propeller"})
        return self.movable and bool(node.definition and drawn and not apart)

    def _in_scenery(self, around: Around) -> Around:
        """Returns the surroundings of static scenery, which is one link."""
        if self._scenery is None:
            self._scenery = Model("scenery", None)
            self.models.insert(0, self._scenery)
        base = self._scenery.add_base(RigidTransform())
        return dc.replace(around, model=self._scenery, link=base, solid="shape")

    def _solid(
        self, node: Node, around: Around, joint: Joint | None = None
    ) -> Link:
        """Adds a Solid; returns the body that it is or belongs to."""
        model = around.model
        carried = around.robot is not None and around.link is not NOWHERE
        if node.type in ROBOTS and carried and joint is None:
            return self._nested(node, around)
        inside = inside_of(node, around)
        name = node.definition if node.type in GROUPS else name_of(node)
        dynamic = node.node("physics") is not None
        inside = dc.replace(
            inside,
            apart=False,
            dynamic=dynamic,
            above=around.above or dynamic,
            material=node.text("contactMaterial", "default"),
            solid=name,
        )
        link = _link_of(node, name, around, inside, joint)
        inside = dc.replace(inside, link=link)
        if node.type in ROBOTS:
            model.robot = Robot(model.name, node.place, node)
            inside = dc.replace(inside, robot=model.robot)
        if dynamic:
            add_mass(node, inside)
            for field in ("linearVelocity", "angularVelocity"):
                if any(node.numbers(field, (0.0, 0.0, 0.0))):
                    place = node.fields[field].place
                    place.add("changed", name, f"{field}: starts at rest")
        body = f"{model.name}::{link.name}"
        for number, geometry in add_collisions(node, inside):
            geometry.stands_for.append(f"{body}.collision[{number}]")
        if node.type in DEVICES:
            add_device(node, inside)
        if node.type == "Track":
            add_track(node, inside)
        self._describe(node, link)
        self._define(node, inside, link)
        model.solids.setdefault(name, (link, inside.X_W))
        for child in children_of(node):
            self.add(child, inside)
        return link

    def _describe(self, node: Node, link: Link) -> None:
        """Stores the fields by which cameras and radars know a Solid."""
        if link.place is node.place and node.type not in DEVICES:
            link.changes.model = node.text("model")
        if colors := node.fields.get("recognitionColors"):
            clipped = np.clip(colors.rows(3), 0.0, 1.0).tolist()
            known = link.changes.recognition_colors
            link.changes.recognition_colors = known or clipped
        section = max(node.number("radarCrossSection", 0.0), 0.0)
        known = link.changes.radar_cross_section
        link.changes.radar_cross_section = known or section

    def _nested(self, node: Node, around: Around) -> Link:
        """Adds a Robot inside another one as a model that is welded to its carrier."""
        outer, carrier = around.model, around.link
        name = unique(name_of(node), self._names)
        model = Model(name, node.place, carrier=(outer, carrier))
        self.models.append(model)
        inside = dc.replace(around, model=model, link=NOWHERE, robot=None)
        self._solid(node, inside)
        return carrier

    def _mount(
        self, node: Node, around: Around, joint: Joint, *, dynamic: bool
    ) -> Link:
        """Adds a Robot at the end of another Robot's joint, welded to a small body."""
        model = around.model
        X_W = inside_of(node, around).X_W
        kind = "dynamic" if dynamic else "kinematic"
        name = f"{name_of(node)} mount"
        mount = model.add_link(name, kind, X_W, node.place, joint)
        mount.parts.append(WEIGHTLESS)
        self._nested(node, dc.replace(around, link=mount))
        return mount

    def _define(self, node: Node, inside: Around, link: Link) -> None:
        """Stores a Solid that supervisors may look up."""
        model = inside.model
        if node.type in DEVICES:
            return  # done where its name is known
        if link.place is node.place:
            first = link is (model.links[0] if model.links else None)
            path = f"{model.name}::{link.name}"
            node.stands_for.append(model.name if first else path)
            for physics in node.nodes("physics"):
                physics.stands_for.append(f"{path}.physics")
        elif self.movable and (node.definition or node.body_definitions):
            name = unique(inside.solid, model.names)
            link.frames[name] = link.X_W.inverse() @ inside.X_W
            node.stands_for.append(f"{model.name}::{name}")

    def _propeller(self, node: Node, around: Around) -> None:
        """Adds a Propeller, drawn as its slow helix."""
        helix = node.node("slowHelix")
        if helix is not None:
            inside = inside_of(helix, around)
            for child in children_of(helix):
                if child.type in GROUPS | {"Shape", "CadShape"}:
                    self.add(child, inside)
        add_propeller(node, around)

    def _joint(self, node: Node, around: Around) -> None:
        """Adds a joint with its devices and its endPoint."""
        model, parent = around.model, around.link
        end = end_point(node)
        if end is not None and end.type == "SolidReference":
            self._closing.append((node, end, around))
            return
        if end is None:
            add_of_joint(node, around)
            return
        dynamic = end.node("physics") is not None
        if dynamic and not around.dynamic and around.above:
            parent = model.add_base(parent.X_W)
            text = "the Solid around its joint has no Physics: it hangs on the world"
            name = end.text("name", "solid")
            node.place.add("note", name, f"{text}, as in Webots")
        if not dynamic and not motors_in(node):
            # Nothing moves it: it goes along with the Solid around it.
            add_of_joint(node, around)
            self._solid(end, around)
            return
        joint = new_joint(node, end, parent, around)
        equip(node, joint, around, dynamic=dynamic)
        if end.type in ROBOTS and around.robot is not None:
            link = self._mount(end, around, joint, dynamic=dynamic)
        else:
            link = self._solid(end, around, joint)
        add_axes(node, joint, link, around)


def _link_of(
    node: Node, name: str, around: Around, inside: Around, joint: Joint | None
) -> Link:
    """Returns the body of a Solid: a new or an existing one."""
    model, X_W = around.model, inside.X_W

    def new(kind: str, joint: Joint | None = None) -> Link:
        return model.add_link(name, kind, X_W, node.place, joint)

    def welded(parent: Link, kind: str) -> Link:
        weld = unique(f"{name} weld", model.names)
        X_PC = parent.X_W.inverse() @ X_W
        return new(kind, Joint(weld, "fixed", parent, X_PC, node.place))

    if joint is not None:
        return new("dynamic" if inside.dynamic else "kinematic", joint)
    if around.apart:
        return welded(WORLD, "static")
    if around.link is NOWHERE:
        if inside.dynamic:
            return new("dynamic")
        if model.carrier is not None:
            still = model.carrier[1].kind == "static"
            return new("static" if still else "kinematic")
        return model.add_base(X_W, name)
    if _is_apart(node):
        return welded(around.link, "dynamic" if around.above else "static")
    is_wheel = around.dynamic and name.lower() in _NEVER_MERGED
    merges = around.dynamic and not is_wheel
    if merges or not inside.dynamic or not around.above:
        return around.link
    where = (
        f"a Solid with Physics of the name {name!r} without a joint"
        if is_wheel
        else "a Solid with Physics in one without, in one that moves"
    )
    text = f"{where}: a body of its own that falls off, as in Webots"
    node.place.add("changed", name, text)
    return new("dynamic")


def _is_apart(node: Node) -> bool:
    if node.type == "Track":
        return node.node("boundingObject") is not None
    return _is_sensed(node) or node.type in ("TouchSensor", "VacuumGripper")


def _is_sensed(node: Node) -> bool:
    """Returns whether a Solid has recognition colours or a radar cross section."""
    colors = node.fields.get("recognitionColors")
    colored = colors is not None and bool(colors.items)
    return colored or "radarCrossSection" in node.fields
