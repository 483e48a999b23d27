"""Which body a Solid is, or belongs to (WbSolid.cpp, WbSolidMerger.cpp)."""

from pydrake.math import RigidTransform

from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.models import (
    NOWHERE,
    WORLD,
    Joint,
    Link,
    Model,
    unique,
)
from webmotor_drake.worlds.nodes import Node

# Names of Solids that do not merge into the one around them (WbSolid.cpp).
_NEVER_MERGED = ("left wheel", "right wheel")


def base_of(model: Model, X_W: RigidTransform) -> Link:
    """Returns the link of a model's static part."""
    if model.base is None:
        name = unique("base", model.names)
        model.base = Link(name, "static", X_W, model.place)
        model.links.insert(0, model.base)
    return model.base


def link_of(
    node: Node,
    name: str,
    around: Around,
    inside: Around,
    joint: Joint | None,
) -> Link:
    """Returns the body of a Solid: a new or an existing one."""
    model = around.model
    X_W = inside.X_W
    if joint is not None:
        kind = "dynamic" if inside.dynamic else "kinematic"
        return new_link(model, name, kind, X_W, node, joint)
    if around.apart:
        weld = _weld(node, name, model, WORLD, X_W)
        return new_link(model, name, "static", X_W, node, weld)
    if around.link is NOWHERE:
        return _outermost(node, name, model, inside)
    if _is_apart(node):
        weld = _weld(node, name, model, around.link, X_W)
        kind = "dynamic" if around.above else "static"
        return new_link(model, name, kind, X_W, node, weld)
    is_wheel = around.dynamic and name.lower() in _NEVER_MERGED
    if not inside.dynamic or not around.above:
        return around.link
    if around.dynamic and not is_wheel:
        return around.link
    where = (
        f"a Solid with Physics of the name {name!r} without a joint"
        if is_wheel
        else "a Solid with Physics in one without, in one that moves"
    )
    text = f"{where}: a body of its own that falls off, as in Webots"
    node.place.add("changed", name, text)
    return new_link(model, name, "dynamic", X_W, node, None)


def _outermost(node: Node, name: str, model: Model, inside: Around) -> Link:
    X_W = inside.X_W
    if inside.dynamic:
        return new_link(model, name, "dynamic", X_W, node, None)
    if model.carrier is not None:
        carrier = model.carrier[1]
        kind = "static" if carrier.kind == "static" else "kinematic"
        return new_link(model, name, kind, X_W, node, None)
    base = base_of(model, X_W)
    if base.name == "base":
        model.names.discard(base.name)
        base.name = unique(name, model.names)
    return base


def _weld(
    node: Node, name: str, model: Model, parent: Link, X_W: RigidTransform
) -> Joint:
    """Returns the joint that holds a Solid with its own body on another one."""
    return Joint(
        unique(f"{name} weld", model.names),
        "fixed",
        parent,
        parent.X_W.inverse() @ X_W,
        node.place,
    )


def _is_apart(node: Node) -> bool:
    """Returns whether a Solid has its own body, as TouchSensors, Tracks, and grippers.

    So does what cameras recognize by itself, or radars see.
    """
    if node.type == "Track":
        return node.node("boundingObject") is not None
    return is_sensed(node) or node.type in ("TouchSensor", "VacuumGripper")


def is_sensed(node: Node) -> bool:
    """Returns whether cameras or radars know a Solid by fields of its own."""
    colors = node.fields.get("recognitionColors")
    colored = colors is not None and bool(colors.items)
    return colored or "radarCrossSection" in node.fields


def new_link(
    model: Model,
    name: str,
    kind: str,
    X_W: RigidTransform,
    node: Node,
    joint: Joint | None,
) -> Link:
    """Adds a body to a model."""
    link = Link(unique(name, model.names), kind, X_W, node.place, joint)
    model.links.append(link)
    return link
