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


def base_of(model: Model, X_W: RigidTransform, name: str = "base") -> Link:
    """Returns the link of a model's static part, which takes the first real name."""
    if model.base is None:
        free = unique("base", model.names)
        model.base = Link(free, "static", X_W, model.place)
        model.links.insert(0, model.base)
    if name != "base" and model.base.name == "base":
        model.names.discard("base")
        model.base.name = unique(name, model.names)
    return model.base


def link_of(
    node: Node,
    name: str,
    around: Around,
    inside: Around,
    joint: Joint | None,
) -> Link:
    """Returns the body of a Solid: a new or an existing one."""
    model, X_W = around.model, inside.X_W

    def new(kind: str, joint: Joint | None = None) -> Link:
        return new_link(model, name, kind, X_W, node, joint)

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
        return base_of(model, X_W, name)
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
    """Returns whether a Solid has its own body."""
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
